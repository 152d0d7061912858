import type { CatalogueEntry } from '../../images/catalogue.ts'

type ReadPage = (after: string, limit: number) => readonly CatalogueEntry[]

/** The first entries of several sorted lists, by file name. Reads little more than it returns. */
export function mergePages(lists: readonly ReadPage[], after: string, limit: number): CatalogueEntry[] {
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
    for (let index = 1; index < heads.length; index++) if (nameOf(heads[index]) < nameOf(heads[first])) first = index
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

const nameOf = (head: Head | undefined) => head?.next.value.filename as string

function* entriesOf(read: ReadPage, from: string, length: number): Generator<CatalogueEntry> {
  for (let after = from; ; ) {
    const page = read(after, length)
    yield* page
    const last = page.at(-1)
    if (page.length < length || last === undefined) return
    after = last.filename
  }
}
