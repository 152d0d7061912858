import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { giveBack } from '../lib/give-back.ts'
import { KeysByKind } from './keys-by-kind.ts'
import type { ObjectHead, ObjectReading, ObjectStore, WholeObject } from './object-store.ts'
import { headerLines, isEtag } from './served.ts'

/** An image in memory, with the lines of the headers that everybody is answered. */
export interface HeldImage {
  readonly head: ObjectHead
  readonly lines: string
  readonly bytes: Buffer
  /** Said once by everybody who got it, when he does not look at the bytes any more. */
  readonly letGo: () => void
}

export interface ImageCache {
  /** What may be served without a look at the store. */
  fresh(key: string): HeldImage | null
  has(key: string): boolean
  /** Any image of these kinds that is held, however old; each is equally likely. */
  any(of: readonly string[], random: () => number): HeldImage | null
  /** What is not held, but can be had of the store without waiting. */
  now(key: string): HeldImage | null
  /**
   * The image, from memory or the store, whoever else asks for it at the same time. One that is too large to be held
   * comes as a reading of the caller's own. Null where the store says that there is none. While the store is away,
   * what is held is served however old; anything else rejects with the reason.
   */
  load(key: string, signal: AbortSignal): Promise<HeldImage | ObjectReading | null>
  /** What is held, or being fetched, is not of the current version any more. */
  purge(key: string): void
  readonly figures: CacheFigures
}

export interface CacheFigures {
  /** Answers of `fresh`: images that it had, and that it had not. */
  readonly hits: number
  readonly misses: number
  readonly bytes: number
  readonly entries: number
}

interface CacheDeps {
  readonly store: ObjectStore
  readonly bucket: string
  readonly clock: Clock
  /** All that is held; 0 holds nothing. */
  readonly mostBytes: number
  /** How long an image is served before the store is asked again. */
  readonly freshMs: number
  /** Told of a key that the store definitely has not. */
  readonly onGone: (key: string, since: number) => void
  /** The mark of the changes that were made here; see Pool. */
  readonly mark: () => number
  readonly onStale: (key: string, reason: unknown) => void
}

/**
 * Its memory is given back at once when it is neither kept nor looked at any more. V8 would come to it only after tens
 * of megabytes, and then look through all there is: with many misses that would be most of the work.
 */
class Entry implements HeldImage {
  readonly head: ObjectHead
  readonly lines: string
  readonly bytes: Buffer
  freshUntil = 0
  #users = 0
  #isKept = true

  constructor(head: ObjectHead, bytes: Buffer) {
    this.head = head
    this.lines = headerLines(head)
    this.bytes = bytes
  }

  taken(): this {
    this.#users++
    return this
  }

  readonly letGo = (): void => {
    this.#users--
    this.#end()
  }

  drop(): void {
    this.#isKept = false
    this.#end()
  }

  #end(): void {
    if (this.#users === 0 && !this.#isKept) giveBack(this.bytes)
  }
}

/** One fetch, for everybody who asks meanwhile. */
interface Flight {
  readonly outcome: Promise<Entry | ObjectReading | null>
  readonly controller: AbortController
  waiting: number
  /** Taken by the first: a large image is read by each on his own. */
  isClaimed: boolean
  isStale: boolean
  isOver: boolean
}

export const mostHeldBytes = 8_388_608
/** Where nothing is held, or it is read without waiting, what is larger is better passed on than read whole. */
const mostUnheldBytes = 1_048_576
/** Of images on their way into memory at a time: beyond it they are passed on piece by piece, and not kept. */
const mostFillingBytes = 33_554_432
const retryStaleMs = 1_000
/** What an entry costs beside its bytes. */
const overheadBytes = 1_024

export function createImageCache(deps: CacheDeps): ImageCache {
  const { store, bucket, clock } = deps
  const entries =
    deps.mostBytes === 0
      ? null
      : new LRUCache<string, Entry>({
          maxSize: deps.mostBytes,
          sizeCalculation: ({ head }) => head.size + overheadBytes,
          dispose(entry, key) {
            keys.delete(key)
            entry.drop()
          },
        })
  const keys = new KeysByKind()
  const mostWholeBytes = entries === null ? mostUnheldBytes : mostHeldBytes
  const flights = new Map<string, Flight>()
  let filling = 0
  let hits = 0
  let misses = 0

  const fresh = (key: string) => {
    const entry = entries?.get(key)
    if (entry && entry.freshUntil > clock.monotonic()) {
      hits++
      return entry.taken()
    }
    misses++
    return null
  }

  const begin = (key: string): Flight => {
    const controller = new AbortController()
    const flight: Flight = {
      controller,
      outcome: fetchOne(key, controller.signal, () => flight.isStale).finally(() => {
        flight.isOver = true
        if (flights.get(key) === flight) flights.delete(key)
      }),
      waiting: 0,
      isClaimed: false,
      isStale: false,
      isOver: false,
    }
    flights.set(key, flight)
    return flight
  }

  /** Taken, and held if it may be. */
  const entered = (key: string, { head, bytes }: WholeObject, mayBeHeld: boolean): Entry => {
    const entry = new Entry(head, bytes).taken()
    entry.freshUntil = clock.monotonic() + deps.freshMs
    if (mayBeHeld) entries?.set(key, entry)
    if (entries?.peek(key) === entry) keys.add(key)
    else entry.drop()
    return entry
  }

  const now = (key: string): Entry | null => {
    if (entries?.has(key) || flights.has(key)) return null
    const found = store.readNow({ bucket, name: key }, mostUnheldBytes)
    return found !== null && found.head.size > 0 && isEtag(found.head.etag) ? entered(key, found, true) : null
  }

  /** What it answers is taken, for the flight. */
  const fetchOne = async (key: string, signal: AbortSignal, isStale: () => boolean) => {
    const place = { bucket, name: key }
    const since = deps.mark()
    const known = entries?.peek(key)?.taken()
    if (known) {
      const head = await store.head(place, signal).catch((error) => {
        known.letGo()
        throw error
      })
      if (head !== null && isSame(head, known.head)) {
        known.freshUntil = clock.monotonic() + deps.freshMs
        return known
      }
      known.letGo()
    }
    const reading = await store.read(place, signal)
    if (reading === null) {
      if (!isStale()) {
        entries?.delete(key)
        deps.onGone(key, since)
      }
      return null
    }
    const { head } = reading
    // What was held is of an older version, even where this one cannot be held.
    if (!isStale()) entries?.delete(key)
    // As the catalogue has it: an object without bytes is no image.
    if (head.size === 0 || !isEtag(head.etag)) {
      reading.discard()
      if (head.size > 0) throw new Error('the store answered an ETag that no header can carry')
      return null
    }
    if (head.size > mostWholeBytes || filling + head.size > mostFillingBytes) return reading
    filling += head.size
    try {
      return entered(key, { head, bytes: await reading.whole() }, !isStale())
    } finally {
      filling -= head.size
    }
  }

  return {
    fresh,
    now,
    get figures() {
      return { hits, misses, bytes: entries?.calculatedSize ?? 0, entries: entries?.size ?? 0 }
    },
    has: (key) => entries?.has(key) ?? false,
    any(of, random) {
      const key = keys.any(of, random)
      return key === null ? null : (entries?.get(key)?.taken() ?? null)
    },
    async load(key, signal) {
      const flight = flights.get(key) ?? begin(key)
      flight.waiting++
      try {
        const found = await unlessAborted(flight.outcome, signal)
        if (found === null) return found
        if ('bytes' in found) return found.taken()
        if (flight.isClaimed) return await store.read({ bucket, name: key }, signal)
        flight.isClaimed = true
        return found
      } catch (error) {
        const held = entries?.get(key)
        if (!held || signal.aborted) throw error
        // Of all who waited, one tells.
        if (held.freshUntil <= clock.monotonic()) deps.onStale(key, error)
        held.freshUntil = clock.monotonic() + retryStaleMs
        return held.taken()
      } finally {
        flight.waiting--
        if (flight.waiting === 0 && !flight.isClaimed) abandon(key, flight)
      }
    },
    purge(key) {
      entries?.delete(key)
      const flight = flights.get(key)
      if (flight) flight.isStale = true
      flights.delete(key)
    },
  }

  /** Nobody waits for it any more: what it has, or has opened, is let go at once. */
  function abandon(key: string, flight: Flight): void {
    if (flights.get(key) === flight) flights.delete(key)
    if (!flight.isOver) flight.controller.abort()
    flight.outcome.then(
      (found) => (found !== null && 'discard' in found ? found.discard() : found?.letGo()),
      () => {},
    )
  }
}

const isSame = (one: ObjectHead, other: ObjectHead) =>
  one.etag === other.etag && one.size === other.size && one.modified === other.modified && one.type === other.type

async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([outcome, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
