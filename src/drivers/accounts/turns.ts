import { Unavailable } from '../../lib/unavailable.ts'

export interface Turns {
  /** Waits for the turn until that moment of the monotonic clock; answers how to end it. Throws Unavailable if it is late. */
  take(until: number): Promise<() => void>
}

const mostWaiting = 1000

/** Lets one holder at a time in, in order of arrival. Who waits too long, or finds too many waiting, is sent away. */
export function createTurns(): Turns {
  const waiting = new Set<() => void>()
  let isTaken = false

  const end = () => {
    const [next] = waiting
    if (next) next()
    else isTaken = false
  }

  return {
    async take(until) {
      if (!isTaken) {
        isTaken = true
        return end
      }
      if (waiting.size >= mostWaiting) throw new Unavailable('database', new Error('too many writes are waiting'))
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const enter = () => {
        waiting.delete(enter)
        clearTimeout(timer)
        resolve()
      }
      const late = () => {
        waiting.delete(enter)
        reject(new Unavailable('database', new Error('the turn to write did not come in time')))
      }
      const timer = setTimeout(late, until - performance.now())
      waiting.add(enter)
      await promise
      return end
    },
  }
}
