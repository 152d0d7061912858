import type { Kind } from '../kinds.ts'
import { keyOf } from '../names.ts'
import type { Marks } from './details-store.ts'

/** How many unused marks are kept at least. */
const spare = 1_000

/** The marks of the images with details. Images with the same tags share them. */
export class MarksByImage {
  readonly #kinds = new Map<Kind, Map<string, Marks>>()
  readonly #shared = new Map<string, Marks>()
  readonly #tags = new Map<string, string>()
  size = 0

  get(kind: Kind, filename: string): Marks | undefined {
    return this.#kinds.get(kind)?.get(filename)
  }

  /** Keeps the marks that the image has if they are the same. */
  set(kind: Kind, filename: string, marks: Marks): void {
    const known = this.get(kind, filename)
    if (known !== undefined && keyFor(known) === keyFor(marks)) return
    const images = this.#kinds.get(kind) ?? new Map<string, Marks>()
    if (known === undefined) this.size++
    this.#kinds.set(kind, images.set(filename, this.#share(marks)))
  }

  delete(kind: Kind, filename: string): void {
    this.size -= Number(this.#kinds.get(kind)?.delete(filename) ?? false)
  }

  /** Kind and file name of each. */
  *keys(): Iterable<string> {
    for (const [kind, images] of this.#kinds) for (const filename of images.keys()) yield keyOf(kind, filename)
  }

  #share({ tags, hasSource }: Marks): Marks {
    if (this.#shared.size > 2 * this.size + spare) this.#shared.clear()
    const key = keyFor({ tags, hasSource })
    const known = this.#shared.get(key) ?? { tags: tags.map((tag) => this.#tagOf(tag)), hasSource }
    this.#shared.set(key, known)
    return known
  }

  #tagOf(tag: string): string {
    const known = this.#tags.get(tag)
    if (known === undefined) this.#tags.set(tag, tag)
    return known ?? tag
  }
}

const keyFor = ({ tags, hasSource }: Marks) => `${hasSource} ${tags}`
