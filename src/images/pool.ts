import { withTimeout } from '../lib/timeout.ts'
import { Unavailable } from '../lib/unavailable.ts'
import type { ImageSource } from './image-source.ts'
import type { Kind } from './kinds.ts'
import { parseKey } from './names.ts'
import type { ObjectHead } from './object-store.ts'
import type { ImageParts } from './parts.ts'
import { synchronize } from './synchronize.ts'
import { UnservedReport } from './unserved.ts'

export interface PoolDeps extends ImageParts {
  readonly source: ImageSource
  /** A change made outside of this service shows within this time if listing takes at most a fifth of it. */
  readonly refreshMs: number
  /** If set, listing more than `freeImages` again and again takes at most `maxShare` of a core. */
  readonly budget?: {
    readonly freeImages: number
    /** The CPU time that this process has used. */
    cpuMs(): number
  }
  /** Called after every complete listing. */
  readonly onListed?: () => void
  /** Called when there may be new images. */
  readonly onNew?: () => void
  /** Whether it is logged elsewhere that the store is unavailable. */
  readonly isStoreAway?: () => boolean
}

const maxShare = 0.05
const progressMs = 10_000
const firstPageTimeoutMs = 2_000
const retryMs = 2_000
const maxNamed = 100

/** Keeps the catalogue of random images up to date, by listing the store and by what the source learns. */
export class Pool {
  readonly #deps: PoolDeps
  readonly #firstPages: ReadonlyMap<Kind, PromiseWithResolvers<void>>
  readonly #ready = new Set<Kind>()
  readonly #closing = new AbortController()
  #refreshing: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #mustRestart = false
  #listings = 0
  #hasFailed = false
  #isFailureLogged = false
  /** When the last refresh ended, by the monotonic clock; null before the first. */
  refreshedAt: number | null = null
  /** By the last complete listing. */
  unserved: UnservedReport

  constructor(deps: PoolDeps) {
    this.#deps = deps
    this.unserved = new UnservedReport(deps.kinds, maxNamed)
    this.#firstPages = new Map([...deps.kinds].map((kind) => [kind, Promise.withResolvers<void>()]))
    deps.source.subscribe((key, head) => this.update(key, head))
  }

  /** Null if the kind can be chosen from; otherwise waits for its first page, and rejects if none arrives in time. */
  readonly ready = (kind: Kind): Promise<void> | null => {
    const { catalogue } = this.#deps
    if (!this.#ready.has(kind) && (catalogue.count(kind) > 0 || catalogue.isComplete(kind))) this.#ready.add(kind)
    if (this.#ready.has(kind)) return null
    const unavailable = () => Promise.reject(new Unavailable('the list of images'))
    const { promise } = this.#firstPages.get(kind) as PromiseWithResolvers<void>
    return this.#hasFailed ? unavailable() : withTimeout(promise, firstPageTimeoutMs, unavailable)
  }

  /** Lists the whole store, or joins the refresh in progress. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  /** Refreshes now and periodically from then on. */
  start(): void {
    void this.#repeat()
  }

  /** Refreshes once more after the refresh in progress, which may have listed too early. */
  restart(): void {
    this.#mustRestart = this.#timer === null
    if (this.#timer === null) return
    clearTimeout(this.#timer)
    void this.#repeat()
  }

  has(key: string): boolean {
    const { catalogue, kinds } = this.#deps
    const image = parseKey(kinds, key)
    return image !== null && catalogue.find(image.kind, image.filename) !== null
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#timer) clearTimeout(this.#timer)
    await this.#refreshing?.catch(() => {})
  }

  async #refresh(): Promise<void> {
    const { clock, log, kinds } = this.#deps
    const startedAt = clock.monotonic()
    const unserved = new UnservedReport(kinds, maxNamed)
    let isFirst: boolean | undefined
    let toldAt = startedAt
    const onPage = (kind: Kind) => {
      this.#ready.add(kind)
      this.#firstPages.get(kind)?.resolve()
      this.#deps.onNew?.()
      isFirst ??= !this.#isListed()
      if (!isFirst || clock.monotonic() - toldAt < progressMs) return
      toldAt = clock.monotonic()
      log.info({ images: this.#count() }, 'the first listing of the images is under way')
    }
    await synchronize({ ...this.#deps, signal: this.#closing.signal, unserved, onPage })
    this.#tellUnserved(unserved)
    this.unserved = unserved
    this.refreshedAt = clock.monotonic()
    this.#deps.onListed?.()
    if (toldAt === startedAt) return
    const seconds = Math.round((this.refreshedAt - startedAt) / 1_000)
    log.info({ images: this.#count(), seconds }, 'the first listing of the images is complete')
  }

  /** Once, and again when there are more. */
  #tellUnserved({ count, named: [first] }: UnservedReport): void {
    if (first === undefined || count <= this.unserved.count) return
    const others = count - 1
    this.#deps.log.warn(
      { key: first.name, why: first.why, others },
      'files are not served: their names have other characters than letters, digits, `.`, `_` and `-`, or two dots in a row, or they are empty or in a deeper folder',
    )
  }

  #isListed(): boolean {
    const { catalogue, kinds } = this.#deps
    return [...kinds].every((kind) => catalogue.isComplete(kind))
  }

  #count(): number {
    const { catalogue, kinds } = this.#deps
    return [...kinds].reduce((sum, kind) => sum + catalogue.count(kind), 0)
  }

  /** The first listing is no measure: it reads every file. */
  #restMs(usedMs: number): number {
    const { budget } = this.#deps
    return budget && this.#listings > 1 && this.#count() > budget.freeImages ? usedMs * (1 / maxShare - 1) : 0
  }

  async #repeat(): Promise<void> {
    const { clock, log, refreshMs, budget, isStoreAway = () => false } = this.#deps
    const startedAt = clock.monotonic()
    const usedBefore = budget?.cpuMs() ?? 0
    this.#timer = null
    try {
      await this.refresh()
      this.#listings++
      if (this.#isFailureLogged) log.info('the list of images is refreshed from the store again')
      this.#hasFailed = false
      this.#isFailureLogged = false
    } catch (error) {
      if (this.#closing.signal.aborted) return
      if (!this.#isFailureLogged && !isStoreAway()) {
        log.error({ err: error }, 'could not refresh the list of images from the store; the last one stays in use')
        this.#isFailureLogged = true
      }
      this.#hasFailed = true
    }
    const tookMs = clock.monotonic() - startedAt
    // A store that is slow to list gets a pause as long as the listing took.
    const usualMs = this.#hasFailed
      ? Math.min(retryMs, refreshMs)
      : Math.max(refreshMs * 0.8 - tookMs, tookMs, this.#restMs((budget?.cpuMs() ?? 0) - usedBefore))
    const pauseMs = this.#mustRestart && !this.#hasFailed ? 0 : usualMs
    this.#mustRestart = false
    if (!this.#closing.signal.aborted) this.#timer = setTimeout(() => this.#repeat(), pauseMs).unref()
  }

  /** Null: the store has no such object. */
  update(key: string, head: ObjectHead | null): void {
    const { catalogue, kinds, log, onNew } = this.#deps
    const image = parseKey(kinds, key)
    if (image === null) return
    try {
      if (head === null) catalogue.remove(image.kind, image.filename)
      else catalogue.put(image.kind, { filename: image.filename, ...head })
      onNew?.()
    } catch (error) {
      log.warn({ key, err: error }, 'could not update the list of images; the next refresh will')
    }
  }
}
