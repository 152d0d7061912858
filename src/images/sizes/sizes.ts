import { createHash } from 'node:crypto'
import { Refused } from '../../http/refusal.ts'
import { createLru } from '../../lib/lru.ts'
import { createSemaphore } from '../../lib/semaphore.ts'
import { unlessAborted } from '../../lib/unless-aborted.ts'
import { errors } from '../errors.ts'
import { CachedImage, type ImageCache } from '../image-cache.ts'
import type { ImageSource } from '../image-source.ts'
import type { ObjectHead, WholeObject } from '../object-store.ts'
import type { ImageParts } from '../parts.ts'
import type { Looks } from './looks.ts'
import { makeVariant, type Without } from './make-variant.ts'
import { NoResizer, type Resizer, type SizeFiles } from './resizer.ts'
import { formatOf, type Size, type SizeQuery, sizeOf, type Variant, variantOf } from './size.ts'

export interface SizesDeps extends Pick<ImageParts, 'store' | 'bucket' | 'clock' | 'log'> {
  readonly source: Pick<ImageSource, 'find'>
  readonly cache: ImageCache
  readonly files: SizeFiles
  readonly resizer: Resizer
  readonly looks: Pick<Looks, 'find' | 'save' | 'saveUndecodable'>
  /** Ascending. */
  readonly widths: readonly number[]
  /** How long a variant is served before the store is asked again whether the image is still the same. */
  readonly freshMs: number
  readonly isHidden: (key: string) => boolean
  /** Whose turn it is when many wait. */
  readonly networkOf: (address: string) => string
}

type Found = CachedImage | Without['why'] | null

/** Single-flight: a variant of an image is found or made once for all concurrent requests. */
interface Flight {
  readonly outcome: Promise<Found>
  readonly controller: AbortController
  /** Of those who have asked, the first one first. */
  readonly networks: Set<string>
  /** While it waits to be made, lets the turn of another one count too. */
  share: (network: string) => void
  waiting: number
  /** The ETag of the image, once it is known. */
  etag: string | null
}

const maxWaiting = 256
/** Shorter than a stop waits for requests. */
const maxWaitMs = 8_000
const maxRemembered = 10_000
const rememberedMs = 600_000
const retryStaleMs = 1_000

/**
 * Finds the variants of images in memory and on disk, or makes them. The source remains the owner of an image's
 * version: a variant is named by the ETag of the bytes that it was made of, and leaves memory together with them.
 */
export class Sizes {
  /** By outcome, of what was not in memory. */
  readonly counts = { made: 0, disk: 0, refused: 0, busy: 0 }
  readonly #deps: SizesDeps
  readonly #permits: ReturnType<typeof createSemaphore>
  readonly #flights = new Map<string, Map<string, Flight>>()
  /** Versions that have no variants, and until when. */
  readonly #withouts = createLru<{ readonly why: Without['why']; readonly until: number }>(maxRemembered)
  #isOff = false
  /** So that the database is not closed before. */
  #saving: Promise<void> = Promise.resolve()

  constructor(deps: SizesDeps) {
    this.#deps = deps
    const onFull = () => {
      this.counts.busy++
      return new Refused(errors.resizerBusy)
    }
    this.#permits = createSemaphore({ max: deps.resizer.max, maxWaiting, onFull, onTimeout: onFull })
    // No later request may get what is being made of another version.
    deps.cache.onChange((key, etag) => {
      if (key === null) return this.#flights.clear()
      const flights = this.#flights.get(key)
      for (const [id, flight] of flights ?? [])
        if (etag === null || (flight.etag !== null && flight.etag !== etag)) flights?.delete(id)
    })
  }

  /** What a request asks for; null for the image as stored, also if it turned out that nothing can be resized here. */
  sizeOf(query: SizeQuery): Size | null {
    return this.#isOff ? null : sizeOf(query, this.#deps.widths)
  }

  variantOf(size: Size, accept: string | undefined): Variant {
    return variantOf(size, accept, this.#deps.widths)
  }

  /** How many wait to be made. */
  get waiting(): number {
    return this.#permits.waiting
  }

  memoryBytes(): number {
    return this.#deps.resizer.memoryBytes()
  }

  diskBytes(): number | null {
    return this.#deps.files.bytes()
  }

  /** The variant, which the caller releases; null if the store has no such image or it is hidden. */
  async find(key: string, variant: Variant, address: string, signal: AbortSignal): Promise<Found> {
    const flight = this.#flights.get(key)?.get(variant.id) ?? this.#startFlight(key, variant)
    const network = this.#deps.networkOf(address)
    flight.networks.add(network)
    flight.share(network)
    flight.waiting++
    try {
      const found = await unlessAborted(flight.outcome, signal)
      if (found === 'not resizable') this.counts.refused++
      return found instanceof CachedImage ? found.retain() : found
    } finally {
      flight.waiting--
      if (flight.waiting === 0) this.#endFlight(key, variant, flight)
    }
  }

  async close(): Promise<void> {
    this.#permits.rejectWaiting(new Refused(errors.resizerBusy))
    await this.#deps.resizer.close()
    await this.#deps.files.close()
    await this.#saving
  }

  #startFlight(key: string, variant: Variant): Flight {
    const start = Promise.withResolvers<void>()
    const flight: Flight = {
      outcome: start.promise.then(() => this.#findOnce(key, variant, flight)),
      controller: new AbortController(),
      networks: new Set(),
      share: () => {},
      waiting: 0,
      etag: null,
    }
    const flights = this.#flights.get(key) ?? new Map<string, Flight>()
    this.#flights.set(key, flights.set(variant.id, flight))
    start.resolve()
    return flight
  }

  /** Nobody waits for it any longer: it leaves the queue, or ends what it has begun, which is kept on disk. */
  #endFlight(key: string, variant: Variant, flight: Flight): void {
    const flights = this.#flights.get(key)
    if (flights?.get(variant.id) === flight) flights.delete(variant.id)
    if (flights?.size === 0) this.#flights.delete(key)
    flight.controller.abort()
    flight.outcome.then(
      (found) => found instanceof CachedImage && found.release(),
      () => {},
    )
  }

  /** A variant that it returns has one reference, the flight's. */
  async #findOnce(key: string, variant: Variant, flight: Flight): Promise<Found> {
    const { cache, clock, files, freshMs, log } = this.#deps
    const stale = cache.get(variantKey(key, variant))
    try {
      const head = await this.#headOf(key, flight.controller.signal)
      if (head === null) return null
      flight.etag = head.etag
      const freshUntil = clock.monotonic() + freshMs
      const name = this.#nameOf(key, head, variant)
      if (stale?.head.etag !== name || stale.head.modified !== head.modified)
        return await this.#findVersion(key, head, variant, flight, freshUntil)
      stale.freshUntil = freshUntil
      files.touch(name)
      return stale.retain()
    } catch (error) {
      if (stale === null || error instanceof Refused || flight.controller.signal.aborted) throw error
      log.warn({ key, err: error }, 'serving a stale image: the object store is unavailable')
      stale.freshUntil = clock.monotonic() + retryStaleMs
      return stale.retain()
    } finally {
      stale?.release()
    }
  }

  async #headOf(key: string, signal: AbortSignal): Promise<ObjectHead | null> {
    const { cache, clock, isHidden, source } = this.#deps
    if (isHidden(key)) return null
    const cached = cache.get(key)
    cached?.release()
    if (cached && cached.freshUntil > clock.monotonic()) return cached.head
    const found = await source.find(key, () => 'head', signal)
    if (found instanceof CachedImage) found.release()
    return found?.head ?? null
  }

  async #findVersion(key: string, head: ObjectHead, variant: Variant, flight: Flight, freshUntil: number) {
    const remembered = this.#remembered(key, head, variant)
    if (remembered !== null) return remembered
    const bytes = await this.#deps.files.read(this.#nameOf(key, head, variant))
    if (bytes !== null) this.counts.disk++
    const found = bytes === null ? await this.#make(key, head, variant, flight) : { head, bytes }
    if (found === null || typeof found === 'string') return found
    const isCurrent = this.#flights.get(key)?.get(variant.id) === flight
    return this.#admit(key, variant, found, isCurrent ? freshUntil : null)
  }

  /** Of the version that the store has by then, perhaps a newer one. */
  async #make(key: string, head: ObjectHead, variant: Variant, flight: Flight) {
    const { files, log, looks } = this.#deps
    const [first = ''] = flight.networks
    try {
      const needsLook = (of: ObjectHead) => this.#needsLook(key, of)
      const act = () => makeVariant({ ...this.#deps, needsLook }, key, head, variant)
      const made = await this.#permits.run(act, {
        signal: flight.controller.signal,
        timeoutMs: maxWaitMs,
        of: first,
        onWait: (share) => {
          flight.share = share
          for (const network of flight.networks) share(network)
        },
      })
      if (made === null) return null
      if ('why' in made) return this.#remember(key, variant, made)
      this.counts.made++
      const { look, head: of } = made
      if (look !== null) this.#save(key, () => looks.save(key, { ...look, etag: of.etag }))
      files.write(this.#nameOf(key, made.head, variant), made.bytes)
      return made
    } catch (error) {
      if (!(error instanceof NoResizer)) throw error
      log.error({ err: error }, 'images cannot be resized')
      if (!error.isFinal) throw new Refused(errors.resizerBusy)
      this.#isOff = true
      return 'as stored'
    }
  }

  async #needsLook(key: string, { etag }: ObjectHead): Promise<boolean> {
    // Without the database, the next size will tell.
    const known = await this.#deps.looks.find([key]).catch(() => null)
    return known !== null && known.get(key)?.etag !== etag
  }

  /** Nobody waits for it. */
  #save(key: string, save: () => Promise<void>): void {
    const { log } = this.#deps
    this.#saving = this.#saving
      .then(save)
      .catch((error) => log.warn({ key, err: error }, 'could not save what is known of the decoding of an image'))
  }

  #admit(key: string, variant: Variant, { head, bytes }: WholeObject, freshUntil: number | null): CachedImage {
    const { cache } = this.#deps
    const etag = this.#nameOf(key, head, variant)
    const type = `image/${formatOf(bytes)}`
    const of = { etag, size: bytes.length, modified: head.modified, type }
    const image = new CachedImage({ head: of, bytes }, freshUntil ?? 0)
    if (freshUntil === null || bytes.length > cache.maxImageBytes) image.evict()
    else cache.set(variantKey(key, variant), image, head.etag)
    return image
  }

  #remember(key: string, variant: Variant, without: Without): Without['why'] {
    const { clock, log, looks } = this.#deps
    const { head, why, lasting, reason, isUndecodable } = without
    if (isUndecodable) this.#save(key, () => looks.saveUndecodable({ name: key, etag: head.etag }))
    if (why === 'not resizable') log.warn({ key, width: variant.width, reason }, 'an image could not be resized')
    const until = clock.monotonic() + (lasting === 'for a while' ? rememberedMs : Infinity)
    const of = versionKey(key, head) + (lasting === 'for this format' ? variant.id : '')
    if (lasting !== 'not at all') this.#withouts.set(of, { why, until })
    return why
  }

  #remembered(key: string, head: ObjectHead, variant: Variant): Without['why'] | null {
    const version = versionKey(key, head)
    const found = this.#withouts.get(version) ?? this.#withouts.get(version + variant.id)
    return found && found.until > this.#deps.clock.monotonic() ? found.why : null
  }

  /** The ETag of a variant, and the name of its file. */
  #nameOf(key: string, head: ObjectHead, { id }: Variant): string {
    const of = [this.#deps.resizer.recipe, id, versionKey(key, head)].join('\n')
    return createHash('sha256').update(of).digest('hex').slice(0, 32)
  }
}

/** In the cache. No name of an image contains a question mark. */
export const variantKey = (key: string, { id }: Variant) => `${key}?${id}`

const versionKey = (key: string, { etag }: ObjectHead) => `${key}\n${etag}\n`
