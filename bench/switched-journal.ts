import { type createJournal as CreateJournal, createJournal as createReal } from '../src/accounts/journal.ts'
import { keepBooks, standInFor } from './with-and-without.ts'

export * from '../src/accounts/journal.ts'

standInFor('/src/accounts/journal.ts', import.meta.url)

/** So short that whatever else the machine does falls on both alike. */
const sliceMs = 37

/** The real journal, which counts in one slice of time and not in the next. */
export const createJournal: typeof CreateJournal = (deps) => {
  const { store } = deps
  const books = keepBooks()
  let underWay = 0
  const journal = createReal({
    ...deps,
    store: {
      ...store,
      // A slice of its own, and a little longer: a write has the others read again.
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
