import { setImmediate as nextTurn } from 'node:timers/promises'
import { batches } from '../../lib/batches.ts'
import { dayMs } from '../../lib/timestamps.ts'
import type { Catalogue } from '../catalogue.ts'
import type { HiddenImages } from '../hidden-images.ts'
import type { Kind } from '../kinds.ts'
import { parseKey } from '../names.ts'
import type { ImageParts } from '../parts.ts'
import type { DetailsStore } from './details-store.ts'
import type { KnownDetails } from './known-details.ts'

interface Deps extends Pick<ImageParts, 'kinds' | 'clock' | 'log'> {
  readonly store: DetailsStore
  readonly known: Pick<KnownDetails, 'described' | 'ready' | 'refresh'>
  readonly hidden: Pick<HiddenImages, 'has' | 'isKnown'>
  /** How long an image must have been absent from every complete listing. */
  readonly keepMs: number
}

/** Images per turn of the event loop. */
const batchSize = 100
/** Checking takes at most this share of the time. */
const maxShare = 0.02
/** An instance that stood still for longer reads everything again. */
const forgetAfterMs = dayMs

/** Ends the details of images that others have deleted. */
export class AbsentImages {
  readonly #deps: Deps
  readonly #closing = new AbortController()
  #checking: Promise<void> | null = null
  #nextAt = Number.NEGATIVE_INFINITY

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** A listing of all kinds is complete, and this is what it found. Never throws. */
  listed(catalogue: Catalogue): void {
    const { clock, known, hidden, log } = this.#deps
    const startedAt = clock.monotonic()
    if (this.#checking || startedAt < this.#nextAt || known.ready !== null || !hidden.isKnown) return
    this.#checking = this.check(catalogue)
      .catch((error) => {
        if (!this.#closing.signal.aborted)
          log.warn({ err: error }, 'could not check which images with details are gone')
      })
      .finally(() => {
        this.#checking = null
        this.#nextAt = clock.monotonic() + (clock.monotonic() - startedAt) / maxShare
      })
  }

  async check(catalogue: Catalogue): Promise<void> {
    const { store, known, clock, keepMs, log } = this.#deps
    const now = clock.now()
    const [gone, absent] = [await this.#gone(catalogue), await store.absent()]
    const isNew = [...gone].filter((name) => !absent.has(name))
    const isBack = [...absent.keys()].filter((name) => !gone.has(name) && this.#isListed(catalogue, name))
    const isOver = [...gone].filter((name) => (absent.get(name) ?? now) <= now - keepMs)
    for (const names of batches(isNew, batchSize)) await store.noteAbsent(names, now)
    for (const names of batches(isBack, batchSize)) await store.noteAbsent(names, null)
    let ended = 0
    for (const names of batches(isOver, batchSize)) ended += await store.end(names, now - keepMs)
    await store.forget(now - forgetAfterMs)
    if (ended === 0) return
    await known.refresh()
    log.info({ images: ended, days: keepMs / dayMs }, 'removed the details of images that are no longer in the store')
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#checking
  }

  /** The described images that the listing did not contain. */
  async #gone(catalogue: Catalogue): Promise<ReadonlySet<string>> {
    const gone = new Set<string>()
    const setAside = new Map<Kind, ReadonlySet<string>>()
    let left = batchSize
    for (const name of this.#deps.known.described()) {
      if (left-- === 0) {
        await nextTurn()
        this.#closing.signal.throwIfAborted()
        left = batchSize
      }
      const image = parseKey(this.#deps.kinds, name)
      if (image === null || !this.#isListed(catalogue, name)) continue
      const { kind, filename } = image
      if (catalogue.find(kind, filename) !== null || this.#deps.hidden.has(name)) continue
      const kept = setAside.get(kind) ?? namesSetAside(catalogue, kind)
      setAside.set(kind, kept)
      if (!kept.has(filename)) gone.add(name)
    }
    return gone
  }

  /** An empty listing proves nothing: the bucket or its folder may be another one. */
  #isListed(catalogue: Catalogue, name: string): boolean {
    const kind = name.slice(0, name.indexOf('/'))
    return this.#deps.kinds.has(kind) && catalogue.count(kind) + catalogue.countSetAside(kind) > 0
  }
}

function namesSetAside(catalogue: Catalogue, kind: Kind): ReadonlySet<string> {
  const names = new Set<string>()
  for (let after = '', isMore = catalogue.countSetAside(kind) > 0; isMore; ) {
    const page = catalogue.setAside(kind, after, batchSize)
    for (const { entry } of page) names.add(entry.filename)
    after = page.at(-1)?.entry.filename ?? after
    isMore = page.length === batchSize
  }
  return names
}
