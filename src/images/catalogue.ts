import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Kind } from './kinds.ts'
import type { ShapeFilter } from './shapes/classes.ts'
import type { Header } from './shapes/read-header.ts'
import type { Shape } from './shapes/shape.ts'
import type { Hashed, HashOrder } from './walk.ts'

export interface CatalogueEntry {
  readonly filename: string
  readonly etag: string
  readonly size: number
  readonly modified: number
  /** It stays in memory, to be chosen again. */
  readonly isHeld?: true
}

/** Where a page of entries ended: by name, `modified` says nothing. */
export type PagePosition = Pick<CatalogueEntry, 'filename' | 'modified'>

/** Entries with dense ordinals: a kind, or those of it that have one class. */
export interface EntryGroup {
  readonly kind: Kind
  /** Null for the whole kind. */
  readonly class: number | null
  readonly count: number
}

/** What the first bytes of an object with this ETag say. */
export interface ReadHeader {
  readonly filename: string
  readonly etag: string
  readonly header: Header
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
  /** What matches of each of these kinds, in their order. */
  groups(of: readonly Kind[], filter: ShapeFilter | null): readonly EntryGroup[]
  /** Uniformly random among those that match; null if there is none. */
  pick(kind: Kind, filter?: ShapeFilter | null): CatalogueEntry | null
  /** An ordinal keeps its entry until the group changes; null from `count` on. */
  at(group: EntryGroup, ordinal: number): CatalogueEntry | null
  /** What matches, by hashes. Built at its first use, which takes a second for a million entries. */
  order(kind: Kind, filter?: ShapeFilter | null): MaybePromise<HashOrder>
  /** These entries of an order; null if another process has changed the kind: ask for the order again. */
  ordered(kind: Kind, some: readonly Hashed[]): readonly CatalogueEntry[] | null
  find(kind: Kind, filename: string): CatalogueEntry | null
  /** Null if it is not known. */
  shape(kind: Kind, filename: string): Shape | null
  /** Those that match, ordered by filename, from the first after `after`. */
  page(kind: Kind, after: string, limit: number, filter?: ShapeFilter | null): readonly CatalogueEntry[]
  /** Those that match, the newest first, from the first after `after`, or the newest of all. */
  newest(kind: Kind, after: PagePosition | null, limit: number, filter?: ShapeFilter | null): readonly CatalogueEntry[]
  /** Those whose headers were not read, ordered by filename. */
  unread(kind: Kind, after: string, limit: number): readonly CatalogueEntry[]
  /** Stores what was read, unless the object has changed since. One that is no image leaves, until it changes. */
  describe(kind: Kind, read: readonly ReadHeader[]): void
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
