/** All items of all pages, fetched as they are reached: `for await (const image of images.list('fox'))`. */
export interface Pages<Page, Item> extends AsyncIterable<Item> {
  /** The same, one page at a time. */
  pages(): AsyncGenerator<Page, void, undefined>
}

export function paginate<Page extends { readonly next?: string | null }, Item>(
  fetchPage: (cursor: string | undefined) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): Pages<Page, Item> {
  async function* pages() {
    let cursor: string | undefined
    do {
      const page = await fetchPage(cursor)
      yield page
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
  }
  return {
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) yield* itemsOf(page)
    },
  }
}
