import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../lib/unavailable.ts'
import type { CatalogueEntry, ReadHeader } from '../catalogue.ts'
import { faultOf } from '../fault.ts'
import type { Kind } from '../kinds.ts'
import { keyOf, parseKey } from '../names.ts'
import type { ObjectHead, ObjectRef } from '../object-store.ts'
import type { ImageParts } from '../parts.ts'
import type { FirstBytes } from './first-bytes.ts'
import type { FilePart } from './header-file.ts'
import { type Header, readHeader } from './read-header.ts'

interface ShapeReaderDeps extends ImageParts {
  /** Whether objects that are not images are set aside. */
  readonly imagesOnly: boolean
  /** An object younger than this that is no image may still be in the middle of a write. */
  readonly settledMs: number
}

const wakeMs = 1_000
const batchSize = 20
const atOnce = 4
/** Pause between batches: at least this, and at least as long as the last one took. So at most 200 objects a second. */
const pauseMs = 100

/** Reads the headers of images that are new in the catalogue, in the background. */
export class ShapeReader {
  readonly #deps: ShapeReaderDeps
  readonly #closing = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #reading: Promise<void> | null = null
  #isStarted = false
  #mustRepeat = false

  constructor(deps: ShapeReaderDeps) {
    this.#deps = deps
  }

  start(): void {
    this.#isStarted = true
    this.wake()
  }

  /** Called when there may be new images. */
  readonly wake = (): void => {
    if (!this.#isStarted || this.#closing.signal.aborted) return
    if (this.#reading) this.#mustRepeat = true
    else this.#timer ??= setTimeout(() => this.#start(), wakeMs).unref()
  }

  /** Whether headers are being read, or will be within a second. */
  get isBusy(): boolean {
    return this.#timer !== null || this.#reading !== null
  }

  /** Stores what the first bytes of an upload say. If they are not enough, the object is read like any other. */
  async learn({ bucket, name }: ObjectRef, etag: string, { bytes, size }: FirstBytes): Promise<void> {
    const { kinds, catalogue, log } = this.#deps
    const image = bucket === this.#deps.bucket ? parseKey(kinds, name) : null
    if (image === null) return
    const read = async ({ at, length }: FilePart) => bytes.subarray(at, at + length)
    try {
      const header = await readHeader({ size, read })
      catalogue.describe(image.kind, [{ filename: image.filename, etag, ...described(header, uploaded) }])
    } catch (error) {
      log.debug({ key: name, err: error }, 'could not read the header of an upload')
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    if (this.#timer) clearTimeout(this.#timer)
    await this.#reading
  }

  #start(): void {
    this.#timer = null
    this.#mustRepeat = false
    this.#reading = this.#readAll()
      .catch((error) => {
        // The catalogue is busy or the store is unavailable, which is logged elsewhere. The next listing retries.
        if (!this.#closing.signal.aborted) this.#deps.log.debug({ err: error }, 'could not read the headers of images')
      })
      .finally(() => {
        this.#reading = null
        if (this.#mustRepeat && !this.#closing.signal.aborted) this.wake()
      })
  }

  /** The kinds take turns, one batch each. */
  async #readAll(): Promise<void> {
    const { kinds, catalogue, clock } = this.#deps
    const { signal } = this.#closing
    let cursors = [...kinds].map((kind) => ({ kind, after: '' }))
    while (cursors.length > 0) {
      const unfinished: typeof cursors = []
      for (const { kind, after } of cursors) {
        const batch = catalogue.unread(kind, after, batchSize)
        const last = batch.at(-1)
        if (last === undefined) continue
        const startedAt = clock.monotonic()
        await this.#readBatch(kind, batch)
        if (batch.length === batchSize) unfinished.push({ kind, after: last.filename })
        await delay(Math.max(clock.monotonic() - startedAt, pauseMs), undefined, { signal })
      }
      cursors = unfinished
    }
  }

  async #readBatch(kind: Kind, batch: readonly CatalogueEntry[]): Promise<void> {
    const { catalogue, log, imagesOnly } = this.#deps
    const left = batch.values()
    const read: ReadHeader[] = []
    const readEach = async () => {
      for (const entry of left) {
        const found = await this.#read(kind, entry)
        if (found) read.push(found)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, readEach))
    this.#closing.signal.throwIfAborted()
    catalogue.describe(kind, read)
    const [first, ...others] = imagesOnly ? read.filter(({ fault }) => fault !== null) : []
    if (first)
      log.warn(
        { key: keyOf(kind, first.filename), fault: first.fault, others: others.length },
        'objects are not images, by their first bytes or their type: they are no longer chosen at random (CHOOSE_IMAGES_ONLY)',
      )
  }

  /** Null if the object has changed, cannot be read or must settle: it stays unread. */
  async #read(kind: Kind, entry: CatalogueEntry): Promise<ReadHeader | null> {
    const { store, bucket, clock, log, imagesOnly, settledMs } = this.#deps
    const { signal } = this.#closing
    const { filename, etag, size, modified } = entry
    const ref = { bucket, name: keyOf(kind, filename) }
    let head = uploaded
    try {
      const header = await readHeader({
        size,
        read: async ({ at, length }: FilePart) => {
          const range = { first: at, last: at + length - 1 }
          const reading = await store.readRange(ref, { ...entry, type: null }, range, signal)
          if (reading === null) throw new Error('the object has changed')
          head = reading.head
          return reading.whole()
        },
      })
      const isSettling = imagesOnly && header === 'no image' && Math.abs(clock.now() - modified) < settledMs
      if (isSettling) this.#mustRepeat = true
      return isSettling ? null : { filename, etag, ...described(header, head) }
    } catch (error) {
      if (error instanceof Unavailable || signal.aborted) throw error
      log.debug({ key: ref.name, err: error }, 'could not read the header of an image')
      return null
    }
  }
}

/** Every upload has an image type. */
const uploaded: Pick<ObjectHead, 'type'> = { type: null }

function described(header: Header, head: Pick<ObjectHead, 'type'>): Pick<ReadHeader, 'shape' | 'fault'> {
  const isImage = header !== 'no image'
  return { shape: isImage ? header : null, fault: faultOf(isImage, head) }
}
