import { bucket } from './images-pool.ts'
import { type Server, startServer } from './server.ts'

export interface Store extends Server {
  /** What a service is given to use it. */
  readonly s3: Readonly<Record<string, string>>
  /** What a bare server is given. */
  readonly env: Readonly<Record<string, string>>
}

export interface StoreContents {
  /** Of every object; of those that are called large. */
  readonly objectBytes?: number
  readonly largeBytes?: number
  /** How many a listing shows; without it, listings fail. */
  readonly listed?: number
}

/** An S3 server in a process of its own, that costs the one who asks it no more than a network would. */
export async function startStore(folder: string, contents: StoreContents): Promise<Store> {
  const { objectBytes = 0, largeBytes = 0, listed } = contents
  const server = await startServer({
    script: 'bench/images-store.ts',
    readyPath: '/ready',
    env: {
      OBJECT_BYTES: String(objectBytes),
      LARGE_BYTES: String(largeBytes),
      ...(listed !== undefined && { LISTED: String(listed) }),
    },
    folder,
  })
  const endpoint = `http://127.0.0.1:${server.port}`
  const keys = { id: 'bench-access-key', secret: 'bench-secret-key' }
  return {
    ...server,
    s3: { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_ACCESS_KEY_ID: keys.id, S3_SECRET_ACCESS_KEY: keys.secret },
    env: { ENDPOINT: endpoint, ACCESS_KEY: keys.id, SECRET_KEY: keys.secret },
  }
}
