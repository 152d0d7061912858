import type { PagePosition } from '../../images/catalogue.ts'

/** A page order. Kinds and classes have an index for each. */
export interface PageOrder {
  /** The SQL of the entries after a position, in this order. */
  readonly after: string
  params(position: PagePosition): (string | number)[]
  isBefore(one: PagePosition, other: PagePosition): boolean
}

export const byName: PageOrder = {
  after: 'filename > ? ORDER BY filename',
  params: ({ filename }) => [filename],
  isBefore: (one, other) => one.filename < other.filename,
}

export const newestFirst: PageOrder = {
  after: '(modified, filename) < (?, ?) ORDER BY modified DESC, filename DESC',
  params: ({ modified, filename }) => [modified, filename],
  isBefore: (one, other) =>
    one.modified > other.modified || (one.modified === other.modified && one.filename > other.filename),
}

export const newerThanAll: PagePosition = { filename: '', modified: Number.MAX_SAFE_INTEGER }
