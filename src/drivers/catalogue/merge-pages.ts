import type { CatalogueEntry, PagePosition } from '../../images/catalogue.ts'
import type { PageOrder } from './page-orders.ts'

type ReadPage = (after: PagePosition, limit: number) => readonly CatalogueEntry[]

/** The first entries of several lists sorted in this order. Reads little more than it returns. */
export function mergePages(
  { isBefore }: PageOrder,
  lists: readonly ReadPage[],
  after: PagePosition,
  limit: number,
): CatalogueEntry[] {
  const length = Math.ceil(limit / Math.max(lists.length, 1)) + 1
  const heads = lists
    .map((read) => {
      const rest = entriesOf(read, after, length)
      return { rest, next: rest.next() }
    })
    .filter(({ next }) => !next.done)
  const merged: CatalogueEntry[] = []
  while (merged.length < limit && heads.length > 0) {
    let first = 0
    for (let index = 1; index < heads.length; index++)
      if (isBefore(entryOf(heads[index]), entryOf(heads[first]))) first = index
    const head = heads[first] as Head
    merged.push(head.next.value as CatalogueEntry)
    head.next = head.rest.next()
    if (head.next.done) heads.splice(first, 1)
  }
  return merged
}

interface Head {
  readonly rest: Iterator<CatalogueEntry>
  next: IteratorResult<CatalogueEntry>
}

const entryOf = (head: Head | undefined) => head?.next.value as CatalogueEntry

function* entriesOf(read: ReadPage, from: PagePosition, length: number): Generator<CatalogueEntry> {
  for (let after = from; ; ) {
    const page = read(after, length)
    yield* page
    const last = page.at(-1)
    if (page.length < length || last === undefined) return
    after = last
  }
}
