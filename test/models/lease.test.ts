import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { postgresDatabase } from '../../src/drivers/status-state/postgres-database.ts'
import type { Link, Query } from '../../src/drivers/status-state/postgres-link.ts'
import { exploreSchedules, type Scheduler, type Step, Violated, type World } from './explore.ts'

/*
 * Two status workers that want to lead, each statement of theirs a step, and a server that ends a session or loses its
 * lock at any moment. The statements are those of the real driver; the server keeps what PostgreSQL promises of them.
 */

const timeout = 60_000
const writesEach = 2

type Bug = 'the fence locks no row' | null

interface Transaction {
  hasFence: boolean
  readonly writes: string[]
}

function createWorld({ task }: Scheduler, bug: Bug): World {
  let lock: string | null = null
  let holder: string | null = null
  const saved: string[] = []
  const sessions = new Set(['a', 'b'])
  const transactions = new Map<string, Transaction>()
  /** What each leader has read after it took over. */
  const read = new Map<string, number>()
  const problems: string[] = []

  const isFenced = () => bug === null && [...transactions.values()].some(({ hasFence }) => hasFence)

  const commit = (worker: string) => {
    const writes = transactions.get(worker)?.writes ?? []
    transactions.delete(worker)
    if (writes.length === 0) return
    if (holder !== worker) problems.push(`${worker} saves after ${holder} has taken over`)
    saved.push(...writes)
  }

  const run = (worker: string, text: string, values: readonly unknown[]): object[] => {
    if (!sessions.has(worker)) throw new Error('the server ended the connection')
    const transaction = transactions.get(worker)
    if (text === 'BEGIN') transactions.set(worker, { hasFence: false, writes: [] })
    else if (text === 'COMMIT') commit(worker)
    else if (text === 'ROLLBACK') transactions.delete(worker)
    else if (/FROM status_meta .* FOR SHARE$/.test(text)) {
      if (transaction === undefined || holder !== values[0]) return []
      transaction.hasFence = true
      return [{}]
    } else transaction?.writes.push(String(values[0]))
    return []
  }

  for (const worker of ['a', 'b'])
    task(worker, async (step: Step) => {
      const isAlive = () => sessions.has(worker)
      const end = () => {
        sessions.delete(worker)
        transactions.delete(worker)
        if (lock === worker) lock = null
      }
      const takeLock = () => {
        if (isAlive()) lock = worker
      }
      await step('get the lock', takeLock, () => lock === null || !isAlive())
      const takeOver = () => {
        if (isAlive()) holder = worker
        return isAlive()
      }
      if (!(await step('take over', takeOver, () => !isFenced()))) return
      await step('read', () => void read.set(worker, saved.length))
      let isLost = false
      const query = (({ text }, values = []) => step(text, () => run(worker, text, values))) as Query
      const link = {
        alone: <T>(act: (query: Query) => Promise<T>) => act(query),
        isSure: () => true,
        lose() {
          isLost = true
        },
      } as unknown as Link
      const database = postgresDatabase(link, worker, async () => {})
      for (let number = 1; number <= writesEach && !isLost; number += 1)
        await database.write([{ text: 'INSERT', values: [`${worker}${number}`] }]).catch(() => {
          isLost = true
        })
      await step('leave', end)
    })
  task('the server', (step) =>
    step('end the session of a', () => {
      sessions.delete('a')
      transactions.delete('a')
      if (lock === 'a') lock = null
    }),
  )
  task('a failover', (step) =>
    step('lose the lock', () => {
      lock = null
    }),
  )
  return {
    state: () => [lock, holder, saved, [...sessions], [...transactions], [...read], problems],
    check() {
      const [first] = problems
      if (first !== undefined) throw new Error(first)
      // What others saved after the newest leader had read is unknown to it.
      const known = holder === null ? undefined : read.get(holder)
      const unknown = saved.slice(known).find((each) => known !== undefined && !each.startsWith(holder as string))
      if (unknown !== undefined) throw new Error(`${holder} leads and does not know ${unknown}`)
    },
  }
}

describe('The lease of a status worker', { timeout }, () => {
  it('lets no worker save once another has taken over, in any order, whatever the server forgets', async (t) => {
    t.diagnostic(`${await exploreSchedules((scheduler) => createWorld(scheduler, null))} states`)
  })

  it('does, if the fence locks no row', async () => {
    await assert.rejects(
      exploreSchedules((scheduler) => createWorld(scheduler, 'the fence locks no row')),
      Violated,
    )
  })
})
