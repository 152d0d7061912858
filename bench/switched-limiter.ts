import { type createLimiter as CreateLimiter, createLimiter as createReal } from '../src/limits/limiter.ts'
import { keepBooks, standInFor } from './with-and-without.ts'

export * from '../src/limits/limiter.ts'

standInFor('/src/limits/limiter.ts', import.meta.url)

/** So short that other work of the machine hits both alike. */
const sliceMs = 11

/** The real limiter in every other slice of time, none in between. */
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
      // A request that entered in a slice without limits also leaves without them.
      return Object.assign(passage, {
        enter() {},
        leave: () => '',
        left: () => '[]',
      })
    },
  }
}
