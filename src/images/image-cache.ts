import { LRUCache } from 'lru-cache'
import { freeBuffer } from '../lib/free-buffer.ts'
import { KeysByKind } from './keys-by-kind.ts'
import type { ObjectHead, WholeObject } from './object-store.ts'
import { headerLines } from './served.ts'

/* image-source.ts decides what is fetched, once for concurrent misses. */

/**
 * A reference-counted image in memory. Its bytes are freed once it has left the cache and no response is sending it. V8
 * would free them only after tens of megabytes, and then scan the whole heap: most of the work with many misses.
 */
export class CachedImage {
  readonly head: ObjectHead
  /** The headers for everybody. */
  readonly lines: string
  readonly bytes: Buffer
  freshUntil: number
  #references = 1
  #isCached = true

  /** Starts with one reference, the caller's. */
  constructor({ head, bytes }: WholeObject, freshUntil: number) {
    this.head = head
    this.lines = headerLines(head)
    this.bytes = bytes
    this.freshUntil = freshUntil
  }

  retain(): this {
    this.#references++
    return this
  }

  /** Called once per reference, when its owner no longer reads the bytes. */
  readonly release = (): void => {
    this.#references--
    this.#freeIfUnused()
  }

  evict(): void {
    this.#isCached = false
    this.#freeIfUnused()
  }

  #freeIfUnused(): void {
    if (this.#references === 0 && !this.#isCached) freeBuffer(this.bytes)
  }
}

export const maxCachedBytes = 8_388_608
const maxUncachedBytes = 1_048_576
/** What an entry takes on top of its bytes. */
const overheadBytes = 1_024

/** Called with a key whose versions other than this one (null: all) are outdated; null: every key may be. */
type ChangeListener = (key: string | null, etag: string | null) => void

/**
 * An LRU cache of images by key, and of their variants by key, `?` and variant. Whoever gets an image releases it.
 * `maxBytes` 0 caches nothing.
 */
export function createImageCache(maxBytes: number) {
  const keys = new KeysByKind()
  /** The ETags of the images that the cached variants of a key were made of. */
  const variants = new Map<string, Map<string, string>>()
  const listeners: ChangeListener[] = []
  const images = new LRUCache<string, CachedImage>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ head }) => head.size + overheadBytes,
    dispose(image, key) {
      keys.delete(key)
      forgetVariant(key)
      image.evict()
    },
  })
  const forgetVariant = (key: string) => {
    const [original = ''] = key.split('?')
    const others = variants.get(original)
    others?.delete(key)
    if (others?.size === 0) variants.delete(original)
  }
  const deleteVariants = (key: string, current: string | null) => {
    for (const [variant, etag] of [...(variants.get(key) ?? [])]) if (etag !== current) images.delete(variant)
    for (const listener of listeners) listener(key, current)
  }
  const metrics = { hits: 0, misses: 0, bytes: () => images.calculatedSize, entries: () => images.size }
  const get = (key: string) => images.get(key)?.retain() ?? null

  return {
    metrics,
    /** A larger image is streamed. */
    maxImageBytes: maxBytes === 0 ? maxUncachedBytes : maxCachedBytes,
    has: (key: string) => images.has(key),
    /** However old. */
    get,
    fresh(key: string, now: number): CachedImage | null {
      const image = images.get(key)
      if (image && image.freshUntil > now) {
        metrics.hits++
        return image.retain()
      }
      metrics.misses++
      return null
    },
    /** Any of these kinds, however old; each is equally likely. */
    any(kinds: readonly string[], random: () => number): { readonly key: string; readonly image: CachedImage } | null {
      const key = keys.any(kinds, random)
      const image = key === null ? null : get(key)
      return key === null || image === null ? null : { key, image }
    },
    /** `madeOf`: the ETag of its image, for a variant. */
    set(key: string, image: CachedImage, madeOf: string | null = null): void {
      images.set(key, image)
      // An image that exceeds `maxBytes` was not stored.
      if (!images.has(key)) return image.evict()
      if (madeOf === null) return keys.add(key)
      const [original = ''] = key.split('?')
      variants.set(original, (variants.get(original) ?? new Map<string, string>()).set(key, madeOf))
    },
    /** Also its variants, unless they were made of the version with this ETag. */
    delete(key: string, current: string | null = null): void {
      images.delete(key)
      deleteVariants(key, current)
    },
    deleteVariants,
    onChange: (listener: ChangeListener) => void listeners.push(listener),
    /** Marks all images as stale. */
    expire(): void {
      for (const image of images.values()) image.freshUntil = Number.NEGATIVE_INFINITY
      for (const listener of listeners) listener(null, null)
    },
  }
}

export type ImageCache = ReturnType<typeof createImageCache>
