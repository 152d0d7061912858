import { type createLimiter as CreateLimiter, createLimiter as createReal } from '../src/limits/limiter.ts'
import { keepBooks, standInFor } from './with-and-without.ts'

export * from '../src/limits/limiter.ts'

standInFor('/src/limits/limiter.ts', import.meta.url)

/** So short that whatever else the machine does falls on both alike. */
const sliceMs = 11

/** The real limiter in one slice of time, none in the next. */
export const createLimiter: typeof CreateLimiter = (deps) => {
  const limiter = createReal(deps)
  const books = keepBooks()
  setInterval(() => books.turnTo(books.kind() === 'on' ? 'off' : 'on'), sliceMs).unref()
  return {
    ...limiter,
    open() {
      books.countRequest()
      const passage = limiter.open()
      if (books.kind() === 'on') return passage
      // Whoever entered in a slice without limits leaves like that in the next one, too.
      return Object.assign(passage, {
        enter() {},
        leave: () => '',
        left: () => '[]',
      })
    },
  }
}
