import { type createJournal as CreateJournal, createJournal as createReal } from '../src/accounts/journal.ts'
import { keepBooks, standInFor } from './with-and-without.ts'

export * from '../src/accounts/journal.ts'

standInFor('/src/accounts/journal.ts', import.meta.url)

/** So short that other work of the machine hits both alike. */
const sliceMs = 37

/** The real journal, but it counts only in every other slice of time. */
export const createJournal: typeof CreateJournal = (deps) => {
  const { store } = deps
  const books = keepBooks()
  let underWay = 0
  const journal = createReal({
    ...deps,
    store: {
      ...store,
      // A separate slice, and slightly longer: after a write, the others reread.
      async write(batch) {
        books.turnTo('writing')
        underWay += 1
        await store.write(batch).finally(() => {
          underWay -= 1
        })
      },
    },
  })
  setInterval(() => {
    if (underWay === 0) books.turnTo(books.kind() === 'on' ? 'off' : 'on')
  }, sliceMs).unref()
  return {
    ...journal,
    count(...args) {
      books.countRequest()
      if (books.kind() !== 'off') journal.count(...args)
    },
  }
}
