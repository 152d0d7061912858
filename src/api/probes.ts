import type { Database } from '../drivers/accounts/database.ts'
import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import { askWorkers } from './ask-workers.ts'
import type { Health, Probe } from './readiness.ts'

const writeEveryMs = 10_000
const settleMs = 500

/** Reads at each check, and writes every 10 s; after a failed write at each check until one succeeds. */
export function databaseProbe(
  database: Pick<Database, 'ping' | 'proveWritable'>,
  clock: Clock,
  waitMs = settleMs,
): Probe {
  let writtenAt = Number.NEGATIVE_INFINITY
  let problem: unknown = null
  let writing: Promise<void> | null = null

  const write = async () => {
    try {
      await database.proveWritable()
      writtenAt = clock.monotonic()
      problem = null
    } catch (error) {
      problem = error
    }
    writing = null
  }

  return {
    name: 'database',
    isRequired: true,
    async check() {
      await database.ping()
      if (clock.monotonic() - writtenAt >= writeEveryMs) writing ??= write()
      // A write may wait for the lock of another process: the database is not down until it fails.
      const isProven = problem === null && writtenAt !== Number.NEGATIVE_INFINITY
      if (writing) await (isProven ? withTimeout(writing, waitMs, () => {}) : writing)
      if (problem !== null) throw problem
    },
  }
}

/** Redis that replies too late for the limits is unavailable, too. */
export const redisProbe = (health: () => Health | null): Probe => ({
  name: 'redis',
  logsItself: true,
  async check() {
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
