import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { readOutcomes } from '../support/outcomes.ts'
import { filesOf, rows } from './table.ts'
import { printVerdict, printVerdicts, verdictOf } from './verdict.ts'

/*
 * npm run test:faults [-- F01 F13 …]: the tests of these rows of the table, or of all, in their longest size. Ends with
 * a line for each row, and with 1 if one does not hold or names a test that does not exist. With --write, all rows, and
 * what they printed is kept for docs/reliability.md.
 */

const { positionals: wanted, values: flags } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false } },
})
const unknown = wanted.filter((id) => !rows.some((row) => row.id === id))
const chosen = rows.filter(({ id }) => wanted.length === 0 || flags.write || wanted.includes(id))

async function run(): Promise<number> {
  const { path, remove } = temporaryFolder()
  const file = join(path, 'outcomes.json')
  const child = spawn(process.execPath, [join(import.meta.dirname, '../run.ts'), 'all', ...filesOf(chosen)], {
    env: { ...process.env, TEST_SIZE: 'longest', TEST_OUTCOMES: file },
    stdio: 'inherit',
  })
  // A Ctrl-C reaches the child too, which ends what it has started.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => signal !== 'SIGINT' && child.kill(signal))
  const [code] = await once(child, 'exit')
  const outcomes = existsSync(file) ? readOutcomes(file) : []
  remove()
  const verdicts = chosen.map((row) => [row, verdictOf(row, outcomes)] as const)
  process.stdout.write(`\n${printVerdicts(verdicts)}`)
  if (flags.write) keep(verdicts.map(([{ id }, verdict]) => [id, printVerdict(verdict)]))
  return code === 0 && verdicts.some(([, { state }]) => state === 'FAILED') ? 1 : (code ?? 1)
}

function keep(verdicts: readonly (readonly [string, string])[]): void {
  const run = {
    date: new Date().toISOString().slice(0, 10),
    minutes: Math.round(performance.now() / 6_000) / 10,
    node: process.version,
    cores: availableParallelism(),
    verdicts: Object.fromEntries(verdicts),
  }
  writeFileSync(join(import.meta.dirname, 'last-run.json'), `${JSON.stringify(run, null, 2)}\n`)
}

if (unknown.length > 0) {
  process.stderr.write(`No such row: ${unknown.join(', ')}. There are ${rows.map(({ id }) => id).join(' ')}\n`)
  process.exitCode = 1
} else process.exitCode = await run()
