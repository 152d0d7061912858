import { createHash } from 'node:crypto'
import { isIntact } from '../../images/checksum.ts'
import type { ObjectRef, ObjectStore, Stored, Upload } from '../../images/object-store.ts'

/** The MD5 of everything that these chunks contain. */
export async function md5Of(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const md5 = createHash('md5')
  for await (const chunk of chunks) md5.update(chunk)
  return md5.digest('hex')
}

/** The MD5 of the bytes, whatever the ETag; null if the object does not exist. */
export async function md5OfObject(store: Pick<ObjectStore, 'read'>, ref: ObjectRef, signal: AbortSignal) {
  const reading = await store.read(ref, signal)
  return reading && md5Of(reading.chunks())
}

/** Stores an object, and removes it again if the store, here called `name`, has other bytes than those that were sent. */
export async function put(store: ObjectStore, upload: Upload, name: string): Promise<Stored> {
  const stored = await store.write(upload)
  if (isIntact(stored)) return stored
  await store.remove(upload)
  throw new Error(`the ${name} did not store the bytes that were sent`)
}
