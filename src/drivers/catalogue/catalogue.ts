import type { Catalogue } from '../../images/catalogue.ts'
import type { Kind, Kinds } from '../../images/kinds.ts'
import { type ImageTags, noTags } from '../../images/tags.ts'
import { inTransaction } from '../sqlite/schema.ts'
import { newBudget } from './cached-entries.ts'
import { openCatalogueFile } from './catalogue-file.ts'
import { createCopies } from './copies.ts'
import { FilterLists } from './filter-list.ts'
import { filteredPage } from './filtered-page.ts'
import { takingTurns } from './kind-columns.ts'
import { prepareScan } from './kind-rows.ts'
import { KindTable } from './kind-table.ts'
import { KindWithRejects } from './kind-with-rejects.ts'

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
  readonly tags?: ImageTags
}

/** The catalogue, in its own SQLite file. */
export function openCatalogue({ dataDir, source, kinds, tags = noTags, ...options }: CatalogueOptions): Catalogue {
  const { mayReplace, imagesOnly, random } = options
  const connection = openCatalogueFile(dataDir, source, mayReplace)
  const scans = { name: prepareScan(connection, 'name'), newest: prepareScan(connection, 'newest') }
  const kept = { takeTurn: takingTurns(), budget: newBudget(), lists: new FilterLists() }
  const tagsOf = (kind: Kind, filename: string) => tags.of(kind, filename)
  const shares = { connection, random, scans, tagsOf, ...kept }
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
  tags.subscribe((kind, filename) => {
    // The catalogue is a part of a service that closes.
    if (connection.db.isOpen) pools.get(kind)?.retag(filename)
  })
  const counting = connection.db.prepare('SELECT name, count FROM kinds')
  counting.setReturnArrays(true)
  return {
    count: (kind) => pool(kind).count(),
    groups(of, filter) {
      if (filter !== null) return of.map((kind) => ({ kind, ...pool(kind).matching(filter) }))
      const all = new Map(counting.all() as unknown as [Kind, number][])
      return of.map((kind) => ({ kind, count: all.get(kind) ?? 0, at: (ordinal) => pool(kind).at(ordinal) }))
    },
    pick: (kind, filter = null) => pool(kind).pick(filter),
    hashes(kind, filter = null) {
      const isTagged = filter !== null && filter.tags !== null
      const hashes = () => pool(kind).hashesOf(filter)
      return isTagged && tags.ready ? tags.ready.then(hashes) : hashes()
    },
    hashed: (kind, ordinals) => pool(kind).hashed(ordinals),
    tagCounts: (kind) => tags.ready?.then(() => pool(kind).tagCounts()) ?? pool(kind).tagCounts(),
    find: (kind, filename) => pool(kind).find(filename),
    shape: (kind, filename) => pool(kind).shape(filename),
    page: (kind, filename, limit) => pool(kind).page('name', { filename, modified: 0 }, limit),
    newest: (kind, after, limit) => pool(kind).page('newest', after, limit),
    async matching(kind, filter, page) {
      if (page.text !== null) await tags.ready
      return filteredPage(pool(kind), filter, page)
    },
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
