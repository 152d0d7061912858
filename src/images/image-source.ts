import { createLru } from '../lib/lru.ts'
import { unlessAborted } from '../lib/unless-aborted.ts'
import { CachedImage, type ImageCache, maxCachedBytes } from './image-cache.ts'
import type { ImageNews } from './image-news.ts'
import { parseKey } from './names.ts'
import type { ByteRange, ObjectHead, ObjectReading, ObjectRef, WholeObject } from './object-store.ts'
import type { ImageParts } from './parts.ts'
import { isImage, isSameVersion } from './served.ts'

/** How much a request wants of the version with this head. */
export type Want = (head: ObjectHead) => 'head' | 'whole' | ByteRange

/** A version that is not in memory, opened as far as wanted: there is no reading if only the head is. */
export interface OpenedImage {
  readonly head: ObjectHead
  readonly reading: ObjectReading | null
}

/** Called with the version of a key that the store has now; null if it has none. Must not throw. */
type Listener = (key: string, head: ObjectHead | null) => void

interface SourceDeps extends Omit<ImageParts, 'catalogue'> {
  readonly cache: ImageCache
  /** How long an image is served before the store is asked again. */
  readonly freshMs: number
  readonly isHidden: (key: string) => boolean
  /** Tells the other instances. */
  readonly publish: ImageNews['publish']
}

/** Single-flight: one fetch of a key at a time. */
interface Flight {
  readonly outcome: Promise<CachedImage | ObjectReading | null>
  readonly controller: AbortController
  waiting: number
  /** One waiter takes the reading of a large image; the others open their own. */
  isClaimed: boolean
  isOver: boolean
}

/** Total of all images being read into memory; beyond it, images are streamed. */
const maxLoadingBytes = 33_554_432
const retryStaleMs = 1_000
const maxRememberedWrites = 10_000
/** How often a request retries if the object is overwritten between two requests to the store. */
const maxAttempts = 3

/**
 * The images of a bucket, and the only owner of their versions: decides whether to use memory, a HEAD or a GET, fetches
 * an image once for all concurrent requests (single-flight), revalidates what is stale, purges what has changed.
 */
export class ImageSource {
  readonly #deps: SourceDeps
  readonly #flights = new Map<string, Flight>()
  readonly #listeners: Listener[] = []
  /** The newest recheck of each key: an older one may have an outdated response. */
  readonly #rechecks = new Map<string, Promise<void>>()
  /** Grows with every possible write; `#lastWrites` has its value at the last write of each key. */
  #writes = 0
  readonly #lastWrites = createLru<number>(maxRememberedWrites)
  #loadingBytes = 0

  constructor(deps: SourceDeps) {
    this.#deps = deps
  }

  subscribe(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** The image, or what is cached of it under another key, if it is fresh in memory. The caller releases it. */
  fresh(key: string, cachedAs = key): CachedImage | null {
    const { cache, clock, isHidden } = this.#deps
    return isHidden(key) ? null : cache.fresh(cachedAs, clock.monotonic())
  }

  /** Any image of these kinds in memory, however old. The caller releases it. */
  any(kinds: readonly string[], random: () => number) {
    return this.#deps.cache.any(kinds, random)
  }

  /**
   * As much of the image as is wanted (null: all); null if the store has none or it is hidden. While the store is down,
   * serves a cached image of any age; other failures reject. The caller releases the image or ends its reading.
   */
  async find(key: string, want: Want | null, signal: AbortSignal): Promise<CachedImage | OpenedImage | null> {
    if (this.#deps.isHidden(key)) return null
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const found = await this.#open(key, want, signal)
      if (found !== 'overwritten') return found
    }
    throw new Error(`the object was overwritten during each of ${maxAttempts} attempts to read it`)
  }

  /**
   * This instance may have changed the object: purges it and tells listeners what the store says, or if it is silent,
   * with `drop`, that it is gone. Never rejects. A recheck that a newer one overtakes ends with that one.
   */
  async recheck({ bucket, name: key }: ObjectRef, ifUnknown: 'keep' | 'drop'): Promise<void> {
    if (bucket !== this.#deps.bucket || parseKey(this.#deps.kinds, key) === null) return
    this.#deps.publish({ key, isGone: ifUnknown === 'drop' })
    await this.follow(key, ifUnknown)
  }

  /** The same for a change by another instance. */
  follow(key: string, ifUnknown: 'keep' | 'drop'): Promise<void> {
    if (parseKey(this.#deps.kinds, key) === null) return Promise.resolve()
    this.#written(key)
    const isNewest = () => this.#rechecks.get(key) === own
    const own: Promise<void> = this.#recheck(key, ifUnknown, isNewest).then(() => {
      if (!isNewest()) return this.#rechecks.get(key)
      this.#rechecks.delete(key)
    })
    this.#rechecks.set(key, own)
    return own
  }

  isRechecking(key: string): boolean {
    return this.#rechecks.has(key)
  }

  /** Any image may have changed: revalidates each before it is served again. */
  doubt(): void {
    this.#flights.clear()
    this.#deps.cache.expire()
  }

  /** Drops what is cached or being fetched: it is not the current version. */
  purge(key: string): void {
    this.#deps.cache.delete(key)
    this.#flights.delete(key)
  }

  async #open(key: string, want: Want | null, signal: AbortSignal) {
    const { cache, store } = this.#deps
    if (want !== null && !cache.has(key)) {
      const writes = this.#writes
      const head = await store.head(this.#ref(key), signal)
      if (head === null) this.#gone(key, writes)
      if (head === null || !isImage(head)) return null
      cache.deleteVariants(key, head.etag)
      const wanted = want(head)
      if (wanted === 'head') return { head, reading: null }
      if (wanted !== 'whole' && head.size > maxCachedBytes) return this.#openRange(key, head, wanted, signal)
    }
    const found = await this.#load(key, signal)
    if (found === null || found instanceof CachedImage) return found
    const { head } = found
    const wanted = want?.(head) ?? 'whole'
    if (wanted === 'whole') return { head, reading: found }
    found.discard()
    return wanted === 'head' ? { head, reading: null } : this.#openRange(key, head, wanted, signal)
  }

  async #openRange(key: string, head: ObjectHead, range: ByteRange, signal: AbortSignal) {
    const reading = await this.#deps.store.readRange(this.#ref(key), head, range, signal)
    return reading === null ? 'overwritten' : { head, reading }
  }

  async #load(key: string, signal: AbortSignal): Promise<CachedImage | ObjectReading | null> {
    const { cache, clock, log, store } = this.#deps
    const flight = this.#flights.get(key) ?? this.#startFlight(key)
    flight.waiting++
    try {
      const found = await unlessAborted(flight.outcome, signal)
      if (found === null) return null
      if (found instanceof CachedImage) return found.retain()
      if (flight.isClaimed) return await store.read(this.#ref(key), signal)
      flight.isClaimed = true
      return found
    } catch (error) {
      const stale = signal.aborted ? null : cache.get(key)
      if (stale === null) throw error
      // Only the first waiter logs it.
      if (stale.freshUntil <= clock.monotonic())
        log.warn({ key, err: error }, 'serving a stale image: the object store is unavailable')
      stale.freshUntil = clock.monotonic() + retryStaleMs
      return stale
    } finally {
      flight.waiting--
      if (flight.waiting === 0 && !flight.isClaimed) this.#endFlight(key, flight)
    }
  }

  #startFlight(key: string): Flight {
    const controller = new AbortController()
    const isCurrent = () => this.#flights.get(key) === flight
    const outcome = this.#fetch(key, controller.signal, isCurrent).finally(() => {
      flight.isOver = true
      if (isCurrent()) this.#flights.delete(key)
    })
    const flight: Flight = { outcome, controller, waiting: 0, isClaimed: false, isOver: false }
    this.#flights.set(key, flight)
    return flight
  }

  /** No caller waits for the flight any longer: what it holds or opens is closed. */
  #endFlight(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key)
    if (!flight.isOver) flight.controller.abort()
    flight.outcome.then(
      (found) => (found instanceof CachedImage ? found.release() : found?.discard()),
      () => {},
    )
  }

  /** A returned image has one reference, the flight's. */
  async #fetch(key: string, signal: AbortSignal, isCurrent: () => boolean) {
    const { cache, clock, freshMs, store } = this.#deps
    const ref = this.#ref(key)
    const writes = this.#writes
    const stale = cache.get(key)
    if (stale !== null) {
      const head = await store.head(ref, signal).catch((error) => {
        stale.release()
        throw error
      })
      if (head !== null && isSameVersion(head, stale.head)) {
        stale.freshUntil = clock.monotonic() + freshMs
        return stale
      }
      stale.release()
    }
    const reading = await store.read(ref, signal)
    // The cached version is older, even if this one cannot be cached.
    if (isCurrent()) cache.delete(key, reading?.head.etag)
    if (reading === null) {
      if (isCurrent()) this.#gone(key, writes)
      return null
    }
    const { head } = reading
    if (!isImage(head)) {
      reading.discard()
      if (head.size > 0)
        throw new Error(`the store sent an ETag that no header can carry: ${JSON.stringify(head.etag)}`)
      return null
    }
    if (head.size > cache.maxImageBytes || this.#loadingBytes + head.size > maxLoadingBytes) return reading
    this.#loadingBytes += head.size
    try {
      return this.#admit(key, { head, bytes: await reading.whole() }, isCurrent())
    } finally {
      this.#loadingBytes -= head.size
    }
  }

  #admit(key: string, object: WholeObject, isCurrent: boolean): CachedImage {
    const { cache, clock, freshMs } = this.#deps
    const image = new CachedImage(object, clock.monotonic() + freshMs)
    if (isCurrent) cache.set(key, image)
    else image.evict()
    return image
  }

  #written(key: string): void {
    this.#lastWrites.set(key, ++this.#writes)
    this.purge(key)
  }

  /** The store has no such object, unless it was written after the store was asked. */
  #gone(key: string, writes: number): void {
    if ((this.#lastWrites.get(key) ?? 0) > writes) return
    this.purge(key)
    this.#tell(key, null)
    this.#deps.publish({ key, isGone: true })
    // Either response may be the older one.
    if (this.#rechecks.has(key)) void this.follow(key, 'keep')
  }

  async #recheck(key: string, ifUnknown: 'keep' | 'drop', isNewest: () => boolean): Promise<void> {
    try {
      const head = await this.#deps.store.head(this.#ref(key))
      // Once more: what was read during the change may have been cached meanwhile.
      this.#written(key)
      if (isNewest()) this.#tell(key, head !== null && head.size > 0 ? head : null)
    } catch (error) {
      this.#deps.log.warn({ key, err: error }, 'could not recheck a changed object; the next listing will')
      if (ifUnknown === 'drop' && isNewest()) this.#tell(key, null)
    }
  }

  #tell(key: string, head: ObjectHead | null): void {
    for (const listener of this.#listeners) listener(key, head)
  }

  #ref(key: string): ObjectRef {
    return { bucket: this.#deps.bucket, name: key }
  }
}
