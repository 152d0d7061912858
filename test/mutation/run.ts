import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { temporaryFolder } from '../support/folder.ts'
import { type FileReport, reportOf, summaryOf } from './report.ts'
import { survivors } from './survivors.ts'
import { targets } from './targets.ts'
import { tryMutants } from './try-mutants.ts'

/*
 * npm run test:mutation [-- --jobs 1] [path…]: makes small mistakes in the pure rules, one at a time, and runs the tests
 * of the file against each. With paths, only the files whose path starts with one of them. MUTATION_ERRORS=1 shows what
 * the processes write to stderr.
 */

const minScore = 92
const { values, positionals } = parseArgs({
  options: { jobs: { type: 'string', default: String(availableParallelism()) } },
  allowPositionals: true,
})

// Beside that of `npm test`, where a mutant would take the place of its file.
const cache = temporaryFolder()
process.once('exit', cache.remove)
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.once(signal, () => process.exit(code))
process.env.NODE_COMPILE_CACHE = cache.path

const started = performance.now()
const chosen = Object.entries(targets).filter(
  ([path]) => positionals.length === 0 || positionals.some((start) => path.startsWith(start)),
)
const reports: FileReport[] = []
for (const [path, target] of chosen) {
  const before = performance.now()
  const report = reportOf(path, await tryMutants(path, target, Number(values.jobs)), survivors[path] ?? {})
  reports.push(report)
  const { killed, tried, problems } = report
  console.log(`${killed} of ${tried} killed in ${((performance.now() - before) / 1_000).toFixed()} s: ${path}`)
  for (const problem of problems) console.log(`  ${problem}`)
}
const { text, isFine } = summaryOf(reports, minScore)
console.log(`${text}; ${((performance.now() - started) / 60_000).toFixed(1)} minutes`)
process.exitCode = isFine ? 0 : 1
