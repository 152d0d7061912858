import { setTimeout as sleep } from 'node:timers/promises'
import { withDatabase } from '../database.ts'
import { residentMbOf } from '../proc.ts'
import { startApi } from '../server.ts'
import { atMost, type Gate } from './gates.ts'
import type { LoadRun } from './load-run.ts'

const idleMs = 3000

/** Over an empty data folder: the slowest kind of start. */
async function startsOn(folder: string, count: number, env: Readonly<Record<string, string>>) {
  const readyMs: number[] = []
  const idleMb: number[] = []
  for (let start = 0; start < count; start += 1) {
    const server = await startApi(folder, env)
    readyMs.push(server.readyMs)
    await sleep(idleMs)
    idleMb.push(residentMbOf(server.pid))
    await server.stop()
  }
  return { readyMs: Math.max(...readyMs), idleMb: Math.max(...idleMb) }
}

export const start: LoadRun = {
  id: 'L03',
  title: 'first starts, and memory at rest',
  async run({ folder, scaled }) {
    const count = scaled(10, 3)
    const embedded = await startsOn(folder, count, {})
    const gates: Gate[] = [
      atMost('from the start of the process to ready, SQLite', embedded.readyMs, 1000, 'ms'),
      atMost('resident memory at rest, SQLite', embedded.idleMb, 110, 'MiB'),
    ]
    await withDatabase(process.env.TEST_DATABASE_URL, async (url) => {
      if (url === undefined) return
      const shared = await startsOn(folder, count, { DATABASE_URL: url })
      gates.push(
        atMost('from the start of the process to ready, PostgreSQL', shared.readyMs, 2000, 'ms'),
        atMost('resident memory at rest, PostgreSQL', shared.idleMb, 110, 'MiB'),
      )
    })
    const notes = [`The worst of ${count} starts; memory ${idleMs / 1000} s after the first 200 of /ready.`]
    if (!process.env.TEST_DATABASE_URL) notes.push('PostgreSQL: not run, needs TEST_DATABASE_URL')
    return { gates, notes }
  },
}
