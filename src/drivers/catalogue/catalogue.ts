import type { Catalogue } from '../../images/catalogue.ts'
import type { Kind, Kinds } from '../../images/kinds.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { openCatalogueFile } from './catalogue-file.ts'
import { createCopies } from './copies.ts'
import { KindTable } from './kind-table.ts'

export interface CatalogueOptions {
  readonly dataDir: string
  /** Names the store and the bucket that it lists. */
  readonly source: string
  readonly kinds: Kinds
  /** Whether a file that is damaged, or lists another store, may be replaced. */
  readonly mayReplace: boolean
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** The catalogue in a SQLite file of its own. */
export function openCatalogue({ dataDir, source, kinds, mayReplace, random }: CatalogueOptions): Catalogue {
  const connection = openCatalogueFile(dataDir, source, mayReplace)
  // The entries of other kinds stay: to delete a million takes seconds, and their kind may come back.
  const tables = inTransaction(
    connection.db,
    'IMMEDIATE',
    () => new Map([...kinds].map((kind) => [kind, new KindTable(connection, kind, random)])),
  )
  const counting = connection.db.prepare('SELECT name, count FROM kinds')
  counting.setReturnArrays(true)
  const table = (kind: Kind) => tables.get(kind) as KindTable
  return {
    count: (kind) => table(kind).count(),
    counts(of) {
      const all = new Map(counting.all() as unknown as [Kind, number][])
      return of.map((kind) => all.get(kind) ?? 0)
    },
    pick: (kind) => table(kind).pick(),
    at: (kind, ordinal) => table(kind).at(ordinal),
    order: (kind) => table(kind).order(),
    ranked: (kind, rank) => table(kind).ranked(rank),
    find: (kind, filename) => table(kind).find(filename),
    page: (kind, after, limit) => table(kind).page(after, limit),
    summary: (kind) => table(kind).summary(),
    ...createCopies(connection, kinds),
    put: (kind, entry) => table(kind).put(entry),
    remove: (kind, filename) => table(kind).remove(filename),
    isComplete: (kind) => table(kind).isComplete(),
    listing: (kind) => table(kind).listing(),
    close: () => connection.close(),
  }
}
