import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { HiddenImages } from './hidden-images.ts'
import type { Kind } from './kinds.ts'
import { keyOf } from './names.ts'

/**
 * The catalogue without hidden images: it takes none up, and drops those that another process, such as the command line
 * tool, has put in.
 */
export function withoutHidden(catalogue: Catalogue, hidden: Pick<HiddenImages, 'has'>): Catalogue {
  const isHidden = (kind: Kind, { filename }: CatalogueEntry) => hidden.has(keyOf(kind, filename))

  const one = (kind: Kind, read: () => CatalogueEntry | null): CatalogueEntry | null => {
    for (let entry = read(); ; entry = read()) {
      if (entry === null || !isHidden(kind, entry)) return entry
      catalogue.remove(kind, entry.filename)
    }
  }

  return {
    ...catalogue,
    pick: (kind) => one(kind, () => catalogue.pick(kind)),
    at: (kind, ordinal) => one(kind, () => catalogue.at(kind, ordinal)),
    find(kind, filename) {
      return hidden.has(keyOf(kind, filename)) ? null : catalogue.find(kind, filename)
    },
    page(kind, after, limit) {
      const found = catalogue.page(kind, after, limit)
      const stray = found.filter((entry) => isHidden(kind, entry))
      for (const { filename } of stray) catalogue.remove(kind, filename)
      return stray.length === 0 ? found : catalogue.page(kind, after, limit)
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
