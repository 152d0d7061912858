import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../lib/unavailable.ts'
import type { Closable } from './shutdown.ts'

const retryMs = 2_000

export interface Preparation extends Closable {
  /** Throws why it is not done yet. */
  assertDone(): void
  /** Resolves when it is done; rejects if it never can be. */
  readonly done: Promise<void>
}

/** Does what the service needs of its database before it can use it: at once, or as soon as the database is there. */
export async function prepareWith(act: () => Promise<void>): Promise<Preparation> {
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
    assertDone() {
      if (problem !== null) throw problem
    },
    done,
    async close() {
      closing.abort()
      await done.catch(() => {})
    },
  }
}
