import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../lib/unavailable.ts'

const retryMs = 2_000

/** Does what the service needs of its database before it can use it: at once, or as soon as the database is there. */
export async function prepareWith(act: () => Promise<void>) {
  const closing = new AbortController()
  const { signal } = closing
  let problem: Unavailable | null = null

  const attempt = async () => {
    try {
      await act()
      problem = null
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      problem = error
    }
  }
  const keepTrying = async () => {
    while (problem !== null && !signal.aborted) {
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) await attempt()
    }
  }
  await attempt()
  const done = keepTrying()
  return {
    /** Throws why it is not done yet. */
    assertDone(): void {
      if (problem !== null) throw problem
    },
    /** Resolves when it is done; rejects if it never can be. */
    done,
    async close() {
      closing.abort()
      await done.catch(() => {})
    },
  }
}
