import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from '../support/at-end.ts'
import { freePort } from '../support/free-port.ts'
import { spawn } from '../support/spawn.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

export { until } from '../support/until.ts'

export type Program = 'api' | 'status-worker' | 'start'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ProgramOptions {
  readonly env?: Record<string, string>
  readonly dataDir?: string
  readonly stdout?: 'pipe' | number
  /** What to run instead of the program in src/bin. */
  readonly command?: readonly [file: string, ...args: string[]]
}

const root = join(import.meta.dirname, '../..')

/** A real process with only the environment that the test sets; it is killed after the test. */
export class Running {
  readonly child: ChildProcess
  readonly dataDir: string
  readonly port: number
  readonly statusPort: number
  readonly ended: Promise<Ended>
  /** Resolves when the process has ended and all its output is here. */
  readonly closed: Promise<unknown>
  out = ''
  err = ''

  private constructor(program: Program, port: number, dataDir: string, options: ProgramOptions) {
    const { env = {}, stdout = 'pipe' } = options
    const [file, ...args] = options.command ?? [process.execPath, join(root, 'src/bin', `${program}.ts`)]
    this.port = port
    this.statusPort = port + 1
    this.dataDir = dataDir
    this.child = spawn(file, args, {
      cwd: dataDir,
      env: {
        PATH: process.env.PATH,
        DATA_DIR: dataDir,
        HOST: '127.0.0.1',
        SAMPLE_IMAGES: 'false',
        PORT: String(port),
        STATUS_PORT: String(port + 1),
        ...env,
      },
      stdio: [options.command ? 'pipe' : 'ignore', stdout, 'pipe'],
    })
    this.child.stdout?.on('data', (chunk) => {
      this.out += chunk
    })
    this.child.stderr?.on('data', (chunk) => {
      this.err += chunk
    })
    this.closed = once(this.child, 'close')
    this.ended = once(this.child, 'exit').then(([code, signal]) => ({ code, signal }))
  }

  static async start(program: Program, options: ProgramOptions = {}): Promise<Running> {
    const running = new Running(program, await freePort(2), options.dataDir ?? testFolder(), options)
    atEnd(async () => {
      const pids = running.children()
      running.child.kill('SIGKILL')
      await running.ended
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
      // A child that is still alive may recreate the folder.
      await until(() => !pids.some(isAlive), 'the end of its children')
    })
    return running
  }

  /** Returns the process once each of its servers has logged that it is listening. */
  static async listening(program: Program, options: ProgramOptions = {}): Promise<Running> {
    const running = await Running.start(program, options)
    await running.said(/is listening/, program === 'start' ? 2 : 1)
    return running
  }

  /** Resolves when the pattern has appeared `count` times on standard output. */
  async said(pattern: RegExp, count = 1): Promise<void> {
    const all = new RegExp(pattern, 'g')
    await until(() => {
      if ((this.out.match(all)?.length ?? 0) >= count) return true
      if (this.child.exitCode !== null) throw new Error(`ended with ${this.child.exitCode}: ${this.out}${this.err}`)
      return false
    }, `${pattern} in the output of the process`)
  }

  /** Its children's process ids, on Linux. */
  children(): number[] {
    if (process.platform !== 'linux') return []
    return readdirSync('/proc').flatMap((entry) => {
      const pid = Number(entry)
      return pid > 0 && statOf(pid)?.parent === this.child.pid ? [pid] : []
    })
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get workerUrl(): string {
    return `http://127.0.0.1:${this.statusPort}`
  }
}

/** The components that the worker at this address knows: `id status`, by id. */
export async function knownTo(workerUrl: string): Promise<string[]> {
  const answer = await fetch(`${workerUrl}/health`)
  if (answer.status !== 200) return []
  const { components } = (await answer.json()) as { components: { componentId: string; lastReportedStatus: string }[] }
  return components.map(({ componentId, lastReportedStatus }) => `${componentId} ${lastReportedStatus}`)
}

/** The components of the API that `npm start` runs, if all are operational. */
export const allUp = ['api operational', 'database operational', 'object-store operational']

/** A zombie that nobody has waited for is not alive. */
export function isAlive(pid: number): boolean {
  const stat = statOf(pid)
  return stat !== null && stat.state !== 'Z'
}

function statOf(pid: number): { state: string; parent: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
    return { state: fields[0] ?? '', parent: Number(fields[1]) }
  } catch {
    return null
  }
}
