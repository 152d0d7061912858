import type { Kind } from './kinds.ts'

/** An object of the pool of a kind. */
export interface CatalogueEntry {
  readonly filename: string
  readonly etag: string
  readonly size: number
  readonly modified: number
}

export interface KindSummary {
  readonly count: number
  readonly bytes: number
  readonly newest: number | null
}

/** One walk over the objects of a kind. What is not shown to it until its end is dropped then. */
export interface Listing {
  /** Called before a page is asked for: what changes from now on is newer than that page. */
  expect(): void
  /** The filenames that are new, or not as they were. */
  take(page: readonly CatalogueEntry[]): readonly string[]
  /** Drops a portion of what was not seen, and says what; null when all is done. */
  end(): readonly string[] | null
}

/** Per kind, the objects that the proxy would serve, as they were last seen. Its methods answer at once. */
export interface Catalogue {
  count(kind: Kind): number
  /** Uniform over all there are now; null if there is none. */
  pick(kind: Kind): CatalogueEntry | null
  /** The same ordinal is the same entry as long as nothing of the kind changes; null from `count` on. */
  at(kind: Kind, ordinal: number): CatalogueEntry | null
  find(kind: Kind, filename: string): CatalogueEntry | null
  /** By filename, those after one. */
  page(kind: Kind, after: string, limit: number): readonly CatalogueEntry[]
  summary(kind: Kind): KindSummary
  put(kind: Kind, entry: CatalogueEntry): void
  remove(kind: Kind, filename: string): void
  /** Whether every object was seen once, since this store is the one that it is about. */
  isComplete(kind: Kind): boolean
  listing(kind: Kind): Listing
  close(): void
}
