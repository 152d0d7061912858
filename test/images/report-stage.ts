import { before } from 'node:test'
import type { Role } from '../../src/accounts/roles.ts'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { type ObjectStage, objectStores } from '../support/object-stores.ts'
import { type Cast, cast } from '../support/people.ts'
import type { Person, Reply } from '../support/service.ts'
import type { Store } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'
import { placeOf } from './admin-stage.ts'

/** A service with images in a folder, accounts there, and one person of each role. */
export function reportStage(store: Store, env: Record<string, string> = {}) {
  const { place, accounts } = placeOf(objectStores[0] as ObjectStage, store.name === 'SQLite' ? null : store)
  const broken: { remove?: ObjectStore['remove'] } = {}
  /** What happens once after the next of these calls, before the service goes on. */
  const after: Partial<Record<'read' | 'write' | 'head', (name: string) => Promise<unknown>>> = {}
  let discarded = 0
  async function once(what: 'read' | 'write' | 'head', name: string) {
    const act = after[what]
    delete after[what]
    await act?.(name)
  }
  const stage = withService(accounts, {
    env,
    overrides: {
      images: {
        store: (real) => ({
          ...real,
          head: (ref, ...given) => real.head(ref, ...given).finally(() => once('head', ref.name)),
          async read(ref, ...given) {
            const reading = await real.read(ref, ...given)
            await once('read', ref.name)
            const discard = () => {
              discarded++
              reading?.discard()
            }
            return (
              reading && { head: reading.head, whole: () => reading.whole(), chunks: () => reading.chunks(), discard }
            )
          },
          write: (upload) => real.write(upload).finally(() => once('write', upload.name)),
          remove: (ref) => (broken.remove ?? real.remove)(ref),
        }),
      },
    },
  })
  const people = {} as Record<Role, Person>
  before(async () => void Object.assign(people, (await cast(stage)) satisfies Cast))
  const ask = (who: Role | Person, method: string, path: string, body?: unknown): Promise<Reply> =>
    stage.service.request(method, path, {
      token: (typeof who === 'string' ? people[who] : who).accessToken,
      ...(body !== undefined && { body }),
    })
  const list = async (state: string) => (await ask('moderator', 'GET', `/admin/reports?state=${state}&limit=500`)).body
  return {
    stage,
    place,
    people,
    broken,
    after,
    discarded: () => discarded,
    ask,
    report: (who: Role | Person, name: string, reason = 'Not a fox') =>
      ask(who, 'POST', '/images/report', { name, reason }),
    resolve: (who: Role, id: string, action: string) => ask(who, 'POST', `/admin/reports/${id}/resolve`, { action }),
    unhide: (who: Role, name: string) => ask(who, 'POST', '/admin/images/unhide', { name }),
    /** The open report of an image, or its newest closed one. */
    async entry(name: string) {
      const all = [...(await list('open')).reports, ...(await list('closed')).reports]
      return all.find((each) => each.name === name)
    },
    upload(name: string, bytes = name) {
      const query = new URLSearchParams({ bucketName: place.bucket, objectName: name })
      const headers = { 'content-type': 'image/png' }
      const token = people.owner.accessToken
      return stage.service.request('POST', `/admin/s3/upload?${query}`, { token, headers, body: bytes })
    },
    get: (name: string, headers: Record<string, string> = {}, method = 'GET') =>
      stage.service.request(method, `/i/${name}`, { headers }),
  }
}
