import { createHash, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { readConfig } from '../../src/config/config.ts'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import { openS3Store } from '../../src/drivers/objects/s3/s3.ts'
import { s3Times } from '../../src/drivers/objects/s3/times.ts'
import type { ObjectStore, Stored, Upload } from '../../src/images/object-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { atEnd } from './at-end.ts'
import { sized } from './size.ts'
import { testFolder } from './test-folder.ts'

/** An object store that a suite runs on. Every `make` has an empty bucket, which `drop` removes. */
export interface ObjectStage {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  /** Max page size of listings. */
  readonly pageLength: number
  make(): Promise<{ store: ObjectStore; bucket: string; env: Record<string, string>; drop(): Promise<void> }>
}

export const folder: ObjectStage = {
  name: 'the folder',
  skip: false,
  pageLength: sized(100, 1_000),
  async make() {
    const path = testFolder()
    const store = await openFolderStore({ dataDir: path, maxPageSize: folder.pageLength })
    await store.createBucket('images')
    const drop = atEnd(async () => {
      await store.close()
    })
    return { store, bucket: 'images', env: { DATA_DIR: path }, drop }
  },
}

const config = readConfig()

/** An S3 server; `prefix` is the prefix of its settings. */
function s3Stage(name: string, prefix: 'TEST_S3' | 'TEST_SWIFT', pageLength: number): ObjectStage {
  const endpoint = config[`${prefix}_ENDPOINT`]
  const missing = endpoint === null ? `${prefix}_ENDPOINT is not set` : null
  if (missing !== null && process.env.CI) throw new Error(`${missing}, and in CI no S3 server may be skipped`)

  return {
    name,
    skip: missing ?? false,
    pageLength,
    async make() {
      const path = testFolder()
      const place = { endpoint: endpoint ?? '', region: 'us-east-1', pathStyle: true, sessionToken: null }
      const keys = {
        accessKeyId: config[`${prefix}_ACCESS_KEY_ID`] ?? '',
        secretAccessKey: config[`${prefix}_SECRET_ACCESS_KEY`] ?? '',
      }
      const store = await openS3Store({ ...place, ...keys, temporaryFolder: path, clock: systemClock, times: s3Times })
      const bucket = `menagerie-test-${randomBytes(6).toString('hex')}`
      await store.createBucket(bucket)
      const env = {
        DATA_DIR: path,
        S3_ENDPOINT: place.endpoint,
        S3_ACCESS_KEY_ID: keys.accessKeyId,
        S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
        S3_BUCKET: bucket,
      }
      const drop = atEnd(async () => {
        await empty(store, bucket)
        await store.close()
        const client = new S3Client({ ...place, forcePathStyle: true, credentials: keys })
        await client.send(new DeleteBucketCommand({ Bucket: bucket }))
        client.destroy()
      })
      return { store, bucket, env, drop }
    },
  }
}

export const objectStores: readonly ObjectStage[] = [folder, s3Stage('S3', 'TEST_S3', 1_000)]
/** Swift is slow, so it is only for suites about differences between S3 servers, with the short pages of swift.sh. */
export const allObjectStores: readonly ObjectStage[] = [...objectStores, s3Stage("Swift's S3", 'TEST_SWIFT', 100)]

async function empty(store: ObjectStore, bucket: string): Promise<void> {
  for await (const page of store.list(bucket, { prefix: '', isFlat: false }))
    await inParallel(page, ({ name }) => store.remove({ bucket, name }))
}

/** Eight at a time. */
export async function inParallel<T>(all: readonly T[], act: (each: T) => Promise<unknown>): Promise<void> {
  const rest = all.values()
  const work = async () => {
    for (const each of rest) await act(each)
  }
  await Promise.all(Array.from({ length: 8 }, work))
}

export const md5Of = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex')
export const never = new AbortController().signal

/** The bytes as a body that arrives in pieces, one per turn of the event loop. */
export async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) {
    yield bytes.subarray(at, at + size)
    await turn()
  }
}

export type Put = (name: string, bytes: Uint8Array, more?: Partial<Upload>) => Promise<Stored>

export const putInto =
  (store: ObjectStore, bucket: string): Put =>
  (name, bytes, more) =>
    store.write({
      bucket,
      name,
      type: 'image/png',
      size: bytes.length,
      body: inPieces(bytes),
      signal: never,
      ...more,
    })
