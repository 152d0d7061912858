import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { HiddenImages } from './hidden-images.ts'
import type { Kind } from './kinds.ts'
import { keyOf } from './names.ts'

/**
 * The catalogue without hidden images: it accepts none, and drops those that another process, such as the command line
 * tool, has added.
 */
export function withoutHidden(catalogue: Catalogue, hidden: Pick<HiddenImages, 'has' | 'isEmpty'>): Catalogue {
  const isHidden = (kind: Kind, { filename }: CatalogueEntry) => hidden.has(keyOf(kind, filename))

  /** Whether there were hidden images among them. */
  const drop = (kind: Kind, found: readonly CatalogueEntry[]): boolean => {
    const stray = found.filter((entry) => isHidden(kind, entry))
    for (const { filename } of stray) catalogue.remove(kind, filename)
    return stray.length > 0
  }

  const one = (kind: Kind, read: () => CatalogueEntry | null): CatalogueEntry | null => {
    for (;;) {
      const entry = read()
      if (entry === null || !isHidden(kind, entry)) return entry
      catalogue.remove(kind, entry.filename)
    }
  }

  const many = (kind: Kind, read: () => readonly CatalogueEntry[]): readonly CatalogueEntry[] => {
    for (;;) {
      const found = read()
      if (!drop(kind, found)) return found
    }
  }

  const matching: Catalogue['matching'] = async (kind, ...terms) => {
    const found = await catalogue.matching(kind, ...terms)
    return drop(kind, found) ? matching(kind, ...terms) : found
  }

  return {
    ...catalogue,
    // The most frequent call.
    pick: (kind, filter) =>
      hidden.isEmpty ? catalogue.pick(kind, filter) : one(kind, () => catalogue.pick(kind, filter)),
    groups(of, filter) {
      const groups = catalogue.groups(of, filter)
      if (hidden.isEmpty) return groups
      return groups.map(({ kind, count, at }) => ({ kind, count, at: (number) => one(kind, () => at(number)) }))
    },
    // A hidden image among them means that the hashes are outdated.
    hashed(kind, ordinals) {
      const found = catalogue.hashed(kind, ordinals)
      return !hidden.isEmpty && found !== null && drop(kind, found) ? null : found
    },
    find(kind, filename) {
      return hidden.has(keyOf(kind, filename)) ? null : catalogue.find(kind, filename)
    },
    page: (kind, ...terms) => many(kind, () => catalogue.page(kind, ...terms)),
    newest: (kind, ...terms) => many(kind, () => catalogue.newest(kind, ...terms)),
    matching,
    copies(md5, limit) {
      const { count, some } = catalogue.copies(md5, limit)
      const visible = some.filter(({ kind, entry }) => !isHidden(kind, entry))
      return { count: count - some.length + visible.length, some: visible }
    },
    put(kind, entry) {
      if (!isHidden(kind, entry)) catalogue.put(kind, entry)
    },
    listing(kind) {
      const listing = catalogue.listing(kind)
      return { ...listing, take: (page) => listing.take(page.filter((entry) => !isHidden(kind, entry))) }
    },
  }
}
