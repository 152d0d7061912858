import { mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bucket, kind } from './images-pool.ts'
import { type Server, startServer } from './server.ts'

export interface Store extends Server {
  /** Settings of a service that uses the store. */
  readonly s3: Readonly<Record<string, string>>
  /** Environment of a bare server that uses it. */
  readonly env: Readonly<Record<string, string>>
}

export interface StoreContents {
  /** Length of every object. */
  readonly objectBytes?: number
  /** The number of objects listed; if unset, listings fail. */
  readonly listed?: number
}

const keys = { S3_ACCESS_KEY_ID: 'bench-access-key', S3_SECRET_ACCESS_KEY: 'bench-secret-key' }
export const unreachableStore = { ...keys, S3_BUCKET: bucket, S3_ENDPOINT: 'http://127.0.0.1:9' }

/** A data folder with these images of one kind. */
export async function dataDirWith(folder: string, images: readonly (readonly [string, Buffer])[]): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const path = join(dataDir, 'objects', bucket, kind)
  await mkdir(path, { recursive: true, mode: 0o700 })
  for (const [name, bytes] of images) await writeFile(join(path, name), bytes)
  return dataDir
}

/** An S3 server in its own process, which costs its caller no more than a network would. */
export async function startStore(folder: string, contents: StoreContents): Promise<Store> {
  const { objectBytes = 0, listed } = contents
  const server = await startServer({
    script: 'bench/images-store.ts',
    readyPath: '/ready',
    env: { OBJECT_BYTES: String(objectBytes), ...(listed !== undefined && { LISTED: String(listed) }) },
    folder,
  })
  const endpoint = `http://127.0.0.1:${server.port}`
  return {
    ...server,
    s3: { ...keys, S3_BUCKET: bucket, S3_ENDPOINT: endpoint },
    env: { ENDPOINT: endpoint, ACCESS_KEY: keys.S3_ACCESS_KEY_ID, SECRET_KEY: keys.S3_SECRET_ACCESS_KEY },
  }
}
