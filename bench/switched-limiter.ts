import { type createLimiter as CreateLimiter, createLimiter as createReal } from '../src/limits/limiter.ts'
import { keepBooks, standInFor } from './with-and-without.ts'

export * from '../src/limits/limiter.ts'

standInFor('/src/limits/limiter.ts', import.meta.url)

/** So short that whatever else the machine does falls on both alike. */
const sliceMs = 11

/** The real limiter in one slice of time, none in the next. */
export const createLimiter: typeof CreateLimiter = (deps) => {
  const limiter = createReal(deps)
  // Asked `untold`, a caller who is not limited is not told what is left either; else telling costs on both sides.
  let isTold = true
  const books = keepBooks((question) => {
    isTold = question !== 'untold'
  })
  setInterval(() => books.turnTo(books.kind() === 'on' ? 'off' : 'on'), sliceMs).unref()
  return {
    ...limiter,
    enter(...args) {
      books.countRequest()
      return books.kind() === 'on' ? limiter.enter(...args) : undefined
    },
    // Whoever entered in a slice that limits leaves like that in the next one, too.
    left: (call, username) => (call.passage === null && !isTold ? '[]' : limiter.left(call, username)),
    leave: (call, status) => (call.passage === null ? '' : limiter.leave(call, status)),
  }
}
