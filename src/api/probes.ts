import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import { lackOfFiles } from '../process/open-files.ts'
import { askWorkers } from './ask-workers.ts'
import type { Health, Probe } from './readiness.ts'

const writeEveryMs = 10_000
const settleMs = 500

interface Writable {
  ping(): Promise<void>
  proveWritable(): Promise<void>
}

/** Reads at each check, and writes every 10 s; after a failed write, whose ever, at each check until one succeeds. */
function proving(store: Writable, clock: Clock, waitMs: number): Probe['check'] {
  let writtenAt = Number.NEGATIVE_INFINITY
  let problem: unknown = null
  let writing: Promise<void> | null = null

  const write = async () => {
    try {
      await store.proveWritable()
      writtenAt = clock.monotonic()
      problem = null
    } catch (error) {
      problem = error
    }
    writing = null
  }

  return async (isAway) => {
    await store.ping()
    if (isAway || clock.monotonic() - writtenAt >= writeEveryMs) writing ??= write()
    // A write may be waiting for another process's lock: the database is not down until the write fails.
    const isProven = !isAway && problem === null && writtenAt !== Number.NEGATIVE_INFINITY
    if (writing) await (isProven ? withTimeout(writing, waitMs, () => {}) : writing)
    if (problem !== null) throw problem
  }
}

export const databaseProbe = (database: Writable, clock: Clock, waitMs = settleMs): Probe => ({
  name: 'database',
  isRequired: true,
  check: proving(database, clock, waitMs),
})

/** `explain`: what to check, if the settings may be the cause. */
export function storeProbe(store: Writable, clock: Clock, explain: (error: unknown) => string | null): Probe {
  const prove = proving(store, clock, settleMs)
  return {
    name: 'objectStore',
    check: (isAway) =>
      prove(isAway).catch((error) => {
        const why = lackOfFiles(error) ? null : explain(error)
        throw why === null ? error : new Error(why)
      }),
  }
}

/** Redis that replies too late for the limits also counts as unavailable. */
export const redisProbe = (health: () => Health | null, refresh: () => Promise<void>): Probe => ({
  name: 'redis',
  logsItself: true,
  async check() {
    await refresh()
    const found = health()
    if (found !== 'up') throw new Error(`Redis is ${found ?? 'not connected yet'}`)
  },
})

/** Up if any of the workers is alive. */
export const workerProbe = (workers: readonly string[]): Probe => ({
  name: 'statusWorker',
  // The reporter logs its outages.
  logsItself: true,
  async check() {
    await askWorkers(workers, '/livez')
  },
})
