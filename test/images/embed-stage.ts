import assert from 'node:assert/strict'
import { before } from 'node:test'
import { objectStores, putInto } from '../support/object-stores.ts'
import { type Person, type ServiceSpec, startService, type TestService } from '../support/service.ts'
import type { Store } from '../support/stores.ts'
import { placeOf } from './admin-stage.ts'

export interface EmbedLinkReply {
  readonly id: string
  readonly url: string
  readonly kinds: readonly string[]
  readonly orientation: string | null
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastUsedAt: string | null
}

export const pathOf = ({ url }: EmbedLinkReply) => new URL(url).pathname

/** For a `describe`: a service with three foxes, a bird and a user; `again` starts another one on the same stores. */
export function withEmbeds(accounts: Store, spec: Omit<ServiceSpec, 'store' | 'place'> = {}) {
  const stage = {} as { one: TestService; again(more?: ServiceSpec): Promise<TestService>; person: Person }
  const [objects] = objectStores
  assert.ok(objects)
  const { place, accounts: both } = placeOf(objects, accounts)
  before(async () => {
    const made = await both.make()
    const put = putInto(place.store, place.bucket)
    for (const name of ['fox/a.png', 'fox/b.png', 'fox/c.png', 'bird/a.png'])
      await put(name, Buffer.from(`the bytes of ${name}`), { type: 'image/png' })
    stage.again = (more = {}) => startService({ ...spec, ...more, place: made, env: { ...spec.env, ...more.env } })
    stage.one = await stage.again()
    stage.person = await stage.one.register('linker')
  })
  const create = async (body: object, token = stage.person.accessToken): Promise<EmbedLinkReply> => {
    const reply = await stage.one.request('POST', '/auth/embed', { token, body })
    assert.equal(reply.status, 201, reply.text)
    return reply.body
  }
  const list = async (token = stage.person.accessToken): Promise<EmbedLinkReply[]> =>
    (await stage.one.request('GET', '/auth/embed', { token })).body.links
  return { stage, create, list }
}
