import type { CatalogueEntry, Fault, Listing, ReadHeader, SetAside } from '../../images/catalogue.ts'
import { faultQueries } from './faults.ts'
import { KindChanges } from './kind-changes.ts'
import { type KindShares, KindTable } from './kind-table.ts'

interface Options {
  readonly shares: KindShares
  /** Whether objects that are not images are set aside. */
  readonly imagesOnly: boolean
}

const movedAtOnce = 1_000

/**
 * Changes the pool of a kind and, separately, its rejects: the objects that are set aside because they are not images.
 * Otherwise listings would bring them back.
 */
export class KindWithRejects {
  readonly #pool: KindTable
  readonly #changes: KindChanges
  readonly #options: Options
  readonly #rejectsName: string
  /** Null until there are any. */
  #rejects: { readonly table: KindTable; readonly changes: KindChanges } | null

  constructor(kind: string, pool: KindTable, options: Options) {
    this.#pool = pool
    this.#changes = new KindChanges(pool)
    this.#options = options
    // No kind's name contains a slash.
    this.#rejectsName = `${kind}/rejects`
    const isKnown = pool.connection.get('SELECT 1 FROM kinds WHERE name = ?', [this.#rejectsName]) !== undefined
    this.#rejects = isKnown ? this.#openRejects() : null
  }

  /** After a change of the setting: sets aside what is known not to be an image, or returns everything to the pool. */
  apply(): void {
    if (this.#options.imagesOnly) {
      const { faulty } = this.#queries(this.#pool)
      for (let some = faulty(movedAtOnce); some.length > 0; some = faulty(movedAtOnce))
        for (const each of some) this.#reject(each)
      return
    }
    for (let some = this.rejects('', movedAtOnce); some.length > 0; some = this.rejects('', movedAtOnce))
      for (const { entry } of some) {
        this.#rejects?.changes.remove(entry.filename)
        this.#changes.put(entry)
      }
  }

  put(entry: CatalogueEntry): void {
    if (this.#isReject(entry)) return
    this.#rejects?.changes.remove(entry.filename)
    this.#changes.put(entry)
  }

  remove(filename: string): void {
    this.#rejects?.changes.remove(filename)
    this.#changes.remove(filename)
  }

  unread(after: string, limit: number): CatalogueEntry[] {
    if (this.#options.imagesOnly) return this.#queries(this.#pool).unknown(after, limit)
    return this.#pool.unread(after, limit)
  }

  describe(read: readonly ReadHeader[]): void {
    this.#changes.describe(read)
    if (!this.#options.imagesOnly) return
    for (const { filename, etag } of read) {
      // What was stored: a version that was read before keeps what it had.
      const fault = this.#queries(this.#pool).of(filename, etag)
      const entry = fault ? this.#pool.find(filename) : null
      if (fault && entry) this.#reject({ entry, fault })
    }
  }

  countRejects(): number {
    return this.#rejects?.table.count() ?? 0
  }

  rejects(after: string, limit: number): SetAside[] {
    return this.#rejects === null ? [] : this.#queries(this.#rejects.table).all(after, limit)
  }

  /** Undefined if that is not known. */
  faultOf(filename: string, etag: string): Fault | null | undefined {
    const known = this.#queries(this.#pool).of(filename, etag)
    return known === undefined && this.#rejects ? this.#queries(this.#rejects.table).of(filename, etag) : known
  }

  listing(): Listing {
    const [pool, rejects] = [this.#changes.listing(), this.#rejects?.changes.listing()]
    return {
      expect() {
        pool.expect()
        rejects?.expect()
      },
      take: (page) => {
        if (this.#rejects === null) return pool.take(page)
        const known = new Set(page.filter((entry) => this.#isReject(entry)))
        rejects?.take([...known])
        return pool.take(page.filter((entry) => !known.has(entry)))
      },
      end: () => pool.end() ?? rejects?.end() ?? null,
    }
  }

  #openRejects() {
    const table = new KindTable(this.#rejectsName, this.#options.shares)
    return { table, changes: new KindChanges(table) }
  }

  #queries({ connection, id }: KindTable) {
    return faultQueries(connection, id)
  }

  #reject({ entry, fault }: SetAside): void {
    const { filename, etag } = entry
    this.#changes.remove(filename)
    this.#rejects ??= this.#openRejects()
    this.#rejects.changes.put(entry)
    this.#rejects.changes.describe([{ filename, etag, shape: null, fault }])
  }

  /** A new version of a reject may be an image. */
  #isReject({ filename, etag, size, modified }: CatalogueEntry): boolean {
    const known = this.#rejects?.table.find(filename)
    return known?.etag === etag && known.size === size && known.modified === modified
  }
}
