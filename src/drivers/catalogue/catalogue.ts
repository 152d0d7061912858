import type { Catalogue } from '../../images/catalogue.ts'
import type { Kind, Kinds } from '../../images/kinds.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { newBudget } from './cached-entries.ts'
import { openCatalogueFile } from './catalogue-file.ts'
import { createCopies } from './copies.ts'
import { exactGroup } from './exact.ts'
import { takingTurns } from './kind-hashes.ts'
import { KindTable } from './kind-table.ts'
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
  const shares = { connection, random, takeTurn: takingTurns(), budget: newBudget() }
  // Entries of other kinds stay: deleting a million takes seconds, and their kind may come back.
  const { pools, changes } = inTransaction(connection.db, 'IMMEDIATE', () => {
    const pools = new Map([...kinds].map((kind) => [kind, new KindTable(kind, shares)]))
    const changes = new Map(
      [...pools].map(([kind, pool]) => [kind, new KindWithRejects(kind, pool, { shares, imagesOnly })]),
    )
    return { pools, changes }
  })
  const pool = (kind: Kind) => pools.get(kind) as KindTable
  const change = (kind: Kind) => changes.get(kind) as KindWithRejects
  // The setting may have changed. The command line tool may have another one by mistake.
  if (mayReplace) for (const each of changes.values()) each.apply()
  const counting = connection.db.prepare('SELECT name, count FROM kinds')
  counting.setReturnArrays(true)
  return {
    count: (kind) => pool(kind).count(),
    groups(of, filter) {
      if (filter?.least) return of.map((kind) => exactGroup(kind, pool(kind), filter))
      if (filter !== null) return of.flatMap((kind) => pool(kind).shapes.groups(kind, filter))
      const all = new Map(counting.all() as unknown as [Kind, number][])
      return of.map((kind) => ({ kind, count: all.get(kind) ?? 0, at: (ordinal) => pool(kind).at(ordinal) }))
    },
    pick(kind, filter = null) {
      if (!filter?.least) return pool(kind).pick(filter)
      const { count, at } = exactGroup(kind, pool(kind), filter)
      return count === 0 ? null : at(Math.floor(random() * count))
    },
    hashes: (kind, filter = null) => pool(kind).hashesOf(filter),
    hashed: (kind, ordinals) => pool(kind).hashed(ordinals),
    find: (kind, filename) => pool(kind).find(filename),
    shape: (kind, filename) => pool(kind).shape(filename),
    page: (kind, filename, limit, filter = null) => pool(kind).page(byName, { filename, modified: 0 }, limit, filter),
    newest: (kind, after, limit, filter = null) => pool(kind).page(newestFirst, after ?? newerThanAll, limit, filter),
    unread: (kind, filename, limit) => change(kind).unread(filename, limit),
    describe: (kind, read) => change(kind).describe(read),
    countSetAside: (kind) => change(kind).countRejects(),
    setAside: (kind, filename, limit) => change(kind).rejects(filename, limit),
    faultOf: (kind, filename, etag) => change(kind).faultOf(filename, etag),
    summary: (kind) => pool(kind).summary(),
    ...createCopies(connection, kinds),
    put: (kind, entry) => change(kind).put(entry),
    remove: (kind, filename) => change(kind).remove(filename),
    isComplete: (kind) => pool(kind).isComplete(),
    listing: (kind) => change(kind).listing(),
    close: () => connection.close(),
  }
}
