import type { PagePosition, Sort } from '../../images/catalogue.ts'

/** The order of pages. Each has an index by kind. */
interface PageOrder {
  /** The SQL of the entries after a position, in this order. */
  readonly after: string
  params(position: PagePosition): (string | number)[]
  /** Comes before all others. */
  readonly first: PagePosition
  isBefore(one: PagePosition, other: PagePosition): boolean
}

export const pageOrders: Readonly<Record<Sort, PageOrder>> = {
  name: {
    after: 'filename > ? ORDER BY filename',
    params: ({ filename }) => [filename],
    first: { filename: '', modified: 0 },
    isBefore: (one, other) => one.filename < other.filename,
  },
  newest: {
    after: '(modified, filename) < (?, ?) ORDER BY modified DESC, filename DESC',
    params: ({ modified, filename }) => [modified, filename],
    first: { filename: '', modified: Number.MAX_SAFE_INTEGER },
    isBefore: (one, other) =>
      one.modified > other.modified || (one.modified === other.modified && one.filename > other.filename),
  },
}
