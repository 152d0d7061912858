import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import { Unavailable } from '../lib/unavailable.ts'
import type { Logger } from '../process/logger.ts'
import type { Catalogue, CatalogueEntry, Listing } from './catalogue.ts'
import { type Kind, kinds } from './kinds.ts'
import { type Place, placeOf, servedPlaceOf } from './names.ts'
import type { ListedObject, ObjectStore } from './object-store.ts'

/** Keeps the catalogue as the store is. */
export interface Pool {
  /** Whether the kind can be chosen from; if not, a promise that waits for its first page, and rejects where none came. */
  ready(kind: Kind): Promise<void> | null
  /** The object may have changed: asks the store, and takes what it says, or `otherwise` where it says nothing. Never rejects. */
  look(key: string, otherwise?: 'keep' | 'drop'): Promise<void>
  /** The object was definitely not there, if nothing was changed here since that mark. Never throws. */
  gone(key: string, since: number): void
  /** Grows with every object that may have been stored here. */
  mark(): number
  /** Compares all of it with the store, or joins the comparison that is under way. */
  refresh(): Promise<void>
  /** When that was last done to its end, by the monotonic clock; null before. */
  readonly comparedAt: number | null
  /** From now on that is done by itself. */
  start(): void
  close(): Promise<void>
}

interface PoolDeps {
  readonly store: ObjectStore
  readonly bucket: string
  readonly catalogue: Catalogue
  readonly clock: Clock
  readonly log: Logger
  /** A change behind our back shows within this time, where listing takes no longer than a fifth of it. */
  readonly refreshMs: number
  /** What is known of these keys is out of date. */
  readonly onChanged: (key: string) => void
  /** Somebody else logs that the store is away. */
  readonly isStoreAway?: () => boolean
}

interface Walk {
  readonly kind: Kind
  readonly listing: Listing
  readonly pages: AsyncIterator<readonly ListedObject[]>
}

const firstPageMs = 2_000
/** So many entries are compared before other requests have their turn: about a millisecond. */
const portion = 200

export function createPool(deps: PoolDeps): Pool {
  const { store, bucket, catalogue, clock, log, onChanged, isStoreAway = () => false } = deps
  const firstPages = new Map(kinds.map((kind) => [kind, Promise.withResolvers<void>()]))
  const seen = new Set<Kind>()
  const closing = new AbortController()
  let refreshing: Promise<void> | null = null
  let timer: NodeJS.Timeout | null = null
  let comparedAt: number | null = null
  let wasAway = false
  let isLogged = false
  let changes = 0
  /** The newest look at a key that is under way: what an older one is answered meanwhile may be out of date. */
  const looks = new Map<string, Promise<void>>()

  /** The kinds take turns, a page each, so that none waits for the whole of another. */
  const compare = async () => {
    let walks = kinds.map((kind): Walk => {
      const prefix = `${kind}/`
      const known = (key: string) => knownOf(catalogue.find(kind, key.slice(prefix.length)))
      const pages = store.list(bucket, { prefix, isFlat: true, known, signal: closing.signal })
      return { kind, listing: catalogue.listing(kind), pages: pages[Symbol.asyncIterator]() }
    })
    try {
      while (walks.length > 0) {
        const going: Walk[] = []
        for (const walk of walks) if (await step(walk)) going.push(walk)
        walks = going
      }
      comparedAt = clock.monotonic()
    } finally {
      await Promise.all(walks.map(({ pages }) => pages.return?.()))
    }
  }

  const step = async ({ kind, listing, pages }: Walk): Promise<boolean> => {
    listing.expect()
    const { value, done } = await pages.next()
    closing.signal.throwIfAborted()
    if (done) {
      for (let dropped = listing.end(); dropped !== null; dropped = listing.end()) await tell(kind, dropped)
    } else {
      const entries = value.flatMap(entryOf)
      for (let from = 0; from < entries.length; from += portion)
        await tell(kind, listing.take(entries.slice(from, from + portion)))
    }
    seen.add(kind)
    firstPages.get(kind)?.resolve()
    return !done
  }

  const tell = async (kind: Kind, filenames: readonly string[]) => {
    for (const filename of filenames) onChanged(`${kind}/${filename}`)
    await nextTurn()
    closing.signal.throwIfAborted()
  }

  const refresh = () => {
    refreshing ??= compare().finally(() => {
      refreshing = null
    })
    return refreshing
  }

  const repeat = async () => {
    const began = clock.monotonic()
    try {
      await refresh()
      if (isLogged) log.info('the list of images is compared with the store again')
      wasAway = false
      isLogged = false
    } catch (error) {
      if (closing.signal.aborted) return
      if (!isLogged && !isStoreAway()) {
        log.error({ err: error }, 'the list of images could not be compared with the store; the last one goes on')
        isLogged = true
      }
      wasAway = true
    }
    const tookMs = clock.monotonic() - began
    // A store that is away is asked again soon; one that takes long gets as long a rest.
    const pauseMs = wasAway ? Math.min(2_000, deps.refreshMs) : Math.max(deps.refreshMs * 0.8 - tookMs, tookMs)
    if (!closing.signal.aborted) timer = setTimeout(repeat, pauseMs).unref()
  }

  /** One that was overtaken ends with the newer one, so that what was stored shows when it has. */
  const look = (key: string, otherwise: 'keep' | 'drop' = 'keep'): Promise<void> => {
    changes++
    onChanged(key)
    const place = placeOf(key)
    if (place === null) return Promise.resolve()
    const own: Promise<void> = lookAt(key, place, otherwise, () => looks.get(key) === own).then(() => {
      if (looks.get(key) !== own) return looks.get(key)
      looks.delete(key)
    })
    looks.set(key, own)
    return own
  }

  const lookAt = async (
    key: string,
    { kind, filename }: Place,
    otherwise: 'keep' | 'drop',
    isNewest: () => boolean,
  ): Promise<void> => {
    try {
      const head = await store.head({ bucket, name: key })
      changes++
      // Once more: what was read while it changed may have been kept meanwhile.
      onChanged(key)
      if (!isNewest()) return
      if (head !== null && head.size > 0) catalogue.put(kind, { filename, ...head })
      else catalogue.remove(kind, filename)
    } catch (error) {
      log.warn({ key, err: error }, 'an object that changed could not be looked at; the next comparison will')
      if (otherwise === 'drop' && isNewest()) drop(key, { kind, filename })
    }
  }

  const drop = (key: string, { kind, filename }: Place) => {
    try {
      catalogue.remove(kind, filename)
    } catch (error) {
      log.warn({ key, err: error }, 'an object that is gone could not be taken from the list; the next comparison will')
    }
  }

  return {
    refresh,
    get comparedAt() {
      return comparedAt
    },
    ready(kind) {
      if (!seen.has(kind) && (catalogue.count(kind) > 0 || catalogue.isComplete(kind))) seen.add(kind)
      if (seen.has(kind)) return null
      const unavailable = () => Promise.reject(new Unavailable('the list of images'))
      const { promise } = firstPages.get(kind) as PromiseWithResolvers<void>
      // While the store is away, nobody waits for it.
      return wasAway ? unavailable() : withTimeout(promise, firstPageMs, unavailable)
    },
    look,
    mark: () => changes,
    gone(key, since) {
      // What was stored meanwhile is not what was looked for; the next comparison knows.
      if (since !== changes) return
      onChanged(key)
      const place = placeOf(key)
      if (place === null) return
      drop(key, place)
      // One or the other was overtaken: the store is asked once more.
      if (looks.has(key)) void look(key)
    },
    start: () => void repeat(),
    async close() {
      closing.abort()
      if (timer) clearTimeout(timer)
      await refreshing?.catch(() => {})
    },
  }
}

const knownOf = (entry: CatalogueEntry | null) =>
  entry && { etag: entry.etag, size: entry.size, modified: entry.modified }

/** Only what the proxy would serve. */
function entryOf(object: ListedObject): CatalogueEntry[] {
  const place = servedPlaceOf(object)
  const { etag, size, modified } = object
  return place ? [{ filename: place.filename, etag, size, modified }] : []
}
