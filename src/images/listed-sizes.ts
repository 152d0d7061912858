import type { CatalogueEntry } from './catalogue.ts'
import { parseKey } from './names.ts'
import type { ObjectHead, ObjectRef, ObjectStore } from './object-store.ts'
import type { KnownImages } from './report-image.ts'

/**
 * For what is served to visitors: rejects a version whose length differs from the catalogue's. A store that announces
 * too short a length truncates the object, and the rest looks complete.
 */
export function withListedSizes(
  store: ObjectStore,
  { bucket, kinds, catalogue }: Omit<KnownImages, 'store'>,
): ObjectStore {
  /** Null also if the catalogue cannot be read: images are then served without this check. */
  const find = (name: string): CatalogueEntry | null => {
    const image = parseKey(kinds, name)
    try {
      return image && catalogue.find(image.kind, image.filename)
    } catch {
      return null
    }
  }
  const check = (ref: ObjectRef, { etag, size }: ObjectHead) => {
    const listed = ref.bucket === bucket ? find(ref.name) : null
    if (listed?.etag !== etag || listed.size === size) return
    throw new Error(`the object store announced ${size} bytes of an object that it had announced with ${listed.size}`)
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
