import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { transformWithOxc } from 'vite'
import { type Mutant, mutantsOf } from './mutants.ts'
import type { Target } from './targets.ts'

const root = join(import.meta.dirname, '../..')

/** What a process of its own runs: these tests, with this source in the place of the file. */
export interface Trial {
  readonly path: string
  readonly source: string
  readonly tests: readonly string[]
}

export type Outcome = 'killed' | 'timeout' | 'survived'

export interface Tried {
  readonly mutant: Mutant
  readonly outcome: Outcome
}

/** Limits of CPU time do not depend on what else the machine does; this one ends a test that only waits. */
const maxWaitMs = 60_000
const maxCpuSeconds = 100
const maxHeapMiB = 400
/** An endless loop ends early, and a mutant may well double the work. */
const slowdown = 3

/** Tries every mutant of a file, `jobs` at a time. Nothing is written: the mutants reach their processes by a pipe. */
export async function tryMutants(path: string, { tests, only }: Target, jobs: number): Promise<Tried[]> {
  const source = readFileSync(join(root, path), 'utf8')
  const trialOf = async (changed: string): Promise<Trial> => ({
    path: join(root, path),
    source: await withoutTypes(path, changed),
    tests: tests.map((test) => join(root, test)),
  })
  const unchanged = await run(await trialOf(source), maxCpuSeconds)
  if (unchanged.cpuSeconds === null) throw new Error(`${path} is loaded by none of its tests: ${tests.join(' ')}`)
  if (unchanged.outcome !== 'survived')
    throw new Error(`${path}: its tests fail without any change: ${tests.join(' ')}`)
  const cpuSeconds = 1 + Math.ceil(slowdown * unchanged.cpuSeconds)
  const queue = mutantsOf(path, source, only).entries()
  const tried: Tried[] = []
  const work = async () => {
    for (const [index, mutant] of queue) {
      const { outcome } = await run(await trialOf(mutant.source), cpuSeconds)
      tried[index] = { mutant, outcome }
    }
  }
  await Promise.all(Array.from({ length: jobs }, work))
  return tried
}

/** Here, so that no process has to load what erases types. */
async function withoutTypes(path: string, source: string): Promise<string> {
  const { code } = await transformWithOxc(source, path, { tsconfig: false, sourcemap: false, target: 'esnext' })
  return code
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** `ulimit` counts CPU time, which Node cannot limit for a child. */
const limited = 'ulimit -t "$1"; shift; exec "$@"'

async function run(trial: Trial, maxSeconds: number) {
  const node = [
    process.execPath,
    `--max-old-space-size=${maxHeapMiB}`,
    '--import=./test/support/test-scopes.ts',
    'test/mutation/try-mutant.ts',
  ]
  const child = spawn('sh', ['-c', limited, 'sh', String(maxSeconds), ...node], {
    cwd: root,
    // The same random cases for every mutant.
    env: { ...process.env, TEST_SEED: '1' },
    stdio: ['pipe', 'ignore', process.env.MUTATION_ERRORS ? 'inherit' : 'ignore', 'pipe'],
    timeout: maxWaitMs,
    killSignal: 'SIGKILL',
  })
  children.add(child)
  const [stdin, , , report] = child.stdio as unknown as [Writable, null, null, Readable]
  stdin.on('error', () => {})
  stdin.end(JSON.stringify(trial))
  const cpuTime = text(report)
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number | null, NodeJS.Signals | null]>()
  child.once('error', reject)
  child.once('exit', (code, signal) => resolve([code, signal]))
  const [code, signal] = await promise
  children.delete(child)
  const isLate = signal === 'SIGXCPU' || signal === 'SIGKILL'
  const outcome: Outcome = isLate ? 'timeout' : code === 0 ? 'survived' : 'killed'
  const seconds = await cpuTime
  return { outcome, cpuSeconds: seconds === '' ? null : Number(seconds) }
}
