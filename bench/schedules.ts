import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, openConnection, post } from './connection.ts'
import { withDatabase } from './database.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { cpuMsOf } from './proc.ts'
import { startServer } from './server.ts'

/*
 * node bench/schedules.ts (two minutes): a worker with 1,000 components that have a cron expression. How long it takes to be
 * ready, what the schedules cost while nothing happens, and how long a heartbeat takes. With TEST_DATABASE_URL, it keeps
 * its state in a database of its own on that server.
 */

const components = 1_000
const idleSeconds = 30
const starts = 5
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe']
const crons = ['* * * * *', '*/5 * * * *', '0 3 * * 1-5', '30 2 * * *', '0 0 1 * *', '15 4 29 2 *', '0 12 * * 0']

const beat = (n: number) =>
  post(`/heartbeat/job-${n}`, {
    status: 'operational',
    schedule: crons[n % crons.length],
    tz: zones[n % zones.length],
  })

/** Of a core, while nothing happens. */
async function idleShareOf(pid: number): Promise<number> {
  await sleep(3_000)
  const before = cpuMsOf(pid)
  await sleep(idleSeconds * 1_000)
  return (cpuMsOf(pid) - before) / (idleSeconds * 1_000)
}

async function measure(folder: string, databaseUrl: string | undefined): Promise<Gate[]> {
  const env = { DATA_DIR: folder, ...(databaseUrl === undefined ? {} : { STATUS_DATABASE_URL: databaseUrl }) }
  const start = () =>
    startServer({ script: 'src/bin/status-worker.ts', readyPath: '/health', portName: 'STATUS_PORT', env, folder })
  let worker = await start()
  const emptyShare = await idleShareOf(worker.pid)
  for (let n = 0; n < components; n += 1) await ask(worker.port, beat(n))

  const readyMs: number[] = []
  for (let n = 0; n < starts; n += 1) {
    // So that what was told is saved.
    await sleep(1_500)
    process.kill(worker.pid, 'SIGKILL')
    await worker.stop()
    worker = await start()
    readyMs.push(worker.readyMs)
  }

  const idleShare = (await idleShareOf(worker.pid)) - emptyShare

  const times: number[] = []
  await Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      const connection = await openConnection(worker.port)
      for (let n = lane; n < 5 * components; n += 8) {
        const startedAt = performance.now()
        const { status, body } = await connection.send(beat(n % components))
        times.push(performance.now() - startedAt)
        if (status !== 200) throw new Error(`${status} ${body}`)
      }
      connection.close()
    }),
  )
  await worker.stop()

  const [ready, p99] = [Math.max(...readyMs), quantile(times, 0.99)]
  printTable([
    [`${components} schedules, ${databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'}`, 'median', 'worst or p99'],
    ['ready after kill -9', `${median(readyMs).toFixed(0)} ms`, `${ready.toFixed(0)} ms`],
    ['a heartbeat, 8 at a time', `${median(times).toFixed(1)} ms`, `${p99.toFixed(1)} ms`],
    ['CPU while nothing happens, above that of none', `${(100 * idleShare).toFixed(2)} % of a core`, ''],
  ])
  return [
    { promise: 'ready within 1 s', figure: `${ready.toFixed(0)} ms`, held: ready <= 1_000 },
    { promise: 'p99 of a heartbeat under 50 ms', figure: `${p99.toFixed(1)} ms`, held: p99 < 50 },
    { promise: 'under 1 % of a core', figure: `${(100 * idleShare).toFixed(2)} %`, held: idleShare < 0.01 },
  ]
}

const folder = mkdtempSync(join(tmpdir(), 'menagerie-schedules-'))
try {
  const gates = await withDatabase(process.env.TEST_DATABASE_URL, (url) => measure(folder, url))
  const missed = gates.filter(({ held }) => !held)
  for (const { promise, figure } of missed) console.error(`not held: ${promise}: ${figure}`)
  process.exitCode = missed.length > 0 ? 1 : 0
} finally {
  rmSync(folder, { recursive: true })
}
