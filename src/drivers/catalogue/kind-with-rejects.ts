import type { CatalogueEntry, Listing, ReadHeader } from '../../images/catalogue.ts'
import type { Header } from '../../images/shapes/read-header.ts'
import { type KindShares, KindTable } from './kind-table.ts'

/** The pool of a kind and, separately, its objects that are no images: otherwise listings would bring them back. */
export class KindWithRejects {
  readonly pool: KindTable
  readonly #openRejects: () => KindTable
  /** Null until there are any. */
  #rejects: KindTable | null

  constructor(kind: string, shares: KindShares) {
    this.pool = new KindTable(kind, shares)
    // No kind's name contains a slash.
    const name = `${kind}/rejects`
    this.#openRejects = () => new KindTable(name, shares)
    const isKnown = shares.connection.get('SELECT 1 FROM kinds WHERE name = ?', [name]) !== undefined
    this.#rejects = isKnown ? this.#openRejects() : null
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

  describe(read: readonly ReadHeader[]): void {
    this.pool.describe(read.filter(hasShape))
    for (const { filename, etag, header } of read) {
      const entry = header === 'no image' && this.pool.isUnread(filename) ? this.pool.find(filename) : null
      if (entry?.etag !== etag) continue
      this.pool.remove(filename)
      this.#rejects ??= this.#openRejects()
      this.#rejects.put(entry)
    }
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

  /** A new version of a reject may be an image. */
  #isReject({ filename, etag, size, modified }: CatalogueEntry): boolean {
    const known = this.#rejects?.find(filename)
    return known?.etag === etag && known.size === size && known.modified === modified
  }
}

const hasShape = (read: ReadHeader): read is ReadHeader & { header: Exclude<Header, 'no image'> } =>
  read.header !== 'no image'
