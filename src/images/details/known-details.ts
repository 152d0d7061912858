import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLru } from '../../lib/lru.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Logger } from '../../process/logger.ts'
import type { ImageAct } from '../image-act.ts'
import type { Kind } from '../kinds.ts'
import type { ObjectRef } from '../object-store.ts'
import { PolledCopy } from '../polled-copy.ts'
import type { ImageDetails } from './details.ts'
import type {
  ChangedDetails,
  ChangedMarks,
  ChangePosition,
  DetailsChange,
  DetailsStore,
  Marks,
} from './details-store.ts'
import { type EndDetailsDeps, endDetails } from './end-details.ts'
import { MarksByImage } from './marks-by-image.ts'

interface Deps extends EndDetailsDeps {
  readonly store: DetailsStore
  readonly log: Logger
}

/** Rows per turn of the event loop. */
const pageSize = 200

const maxSources = 10_000

const start: ChangePosition = { version: 0, name: '' }
/** After every name of a version. */
const lastName = '\u007f'
const none: readonly string[] = []

/**
 * The details of images. Each instance keeps in memory which images have some, their tags and whether there is a
 * source, and checks for changes once a second; it reads the rest from the database.
 */
export class KnownDetails extends PolledCopy {
  readonly #deps: Deps
  readonly #listeners: ((kind: Kind, filename: string) => void)[] = []
  readonly #marks = new MarksByImage()
  readonly #sources = createLru<string>(maxSources)
  readonly #firstRead = Promise.withResolvers<void>()
  #isRead = false
  #position = start

  constructor(deps: Deps) {
    super()
    this.#deps = deps
  }

  /** Null once all have been read from the database for the first time. */
  get ready(): Promise<void> | null {
    return this.#isRead ? null : this.#firstRead.promise
  }

  /** The tags of an image: the same array until they change. */
  of(kind: Kind, filename: string): readonly string[] {
    return this.#marks.get(kind, filename)?.tags ?? none
  }

  /** The names of all images with details. */
  described(): Iterable<string> {
    return this.#marks.keys()
  }

  /** Where the image is from, for a header: null if that is unknown or cannot be read now. */
  sourceOf(name: string): MaybePromise<string | null> {
    if (this.#isRead && !this.#marksOf(name)?.hasSource) return null
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    const { version } = this.#position
    const read = async () => {
      const source = (await this.find([name])).get(name)?.source ?? null
      if (source !== null && version === this.#position.version) this.#sources.set(name, source)
      return source
    }
    return read().catch(() => null)
  }

  /** The listener is called after the tags of an image have changed, also by the first reading. It must not throw. */
  subscribe(listener: (kind: Kind, filename: string) => void): void {
    this.#listeners.push(listener)
  }

  /** The details of these images, without those that have none. */
  async find(names: readonly string[]): Promise<ReadonlyMap<string, ImageDetails>> {
    return this.#isRead && this.#marks.size === 0 ? new Map() : this.#deps.store.find(names)
  }

  async change(act: ImageAct, changes: readonly DetailsChange[]): Promise<readonly ChangedDetails[]> {
    const changed = await this.#deps.store.change(act, changes)
    await this.#follow()
    return changed
  }

  /** The object has been deleted. Never rejects. */
  async end(ref: ObjectRef): Promise<void> {
    try {
      if (await endDetails(this.#deps, ref)) await this.#follow()
    } catch (error) {
      this.#deps.log.warn({ ...ref, err: error }, 'could not remove the details of a deleted image')
    }
  }

  /** The change is stored: if it cannot be read now, the next check does. */
  #follow(): Promise<void> {
    return this.refresh().catch((error) =>
      this.#deps.log.warn({ err: error }, 'could not read which image details have changed; trying again'),
    )
  }

  protected override async read(): Promise<void> {
    const { store } = this.#deps
    const { version, forgotten } = await store.versions()
    if (version === this.#position.version && this.#isRead) return
    if (this.#isRead && this.#position.version < forgotten) this.#forget()
    for (let isMore = true; isMore; ) {
      const page = await store.changes(this.#position, pageSize)
      for (const changed of page) this.#take(changed)
      this.#position = page.at(-1) ?? this.#position
      isMore = page.length === pageSize
      if (isMore) await nextTurn()
    }
    if (this.#position.version < version) this.#position = { version, name: lastName }
    this.#isRead = true
    this.#firstRead.resolve()
  }

  /** This instance stood still for so long that the database no longer knows what was removed meanwhile. */
  #forget(): void {
    for (const name of [...this.#marks.keys()]) this.#take({ ...start, name, marks: null })
    this.#position = start
  }

  #marksOf(name: string): Marks | undefined {
    return this.#marks.get(...partsOf(name))
  }

  #take({ name, marks }: ChangedMarks): void {
    const [kind, filename] = partsOf(name)
    this.#sources.delete(name)
    const before = this.of(kind, filename)
    if (marks === null) this.#marks.delete(kind, filename)
    else this.#marks.set(kind, filename, marks)
    if (String(before) !== String(this.of(kind, filename)))
      for (const listener of this.#listeners) listener(kind, filename)
  }
}

function partsOf(name: string): readonly [kind: Kind, filename: string] {
  const slash = name.indexOf('/')
  return [name.slice(0, slash), name.slice(slash + 1)]
}
