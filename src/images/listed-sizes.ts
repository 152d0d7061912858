import type { ObjectHead, ObjectRef, ObjectStore } from './object-store.ts'

/** The size of a version in the catalogue; null if that is not known. */
type SizeOf = (name: string, etag: string) => number | null

/**
 * Rejects a version whose length is not the listed one: a store that announces too short a length cuts the object off, and
 * what is left looks whole.
 */
export function withListedSizes(store: ObjectStore, bucket: string, sizeOf: SizeOf): ObjectStore {
  const check = (ref: ObjectRef, { etag, size }: ObjectHead) => {
    const listed = ref.bucket === bucket ? sizeOf(ref.name, etag) : null
    if (listed === null || listed === size) return
    throw new Error(`the object store announced ${size} bytes of an object, and has listed it with ${listed}`)
  }
  return {
    ...store,
    async head(ref, signal) {
      const head = await store.head(ref, signal)
      if (head !== null) check(ref, head)
      return head
    },
    async read(ref, signal) {
      const reading = await store.read(ref, signal)
      try {
        if (reading !== null) check(ref, reading.head)
        return reading
      } catch (error) {
        reading?.discard()
        throw error
      }
    },
  }
}
