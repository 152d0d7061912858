import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { aborts } from './aborts.ts'
import { delayGates } from './delays.ts'
import { heartbeats } from './heartbeats.ts'
import { kills } from './kills.ts'
import { limiterKeys } from './limiter-keys.ts'
import { type Context, type Finding, type LoadRun, NotRun } from './load-run.ts'
import { logins } from './logins.ts'
import { aboutMachine, watchMachine } from './machine.ts'
import { manyOfEach } from './many.ts'
import { mixed } from './mixed.ts'
import { openConnections } from './open-connections.ts'
import { overload } from './overload.ts'
import { gateRows, hasFailed, notesOf, type Outcome, writeReport } from './report.ts'
import { slowReaders } from './slow-readers.ts'
import { soak } from './soak.ts'
import { start } from './start.ts'
import { uploads } from './uploads.ts'

/*
 * npm run test:load -- [L01 L05 …] [--factor 40 | --full] [--repeats 3] [--out folder]: the service, as its own process,
 * under load. About 10 minutes; in full, 5 hours. With TEST_DATABASE_URL and TEST_REDIS_URL, also over PostgreSQL and Redis.
 */

const runs: readonly LoadRun[] = [
  mixed,
  soak,
  start,
  overload,
  logins,
  slowReaders,
  openConnections,
  aborts,
  uploads,
  manyOfEach,
  limiterKeys,
  kills,
  heartbeats,
]
/** Their event loop is L13. */
const delayed = ['L01', 'L09', 'L10']

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    factor: { type: 'string', default: '40' },
    repeats: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
})
const wholeNumber = (name: 'factor' | 'repeats') => {
  const value = Number(flags[name])
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} must be a whole number from 1, not ${flags[name]}`)
  return value
}
const factor = flags.full ? 1 : wholeNumber('factor')
const repeats = wholeNumber('repeats')
const wanted = positionals.map((id) => id.toUpperCase())
const known = [...runs.map(({ id }) => id), 'L13']
const unknown = wanted.filter((id) => !known.includes(id))
if (unknown.length > 0) throw new Error(`there is no run ${unknown.join(', ')}; there are ${known.join(', ')}`)
const isWanted = (id: string) => wanted.length === 0 || wanted.includes(id)
const chosen = runs.filter(({ id }) => isWanted(id) || (isWanted('L13') && delayed.includes(id)))

const folder = mkdtempSync(join(tmpdir(), 'menagerie-load-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
const out = flags.out ?? mkdtempSync(join(tmpdir(), 'menagerie-load-report-'))

const context: Context = {
  folder,
  isFull: factor === 1,
  scaled: (full, least) => Math.max(least, Math.round(full / factor)),
}
const command = ['npm run test:load', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ')
console.log(`${aboutMachine()}\n${factor === 1 ? 'In full' : `Shortened by a factor of ${factor}`}`)

async function outcomeOf({ id, title, run }: LoadRun): Promise<Outcome> {
  const findings: Finding[] = []
  try {
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      const machine = watchMachine()
      const { notes, ...finding } = await run(context)
      findings.push({ ...finding, notes: [...notes, machine.stop()] })
    }
    return { id, title, findings }
  } catch (error) {
    if (error instanceof NotRun) return { id, title, findings, notRun: error.message }
    return { id, title, findings, brokeOff: `broke off: ${(error as Error).stack ?? error}` }
  }
}

const outcomes: Outcome[] = []
const tell = (outcome: Outcome) => {
  outcomes.push(outcome)
  for (const line of gateRows(outcome)) console.log(line)
}
for (const run of chosen) {
  console.log(`\n${run.id}: ${run.title} …`)
  const outcome = await outcomeOf(run)
  tell(outcome)
  for (const note of notesOf(outcome)) console.log(`  ${note}`)
}
if (isWanted('L13')) tell(delayGates(outcomes.filter(({ id }) => delayed.includes(id))))
console.log(`\nReport: ${writeReport(out, { command, factor, repeats, outcomes })}`)
if (outcomes.some(hasFailed)) process.exitCode = 1
