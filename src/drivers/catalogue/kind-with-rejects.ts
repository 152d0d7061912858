import type { CatalogueEntry, Fault, Listing, ReadHeader, SetAside } from '../../images/catalogue.ts'
import { faultQueries } from './faults.ts'
import { type KindShares, KindTable } from './kind-table.ts'

export interface KindTerms extends KindShares {
  /** Whether objects that are not images are set aside. */
  readonly imagesOnly: boolean
}

const movedAtOnce = 1_000

/**
 * The pool of a kind and, separately, its rejects: the objects that are set aside because they are not images.
 * Otherwise listings would bring them back.
 */
export class KindWithRejects {
  readonly pool: KindTable
  readonly #terms: KindTerms
  readonly #rejectsName: string
  /** Null until there are any. */
  #rejects: KindTable | null

  constructor(kind: string, terms: KindTerms) {
    this.#terms = terms
    this.pool = new KindTable(kind, terms)
    // No kind's name contains a slash.
    this.#rejectsName = `${kind}/rejects`
    const isKnown = terms.connection.get('SELECT 1 FROM kinds WHERE name = ?', [this.#rejectsName]) !== undefined
    this.#rejects = isKnown ? this.#openRejects() : null
  }

  /** After a change of the setting: sets aside what is known not to be an image, or returns everything to the pool. */
  apply(): void {
    if (this.#terms.imagesOnly) {
      const { faulty } = this.#queries(this.pool)
      for (let some = faulty(movedAtOnce); some.length > 0; some = faulty(movedAtOnce))
        for (const each of some) this.#reject(each)
      return
    }
    for (let some = this.rejects('', movedAtOnce); some.length > 0; some = this.rejects('', movedAtOnce))
      for (const { entry } of some) {
        this.#rejects?.remove(entry.filename)
        this.pool.put(entry)
      }
  }

  put(entry: CatalogueEntry): void {
    if (this.#isReject(entry)) return
    this.#rejects?.remove(entry.filename)
    this.pool.put(entry)
  }

  remove(filename: string): void {
    this.#rejects?.remove(filename)
    this.pool.remove(filename)
  }

  unread(after: string, limit: number): CatalogueEntry[] {
    if (this.#terms.imagesOnly) return this.#queries(this.pool).unknown(after, limit)
    return this.pool.unread({ filename: after, modified: 0 }, limit)
  }

  describe(read: readonly ReadHeader[]): void {
    this.pool.describe(read)
    if (!this.#terms.imagesOnly) return
    for (const { filename, etag } of read) {
      // What was stored: a version that was read before keeps what it had.
      const fault = this.#queries(this.pool).of(filename, etag)
      const entry = fault ? this.pool.find(filename) : null
      if (fault && entry) this.#reject({ entry, fault })
    }
  }

  countRejects(): number {
    return this.#rejects?.count() ?? 0
  }

  rejects(after: string, limit: number): SetAside[] {
    return this.#rejects === null ? [] : this.#queries(this.#rejects).all(after, limit)
  }

  /** Undefined if that is not known. */
  faultOf(filename: string, etag: string): Fault | null | undefined {
    const known = this.#queries(this.pool).of(filename, etag)
    return known === undefined && this.#rejects ? this.#queries(this.#rejects).of(filename, etag) : known
  }

  listing(): Listing {
    const [pool, rejects] = [this.pool.listing(), this.#rejects?.listing()]
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

  #openRejects = () => new KindTable(this.#rejectsName, this.#terms)

  #queries = ({ id }: KindTable) => faultQueries(this.#terms.connection, id)

  #reject({ entry, fault }: SetAside): void {
    const { filename, etag } = entry
    this.pool.remove(filename)
    this.#rejects ??= this.#openRejects()
    this.#rejects.put(entry)
    this.#rejects.describe([{ filename, etag, shape: null, fault }])
  }

  /** A new version of a reject may be an image. */
  #isReject({ filename, etag, size, modified }: CatalogueEntry): boolean {
    const known = this.#rejects?.find(filename)
    return known?.etag === etag && known.size === size && known.modified === modified
  }
}
