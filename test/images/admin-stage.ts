import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before } from 'node:test'
import { openSqlite } from '../../src/drivers/accounts/sqlite.ts'
import type { ObjectStore, Upload } from '../../src/images/object-store.ts'
import { atEnd } from '../support/at-end.ts'
import type { ObjectStage } from '../support/object-stores.ts'
import { password, type Reply, type ServiceSpec } from '../support/service.ts'
import type { Store } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

/** What a service runs on, for direct access. */
export interface Place {
  store: ObjectStore
  bucket: string
  /** DATA_DIR. */
  folder: string
}

/** A store of objects and accounts that a service can be started on, and the place of its objects. */
export function placeOf(objects: ObjectStage, accounts: Store | null = null): { place: Place; accounts: Store } {
  const place = {} as Place
  const make = async () => {
    const made = await objects.make()
    const found = (await accounts?.make()) ?? null
    // The folder of objects lies in DATA_DIR, and there is only one DATA_DIR.
    const env = { ...found?.env, ...made.env }
    Object.assign(place, { store: made.store, bucket: made.bucket, folder: env.DATA_DIR })
    const open = found ? found.open : () => openSqlite(place.folder)
    const drop = atEnd(async () => {
      await found?.drop()
      await made.drop()
    })
    return { env, open, drop }
  }
  const skip = objects.skip || (accounts?.skip ?? false)
  const name = accounts ? `${objects.name} and ${accounts.name}` : objects.name
  return { place, accounts: { name, skip, make } }
}

export interface UploadOptions {
  readonly bucket?: string
  readonly type?: string
  readonly token?: string
}

const query = (given: object) => new URLSearchParams(given as Record<string, string>)

/** For a `describe`: a service with an owner, olivia, and the bucket that it serves from. */
export function withImages(objects: ObjectStage, spec: Omit<ServiceSpec, 'store' | 'place'> = {}) {
  const { place, accounts } = placeOf(objects)
  const stage = withService(accounts, {
    ...spec,
    env: { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password, ...spec.env },
  })
  const owner = { token: '' }
  before(async () => {
    owner.token = (await stage.service.login('olivia')).body.accessToken
  })
  const uploadPath = (objectName: string, bucketName = place.bucket) =>
    `/admin/s3/upload?${query({ bucketName, objectName })}`
  const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    stage.service.request('GET', path, { token: owner.token, headers })

  return {
    stage,
    place,
    owner,
    uploadPath,
    get,
    upload: (
      name: string,
      bytes: string | Uint8Array,
      { bucket, type = 'image/png', token = owner.token }: UploadOptions = {},
    ): Promise<Reply> =>
      stage.service.request('POST', uploadPath(name, bucket), {
        token,
        headers: { 'content-type': type },
        body: bytes,
      }),
    remove: (body: object, more = ''): Promise<Reply> =>
      stage.service.request('DELETE', `/admin/s3/delete${more}`, { token: owner.token, body }),
    /** Name and ETag of everything in the bucket. */
    objects: () => objectsIn(place),
    temporary: () => temporaryIn(place),
    /** The names that can be chosen from, as the service lists them. */
    async pool(kind: string): Promise<string[]> {
      const { body } = await get(`/images/${kind}?limit=500`)
      return body.images.map(({ name }: { name: string }) => name)
    },
  }
}

export type ImageStage = ReturnType<typeof withImages>

export async function objectsIn({ store, bucket }: Pick<Place, 'store' | 'bucket'>): Promise<Record<string, string>> {
  const found: [string, string][] = []
  for await (const page of store.list(bucket, { prefix: '', isFlat: false }))
    found.push(...page.map(({ name, etag }): [string, string] => [name, etag]))
  return Object.fromEntries(found)
}

/** Uploads in progress, and whatever earlier ones left behind. */
function temporaryIn({ folder }: Place): string[] {
  const folders = ['objects/.temporary', 'temporary'].map((path) => join(folder, path))
  return folders
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path))
    .filter((name) => !isProbe(name))
}

/** The service proves now and then that the disk has room: by a temporary file of an object without a name. */
const isProbe = (name: string) => name.endsWith(`~${createHash('sha256').digest('hex').slice(0, 32)}`)

/** Everything in DATA_DIR but the databases and the objects of this bucket. */
export function besideTheBucket({ folder, bucket }: Place): Record<string, string> {
  const found: Record<string, string> = {}
  const look = (path: string) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const name = join(path, entry.name)
      if (name === join('objects', bucket) || name === join('objects', '.details', bucket)) continue
      if (/\.db(-\w+)?$/.test(name)) continue
      if (isProbe(name)) continue
      if (entry.isDirectory()) look(name)
      found[name] = entry.isFile() ? readFileSync(join(folder, name), 'latin1') : 'no file'
    }
  }
  look('')
  return found
}

/** Whether a name with `..` has created something outside the bucket. */
export const isOutside = ({ folder }: Place, name: string) =>
  ['.', 'objects', '..', '../..', '../../..'].some((path) => existsSync(join(folder, path, name)))

export interface Write {
  /** Bytes that the store took so far. */
  taken: number
  /** Whether it has written all it was given, and waits for more. */
  isWaiting: boolean
  isSettled: boolean
}

/** Reports the progress of each upload; `change` may replace the write. */
export function watchWrites() {
  const writes: Write[] = []
  const state = {
    writes,
    change: null as null | ((real: ObjectStore, upload: Upload) => ReturnType<ObjectStore['write']>),
    store: (real: ObjectStore): ObjectStore => ({
      ...real,
      async write(upload) {
        const write: Write = { taken: 0, isWaiting: false, isSettled: false }
        writes.push(write)
        async function* counted() {
          write.isWaiting = true
          for await (const chunk of upload.body) {
            write.taken += chunk.length
            write.isWaiting = false
            yield chunk
            write.isWaiting = true
          }
          write.isWaiting = false
        }
        try {
          const watched = { ...upload, body: counted() }
          return await (state.change?.(real, watched) ?? real.write(watched))
        } finally {
          write.isSettled = true
        }
      },
    }),
  }
  return state
}

export { until } from '../support/until.ts'
