import { globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'
import { writeOutcomes } from './support/outcomes.ts'
import { startSuite } from './support/suite.ts'
import { timeAll } from './support/times.ts'

/*
 * node test/run.ts [all] [path…]: `npm test`, and with `all` `npm run test:all`, where each test has its full size
 * (support/size.ts). With paths, only the files whose path starts with one of them. TEST_TIMES=1 prints what each takes;
 * TEST_OUTCOMES=<file> writes there what became of each test. `npm test` without paths leaves out `onlyInAll`.
 */

const root = join(import.meta.dirname, '..')
process.chdir(root)
const isAll = process.argv[2] === 'all'
const paths = process.argv.slice(isAll ? 3 : 2)

/**
 * These start, stop and kill processes, walk through pages in a browser or build packages, which takes seconds of CPU in
 * any size. The promises that others are likely to break have quick tests beside them.
 */
const onlyInAll = [
  'test/api/proxies.test.ts',
  'test/bin/away.test.ts',
  'test/bin/data-dir.test.ts',
  'test/bin/environment.test.ts',
  'test/bin/late-database.test.ts',
  'test/bin/process.test.ts',
  'test/bin/refusals.test.ts',
  'test/bin/release-before.test.ts',
  'test/bin/secret-missing.test.ts',
  'test/bin/stop.test.ts',
  'test/bin/unhandled.test.ts',
  'test/cli/completion.test.ts',
  'test/cli/move.test.ts',
  'test/cli/restore.test.ts',
  'test/client/browser.test.ts',
  'test/cluster/',
  'test/console/acts.test.ts',
  'test/console/bulk.test.ts',
  'test/console/clock.test.ts',
  'test/console/frame.test.ts',
  'test/console/hour.test.ts',
  'test/console/image-files.test.ts',
  'test/console/images.test.ts',
  'test/console/keys-audit-reports.test.ts',
  'test/console/lists.test.ts',
  'test/console/overview.test.ts',
  'test/console/pictures.test.ts',
  'test/console/presses.test.ts',
  'test/console/session.test.ts',
  'test/console/status-people.test.ts',
  'test/console/status.test.ts',
  'test/console/uploads.test.ts',
  'test/console/users.test.ts',
  'test/console/walks.test.ts',
  'test/demo.test.ts',
  'test/deploy/caddy.test.ts',
  'test/deploy/compose.test.ts',
  'test/deploy/systemd.test.ts',
  'test/drivers/counters/redis-faults.test.ts',
  'test/drivers/counters/table.test.ts',
  'test/drivers/image-news/',
  'test/drivers/objects/folder/crashes.test.ts',
  'test/drivers/objects/s3/body.test.ts',
  'test/drivers/objects/s3/faults.test.ts',
  'test/drivers/objects/s3/resumable.test.ts',
  'test/drivers/objects/s3/socket.test.ts',
  'test/drivers/objects/s3/upload-faults.test.ts',
  'test/drivers/sizes/resizer.test.ts',
  'test/faults/account-durability.test.ts',
  'test/faults/acts-killed.test.ts',
  'test/faults/counters-killed.test.ts',
  'test/faults/crash-loop.test.ts',
  'test/faults/failing-disk.test.ts',
  'test/faults/file-limits.test.ts',
  'test/faults/full-disk.test.ts',
  'test/faults/not-writable.test.ts',
  'test/faults/random-bytes.test.ts',
  'test/faults/scarce.test.ts',
  'test/faults/sessions-killed.test.ts',
  'test/faults/sizes.test.ts',
  'test/faults/start-killed.test.ts',
  'test/faults/stops.test.ts',
  'test/faults/store.test.ts',
  'test/faults/upload-durability.test.ts',
  'test/faults/uploads-killed.test.ts',
  'test/faults/worker-acts-killed.test.ts',
  'test/faults/worker-disk-full.test.ts',
  'test/faults/worker-killed.test.ts',
  'test/faults/worker-paused.test.ts',
  'test/faults/worker-unsaved.test.ts',
  'test/faults/wrong-clock.test.ts',
  'test/images/browser.test.ts',
  'test/images/embed-browser.test.ts',
  'test/images/sizes/looks.test.ts',
  'test/packages.test.ts',
  'test/process/heap.test.ts',
  'test/readme.test.ts',
  'test/reference/docs-browser.test.ts',
  'test/reference/samples.test.ts',
  'test/release.test.ts',
]

/**
 * Each group has a process of its own and starts first: these tests wait more than they compute, the last group for
 * processes of low priority.
 */
const slowest = [
  [
    'test/faults/worker-paused.test.ts',
    'test/faults/worker-unsaved.test.ts',
    'test/faults/not-writable.test.ts',
    'test/bin/away.test.ts',
    'test/bin/process.test.ts',
    'test/bin/refusals.test.ts',
  ],
  ['test/deploy/systemd.test.ts', 'test/readme.test.ts', 'test/cli/status.test.ts'],
  [
    'test/packages.test.ts',
    'test/cli/backup.test.ts',
    'test/faults/acts-killed.test.ts',
    'test/faults/crash-loop.test.ts',
    'test/faults/stops.test.ts',
  ],
  ['test/faults/failing-disk.test.ts', 'test/faults/scarce.test.ts', 'test/faults/wrong-clock.test.ts'],
  [
    'test/faults/start-killed.test.ts',
    'test/faults/uploads-killed.test.ts',
    'test/faults/counters-killed.test.ts',
    'test/faults/sessions-killed.test.ts',
  ],
  ['test/faults/store.test.ts', 'test/images/proxy.test.ts', 'test/drivers/counters/redis-faults.test.ts'],
  ['test/drivers/sizes/resizer.test.ts', 'test/images/sizes/serving.test.ts', 'test/faults/sizes.test.ts'],
]
/** These share a browser; the pictures need one of their own. */
const inBrowser = /^test\/console\/(?!pictures)|browser\.test\.ts$/
const ofPictures = /^test\/console\/pictures/

/** At the same time, two clusters under load would fail each other's requests on two cores. */
const inCluster = /^test\/cluster\//

/** Test files that measure or change their process run one after another in a process without the others. */
const needsProcess = /\bprocess\.(on|once|memoryUsage|cpuUsage|chdir)\b|\bprocess\.env[^\n]* = |assign\(process\.env/

const urlOf = (path: string) => JSON.stringify(pathToFileURL(join(root, path)).href)

function written(name: string, lines: readonly string[]): string {
  const file = join(suite.folder, `${name}.test.mjs`)
  writeFileSync(file, [`import ${urlOf('test/support/at-end.ts')}`, ...lines, ''].join('\n'))
  return file
}

/** A process of several files, each a suite with its own hooks. */
const groupOf = (own: readonly string[], name: string) =>
  written(name, [
    `import { describe } from 'node:test'`,
    `import { timeFile } from ${urlOf('test/support/times.ts')}`,
    ...own.map((path) => {
      const name = JSON.stringify(path)
      return `describe(${name}, () => (timeFile(${name}), import(${urlOf(path)})))`
    }),
  ])

const isIn = (starts: readonly string[], path: string) => starts.some((start) => path.startsWith(start))
const files = globSync('test/**/*.test.ts')
  .filter((path) => (paths.length === 0 ? isAll || !isIn(onlyInAll, path) : isIn(paths, path)))
  .sort()
const slow = [inCluster, ofPictures, inBrowser]
  .map((place) => files.filter((path) => place.test(path)))
  .concat(isAll ? slowest : [])
  .map((group) => group.filter((path) => files.includes(path)))
  .filter(({ length }) => length > 0)
const isolated = files.filter((path) => !slow.flat().includes(path) && needsProcess.test(readFileSync(path, 'utf8')))
const shared = files.filter((path) => !slow.flat().includes(path) && !isolated.includes(path))
// More shards than cores, since each waits now and then, and at the end of a run nothing else computes.
const shardCount = Math.min(4, shared.length)

if (isAll && process.env.TEST_SIZE !== 'longest') process.env.TEST_SIZE = 'full'
const outcomesFile = process.env.TEST_OUTCOMES
// Not for a run that a test starts.
delete process.env.TEST_OUTCOMES
// In memory, without the fsync of a disk, it takes a third of the time.
const suite = startSuite({ isInMemory: !isAll })
const printTimes = process.env.TEST_TIMES ? timeAll(join(suite.folder, 'times')) : () => {}
const taken = join(suite.folder, 'taken')
mkdirSync(taken)
/** Larger files first, so that no shard starts a long one when the others end. */
const bySize = shared.map((path) => ({ path, size: statSync(path).size })).sort((one, other) => other.size - one.size)
const queue = JSON.stringify(bySize.map(({ path }) => path))
const shards = Array.from({ length: shardCount }, (_, shard) =>
  written(`shard-${shard + 1}`, [
    `import { runShard } from ${urlOf('test/support/shard.ts')}`,
    `await runShard(${queue}, ${JSON.stringify(taken)})`,
  ]),
)
const groups = slow.map((own, index) => groupOf(own, `slow-${index + 1}`))
const alone = isolated.length > 0 ? [groupOf(isolated, 'alone')] : []

const interruption = new AbortController()
let exitCode = 0
const interrupt = (code: number) => {
  exitCode = code
  interruption.abort()
  suite.kill()
}
for (const [signal, code] of [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => interrupt(code))

const events = run({
  // A shard first: its output is shown at once, and that of the others when it is their turn. It tests while others wait.
  files: [...shards.slice(0, 1), ...groups, ...shards.slice(1), ...alone],
  // Tests that start programs wait for them more than they compute.
  // With real services beside them, more files at once make servers miss the deadlines of tests on a slow machine.
  concurrency: availableParallelism() + (isAll ? 1 : 5),
  timeout: 120_000,
  // The order matters.
  execArgv: ['--import=./test/support/test-scopes.ts', '--import=./test/support/watched.ts'],
  signal: interruption.signal,
})
if (outcomesFile) writeOutcomes(events, outcomesFile)
/** Why a process of tests failed: the runner does not say it after its summary, and counts no test that did not run. */
const reasons: string[] = []
events.on('test:fail', ({ name, details: { error } }) => {
  exitCode ||= 1
  const { exitCode: code, signal } = error as Error & { exitCode?: number; signal?: string }
  if (signal || code) reasons.push(`${name} ended with ${signal ?? code}`)
})
events.on('test:diagnostic', ({ message }) => {
  if (message.includes('asynchronous activity after the test ended')) reasons.push(message)
})
events.on('end', () => {
  printTimes()
  if (reasons.length > 0) process.stderr.write(`\n${reasons.join('\n')}\n`)
  const left = shared.length - readdirSync(taken).length
  if (left > 0 && !interruption.signal.aborted) {
    process.stderr.write(`${left} test files were not run\n`)
    exitCode ||= 1
  }
  const isFine = suite.end({ isInterrupted: interruption.signal.aborted, isWhole: paths.length === 0 })
  process.exitCode = exitCode || (isFine ? 0 : 1)
})
events.compose(spec).pipe(process.stdout)
