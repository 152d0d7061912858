import type { Catalogue } from '../../images/catalogue.ts'
import type { Kind, Kinds } from '../../images/kinds.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { openCatalogueFile } from './catalogue-file.ts'
import { createCopies } from './copies.ts'
import { exactEntry, exactGroup } from './exact.ts'
import { newBudget } from './held-entries.ts'
import { takingTurns } from './kind-hashes.ts'
import { KindWithRejects } from './kind-with-rejects.ts'
import { byName, newerThanAll, newestFirst } from './page-orders.ts'

export interface CatalogueOptions {
  readonly dataDir: string
  /** Names the store and the bucket that it lists. */
  readonly source: string
  readonly kinds: Kinds
  /** Whether a file that is damaged or lists another store may be replaced. */
  readonly mayReplace: boolean
  /** Whether the pool consists of images only. */
  readonly imagesOnly: boolean
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/** The catalogue, in its own SQLite file. */
export function openCatalogue({ dataDir, source, kinds, mayReplace, imagesOnly, random }: CatalogueOptions): Catalogue {
  const connection = openCatalogueFile(dataDir, source, mayReplace)
  const shares = { connection, imagesOnly, random, takeTurn: takingTurns(), budget: newBudget() }
  // Entries of other kinds stay: deleting a million takes seconds, and their kind may come back.
  const tables = inTransaction(
    connection.db,
    'IMMEDIATE',
    () => new Map([...kinds].map((kind) => [kind, new KindWithRejects(kind, shares)])),
  )
  // The setting may have changed. The command line tool may have another one by mistake.
  if (mayReplace) for (const each of tables.values()) each.apply()
  const counting = connection.db.prepare('SELECT name, count FROM kinds')
  counting.setReturnArrays(true)
  const table = (kind: Kind) => tables.get(kind) as KindWithRejects
  const groups: Catalogue['groups'] = (of, filter) => {
    if (filter?.least) return of.map((kind) => exactGroup(kind, table(kind).pool, filter))
    if (filter !== null)
      return of.flatMap((kind) =>
        table(kind)
          .pool.classes(filter)
          .map((each) => ({ kind, ...each })),
      )
    const all = new Map(counting.all() as unknown as [Kind, number][])
    return of.map((kind) => ({ kind, class: null, count: all.get(kind) ?? 0 }))
  }
  return {
    count: (kind) => table(kind).pool.count(),
    groups,
    pick(kind, filter = null) {
      if (!filter?.least) return table(kind).pool.pick(filter)
      const { exact, count } = exactGroup(kind, table(kind).pool, filter)
      return exact && count > 0 ? exactEntry(table(kind).pool, exact, Math.floor(random() * count)) : null
    },
    at({ kind, class: shapeClass, exact }, ordinal) {
      const { pool } = table(kind)
      return exact ? exactEntry(pool, exact, ordinal) : pool.at(shapeClass, ordinal)
    },
    hashes: (kind, filter = null) => table(kind).pool.hashes(filter),
    hashed: (kind, ordinals) => table(kind).pool.hashed(ordinals),
    find: (kind, filename) => table(kind).pool.find(filename),
    shape: (kind, filename) => table(kind).pool.shape(filename),
    page: (kind, filename, limit, filter = null) =>
      table(kind).pool.page(byName, { filename, modified: 0 }, limit, filter),
    newest: (kind, after, limit, filter = null) =>
      table(kind).pool.page(newestFirst, after ?? newerThanAll, limit, filter),
    unread: (kind, filename, limit) => table(kind).unread(filename, limit),
    describe: (kind, read) => table(kind).describe(read),
    countSetAside: (kind) => table(kind).countRejects(),
    setAside: (kind, filename, limit) => table(kind).rejects(filename, limit),
    faultOf: (kind, filename, etag) => table(kind).faultOf(filename, etag),
    summary: (kind) => table(kind).pool.summary(),
    ...createCopies(connection, kinds),
    put: (kind, entry) => table(kind).put(entry),
    remove: (kind, filename) => table(kind).remove(filename),
    isComplete: (kind) => table(kind).pool.isComplete(),
    listing: (kind) => table(kind).listing(),
    close: () => connection.close(),
  }
}
