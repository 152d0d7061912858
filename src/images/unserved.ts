import type { Kinds } from './kinds.ts'
import { parseKey } from './names.ts'
import type { ListedObject } from './object-store.ts'

/** Why `/i/` has no image of an object, or of a folder (its name ends with a slash). */
export type WhyUnserved = 'badName' | 'empty' | 'nested' | 'elsewhere'

export interface Unserved {
  readonly name: string
  readonly why: WhyUnserved
}

export function whyUnserved(kinds: Kinds, name: string): WhyUnserved {
  const [first = '', ...rest] = name.split('/')
  if (!kinds.has(first) || rest.length === 0) return 'elsewhere'
  if (rest.length > 1) return 'nested'
  return parseKey(kinds, name) ? 'empty' : 'badName'
}

/** The number of unserved objects, and the first that were taken. */
export class UnservedReport {
  readonly #kinds: Kinds
  readonly #maxNamed: number
  readonly counts = { badName: 0, empty: 0, nested: 0, elsewhere: 0 }
  readonly named: Unserved[] = []

  constructor(kinds: Kinds, maxNamed: number) {
    this.#kinds = kinds
    this.#maxNamed = maxNamed
  }

  get count(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0)
  }

  add({ name }: Pick<ListedObject, 'name'>): void {
    const why = whyUnserved(this.#kinds, name)
    this.counts[why]++
    if (this.named.length < this.#maxNamed) this.named.push({ name, why })
  }
}
