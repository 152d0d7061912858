import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Kind } from './kinds.ts'
import type { HashOrder } from './walk.ts'

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

/** Entries of equal bytes. */
export interface Copies {
  /** Of all. */
  readonly count: number
  readonly some: readonly { readonly kind: Kind; readonly entry: CatalogueEntry }[]
}

/** One listing of a kind. At its end, entries that it has not seen are dropped. */
export interface Listing {
  /** Called before a page is requested: later changes are newer than that page. */
  expect(): void
  /** Stores a page; returns the filenames that are new or changed. */
  take(page: readonly CatalogueEntry[]): readonly string[]
  /** Drops a batch of unseen entries and returns their filenames; null when done. */
  end(): readonly string[] | null
}

/** The index of the objects that the proxy serves, by kind, as last listed. Its methods are synchronous. */
export interface Catalogue {
  count(kind: Kind): number
  /** Of each of these, in their order; one query for all. */
  counts(of: readonly Kind[]): readonly number[]
  /** Uniformly random; null if there is none. */
  pick(kind: Kind): CatalogueEntry | null
  /** An ordinal keeps its entry until the kind changes; null from `count` on. */
  at(kind: Kind, ordinal: number): CatalogueEntry | null
  /** Built at its first use, which takes a second for a million entries. */
  order(kind: Kind): MaybePromise<HashOrder>
  /** The entry at a rank of that order; null if another process has changed the kind: ask for the order again. */
  ranked(kind: Kind, rank: number): CatalogueEntry | null
  find(kind: Kind, filename: string): CatalogueEntry | null
  /** Ordered by filename, from the first after `after`. */
  page(kind: Kind, after: string, limit: number): readonly CatalogueEntry[]
  summary(kind: Kind): KindSummary
  /** The entries whose ETag is this MD5, at most `limit` of them. */
  copies(md5: string, limit: number): Copies
  /** The MD5s after this one that several entries have, also of other kinds; sorted, a part of the catalogue at a time. */
  repeatedMd5s(after: string): Iterable<readonly string[]>
  put(kind: Kind, entry: CatalogueEntry): void
  remove(kind: Kind, filename: string): void
  /** Whether the kind has been listed to its end, in this store. */
  isComplete(kind: Kind): boolean
  listing(kind: Kind): Listing
  close(): void
}
