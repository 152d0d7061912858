import { createHash, randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { DeleteBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { readConfig } from '../../src/config.ts'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import { openS3Store } from '../../src/drivers/objects/s3/s3.ts'
import type { ObjectStore, Stored, Upload } from '../../src/images/object-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { atEnd } from './at-end.ts'
import { temporaryFolder } from './folder.ts'

/** A place for objects that a suite runs on; every `make` has an empty bucket, and is gone after `drop`. */
export interface ObjectStage {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  make(): Promise<{ store: ObjectStore; bucket: string; env: Record<string, string>; drop(): Promise<void> }>
}

const folder: ObjectStage = {
  name: 'the folder',
  skip: false,
  async make() {
    const { path, remove } = temporaryFolder()
    const store = await openFolderStore({ dataDir: path })
    await store.createBucket('images')
    const drop = atEnd(async () => {
      await store.close()
      remove()
    })
    return { store, bucket: 'images', env: { DATA_DIR: path }, drop }
  },
}

const config = readConfig()
const { TEST_S3_ENDPOINT: endpoint, TEST_S3_ACCESS_KEY_ID: keyId, TEST_S3_SECRET_ACCESS_KEY: secret } = config

/** In CI nothing may be skipped for want of a service. */
if (endpoint === null && process.env.CI) throw new Error('TEST_S3_ENDPOINT is not set, and in CI S3 may not be skipped')

const s3: ObjectStage = {
  name: 'S3',
  skip: endpoint === null ? 'TEST_S3_ENDPOINT is not set' : false,
  async make() {
    const { path, remove } = temporaryFolder()
    const place = { endpoint: endpoint ?? '', region: 'us-east-1', pathStyle: true, sessionToken: null }
    const keys = { accessKeyId: keyId ?? '', secretAccessKey: secret ?? '' }
    const store = await openS3Store({ ...place, ...keys, temporaryFolder: path, clock: systemClock })
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
      remove()
    })
    return { store, bucket, env, drop }
  },
}

export const objectStores: readonly ObjectStage[] = [folder, s3]

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

/** The bytes as a body that comes in pieces, with a turn of the event loop between two. */
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
