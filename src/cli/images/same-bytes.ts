import type { ObjectHead, ObjectRef, ObjectStore } from '../../images/object-store.ts'
import type { LocalFile } from './local-file.ts'

interface Stored {
  readonly store: Pick<ObjectStore, 'read'>
  readonly place: ObjectRef
  readonly head: Pick<ObjectHead, 'etag' | 'size'>
  readonly signal: AbortSignal
}

/** Compares the ETag with the file's MD5; if they differ, the bytes, since an ETag need not be an MD5. */
export async function isSame(file: LocalFile, { store, place, head, signal }: Stored): Promise<boolean> {
  if (head.size !== file.size) return false
  if (head.etag.toLowerCase() === (await file.md5())) return true
  const reading = await store.read(place, signal)
  if (reading === null) return false
  return areEqual(reading.chunks(), file.chunks())
}

async function areEqual(one: AsyncIterable<Uint8Array>, other: AsyncIterable<Uint8Array>): Promise<boolean> {
  const rest = other[Symbol.asyncIterator]()
  let have: Uint8Array = new Uint8Array()
  for await (const piece of one) {
    for (let left = piece; left.length > 0; ) {
      if (have.length === 0) {
        const next = await rest.next()
        if (next.done) return false
        have = next.value
      }
      const length = Math.min(left.length, have.length)
      if (Buffer.compare(left.subarray(0, length), have.subarray(0, length)) !== 0) return false
      left = left.subarray(length)
      have = have.subarray(length)
    }
  }
  return have.length === 0 && (await rest.next()).done === true
}
