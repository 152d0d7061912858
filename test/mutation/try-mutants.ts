import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** CPU time, which does not depend on what else the machine does; the other limit ends a test that only waits. */
const limits = { minCpuSeconds: 2, waitMs: 120_000, heapMiB: 400 }
/** An endless loop that does nothing else ends early, and a mutant may well double the work. */
const slowdown = 4

/** Tries every mutant of a file, `jobs` at a time. Nothing is written: the mutants reach their processes by a pipe. */
export async function tryMutants(path: string, { tests, only }: Target, jobs: number): Promise<Tried[]> {
  const source = readFileSync(join(root, path), 'utf8')
  const trialOf = async (changed: string): Promise<Trial> => ({
    path: join(root, path),
    source: await withoutTypes(path, changed),
    tests: tests.map((test) => join(root, test)),
  })
  const before = performance.now()
  const unchanged = await run(await trialOf(source), 100)
  if (unchanged === 'not loaded') throw new Error(`${path} is loaded by none of its tests: ${tests.join(' ')}`)
  if (unchanged !== 'survived') throw new Error(`${path}: its tests fail without any change: ${tests.join(' ')}`)
  const cpuSeconds = limits.minCpuSeconds + Math.ceil((slowdown * (performance.now() - before)) / 1_000)
  const queue = mutantsOf(path, source, only).entries()
  const tried: Tried[] = []
  const work = async () => {
    for (const [index, mutant] of queue) {
      const outcome = await run(await trialOf(mutant.source), cpuSeconds)
      tried[index] = { mutant, outcome: outcome === 'not loaded' ? 'killed' : outcome }
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
const notLoaded = 3

async function run(trial: Trial, cpuSeconds: number): Promise<Outcome | 'not loaded'> {
  const node = [
    process.execPath,
    `--max-old-space-size=${limits.heapMiB}`,
    '--import=./test/support/test-scopes.ts',
    'test/mutation/try-mutant.ts',
  ]
  const child = spawn('sh', ['-c', limited, 'sh', String(cpuSeconds), ...node], {
    cwd: root,
    // The same random cases for every mutant.
    env: { ...process.env, TEST_SEED: '1' },
    stdio: ['pipe', 'ignore', process.env.MUTATION_ERRORS ? 'inherit' : 'ignore'],
    timeout: limits.waitMs,
    killSignal: 'SIGKILL',
  })
  children.add(child)
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(trial))
  const { promise, resolve, reject } = Promise.withResolvers<readonly [number | null, NodeJS.Signals | null]>()
  child.once('error', reject)
  child.once('exit', (code, signal) => resolve([code, signal]))
  const [code, signal] = await promise
  children.delete(child)
  if (signal === 'SIGXCPU' || signal === 'SIGKILL') return 'timeout'
  if (code === notLoaded) return 'not loaded'
  return code === 0 ? 'survived' : 'killed'
}
