import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { readOutcomes } from '../support/outcomes.ts'
import { filesOf, rows } from './table.ts'
import { printVerdicts, verdictOf } from './verdict.ts'

/*
 * npm run test:faults [-- F01 F13 …]: the tests of these rows of the table, or of all, in their longest size. Ends with
 * a line for each row, and with 1 if one does not hold or names a test that does not exist.
 */

const wanted = process.argv.slice(2)
const unknown = wanted.filter((id) => !rows.some((row) => row.id === id))
const chosen = rows.filter(({ id }) => wanted.length === 0 || wanted.includes(id))

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
  return code === 0 && verdicts.some(([, { state }]) => state === 'FAILED') ? 1 : (code ?? 1)
}

if (unknown.length > 0) {
  process.stderr.write(`No such row: ${unknown.join(', ')}. There are ${rows.map(({ id }) => id).join(' ')}\n`)
  process.exitCode = 1
} else process.exitCode = await run()
