import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Filter } from './filter.ts'
import type { Kind } from './kinds.ts'
import type { Shape } from './shapes/shape.ts'
import type { HashedImages } from './walk.ts'

export interface CatalogueEntry {
  readonly filename: string
  readonly etag: string
  readonly size: number
  readonly modified: number
  /** The entry stays in memory, to be chosen again. */
  readonly isCached?: true
}

/** The orders of pages: by filename, and by time, the newest first. */
export const sorts = ['name', 'newest'] as const
export type Sort = (typeof sorts)[number]

/** Where a page of entries ended. `modified` has no meaning when sorted by name. */
export type PagePosition = Pick<CatalogueEntry, 'filename' | 'modified'>

export interface PageTerms {
  readonly sort: Sort
  /** Null: from the first of all. */
  readonly after: PagePosition | null
  readonly limit: number
  /** In lower case; null: any. */
  readonly text: string | null
}

/** Entries with dense numbers, from 0 to `count`, exclusive, which are valid until the kind changes. */
export interface EntryGroup {
  readonly kind: Kind
  readonly count: number
  /** Null if there is none, or another process has changed the kind. */
  at(number: number): CatalogueEntry | null
}

/** Why an object is not an image: by its first bytes, or by its stored type. */
export const faults = ['bytes', 'type'] as const
export type Fault = (typeof faults)[number]

/** What the object with this ETag is, by its first bytes and its stored type. */
export interface ReadHeader {
  readonly filename: string
  readonly etag: string
  /** Null if unknown. */
  readonly shape: Shape | null
  /** Null if it is an image. */
  readonly fault: Fault | null
}

/** An object that is left out of the pool. */
export interface SetAside {
  readonly entry: CatalogueEntry
  readonly fault: Fault
}

export interface KindSummary {
  readonly count: number
  readonly bytes: number
  readonly newest: number | null
}

/** Entries with equal bytes. */
export interface Copies {
  /** The total, which may exceed `limit`. */
  readonly count: number
  readonly some: readonly { readonly kind: Kind; readonly entry: CatalogueEntry }[]
}

/** One listing of a kind. At its end, entries that it did not contain are dropped. */
export interface Listing {
  /** Called before a page is requested: any later change is newer than that page. */
  expect(): void
  /** Stores a page; returns the filenames that are new or changed. */
  take(page: readonly CatalogueEntry[]): readonly string[]
  /** Drops a batch of unseen entries and returns their filenames; null when done. */
  end(): readonly string[] | null
}

/** The index of the objects that the proxy serves, by kind, as last listed. */
export interface Catalogue {
  count(kind: Kind): number
  /**
   * The matching entries of each of these kinds, in their order. For a filter, the hashes of each kind must be there:
   * call `hashes` first.
   */
  groups(of: readonly Kind[], filter: Filter | null): readonly EntryGroup[]
  /** Uniformly random among the matching entries; null if there are none. As for `groups`. */
  pick(kind: Kind, filter?: Filter | null): CatalogueEntry | null
  /**
   * The hashes of the matching entries. Those of a kind are read at first use, which takes half a second for a million
   * entries; each filter is compiled at first use.
   */
  hashes(kind: Kind, filter?: Filter | null): MaybePromise<HashedImages>
  /** The entries with these ordinals; null if another process has changed the kind: ask for the hashes again. */
  hashed(kind: Kind, ordinals: Uint32Array): readonly CatalogueEntry[] | null
  /** How many entries have each tag. */
  tagCounts(kind: Kind): MaybePromise<ReadonlyMap<string, number>>
  find(kind: Kind, filename: string): CatalogueEntry | null
  /** Null if it is not known. */
  shape(kind: Kind, filename: string): Shape | null
  /** Entries by filename, from the first after `after`. */
  page(kind: Kind, after: string, limit: number): readonly CatalogueEntry[]
  /** The same, newest first, from the first after `after`, or from the newest of all. */
  newest(kind: Kind, after: PagePosition | null, limit: number): readonly CatalogueEntry[]
  /** A page of the entries that match the filter, if there is one, and have the text in their filename or a tag. */
  matching(kind: Kind, filter: Filter | null, page: PageTerms): Promise<readonly CatalogueEntry[]>
  /** Entries whose headers have not been read, by filename; with `imagesOnly`, also those that may have a fault. */
  unread(kind: Kind, after: string, limit: number): readonly CatalogueEntry[]
  /** Stores what was read, unless the object has changed since. With `imagesOnly`, sets aside what has a fault. */
  describe(kind: Kind, read: readonly ReadHeader[]): void
  countSetAside(kind: Kind): number
  /** By filename, from the first after `after`. */
  setAside(kind: Kind, after: string, limit: number): readonly SetAside[]
  /** What was read of this version; undefined if nothing was. */
  faultOf(kind: Kind, filename: string, etag: string): Fault | null | undefined
  summary(kind: Kind): KindSummary
  /** The entries whose ETag is this MD5, at most `limit`. */
  copies(md5: string, limit: number): Copies
  /** The MD5s after this one that several entries share, across kinds; sorted, one part of the catalogue at a time. */
  repeatedMd5s(after: string): Iterable<readonly string[]>
  put(kind: Kind, entry: CatalogueEntry): void
  remove(kind: Kind, filename: string): void
  /** Whether a listing of the kind in this store has ever completed. */
  isComplete(kind: Kind): boolean
  listing(kind: Kind): Listing
  close(): void
}
