import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const variable = 'MENAGERIE_WATCH_FOLDER'

/** Where the process of a test file reports what it is doing; null if nobody watches it. */
export const stateFileOf = (pid: number): string | null =>
  process.env[variable] === undefined ? null : join(process.env[variable], String(pid))

interface State {
  readonly path: string
  readonly running: readonly string[]
  readonly hasEnded: boolean
  /** Once it has ended its tests: what may keep it alive. */
  readonly resources: readonly string[]
}

/** A test's own timeout ends waits; this ends processes that compute forever, or are done but do not exit. */
const mostSilentMs = 90_000
const mostAfterEndMs = 60_000
const lookMs = 2_000

/** In the runner: ends hanging processes of test files, and says which test it was. */
export function watchOver(folder: string, say: (line: string) => void): { stop(): void } {
  process.env[variable] = folder
  /** Looks are counted, not time: while the whole machine is paused, or its clock is set, no process hangs. */
  const looks = new Map<string, { reportedAt: number; sinceReport: number; sinceEnd: number }>()
  const look = (name: string) => {
    const file = join(folder, name)
    const { path, running, hasEnded, resources } = JSON.parse(readFileSync(file, 'utf8')) as State
    if (!isAlive(Number(name))) {
      if (running.length > 0) say(`${path} ended in ${running.join(' and ')}`)
      return rmSync(file)
    }
    const { mtimeMs: reportedAt } = statSync(file)
    const before = looks.get(name)
    const sinceReport = before?.reportedAt === reportedAt ? before.sinceReport + 1 : 0
    const sinceEnd = hasEnded ? (before?.sinceEnd ?? 0) + 1 : 0
    looks.set(name, { reportedAt, sinceReport, sinceEnd })
    const reason =
      sinceReport * lookMs > mostSilentMs
        ? `has computed for ${mostSilentMs / 1_000} s without a pause, in ${running.join(' and ') || 'no test'}`
        : sinceEnd * lookMs > mostAfterEndMs
          ? `has ended all of its tests, and one of these keeps its process alive: ${resources.join(', ')}`
          : null
    if (reason === null) return
    say(`${path} ${reason}: killed`)
    process.kill(Number(name), 'SIGKILL')
  }
  const lookAtAll = () => {
    for (const name of readdirSync(folder))
      try {
        look(name)
      } catch {
        // It is being written right now.
      }
  }
  const timer = setInterval(lookAtAll, lookMs).unref()
  return {
    stop() {
      clearInterval(timer)
      lookAtAll()
    },
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** On Linux: the processes with this text in their environment or command line. */
export function processesOf(text: string): { pid: number; command: string }[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!(pid > 0) || pid === process.pid) return []
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      if (command === '') return []
      return (command + readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(text) ? [{ pid, command }] : []
    } catch {
      // Gone meanwhile, or another user's.
      return []
    }
  })
}
