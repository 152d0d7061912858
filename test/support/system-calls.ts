import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { atEnd } from './at-end.ts'
import { spawn } from './spawn.ts'
import { until } from './until.ts'

/** A call of a traced process, with the line numbers of its beginning and end. */
export interface SystemCall {
  readonly name: string
  /** As written by strace: `3</path/of/the/descriptor>, "text"`. */
  readonly args: string
  readonly begin: number
  end: number
}

/** The prefix of a command that writes its calls to a file; the process stays the command's own. */
export const traced = (file: string, calls: readonly string[]) =>
  ['strace', '-D', '-f', '-y', '-s', '64', '--seccomp-bpf', '-o', file, '-e', `trace=${calls.join(',')}`] as const

/** From now on these calls of a running process fail, as strace's `inject` says: `error=EIO`. Returns what ends that. */
export async function failCalls(pid: number | undefined, calls: readonly string[], how: string) {
  const names = calls.join(',')
  const strace = spawn('strace', ['-f', '-p', String(pid), '-o', '/dev/null', '-e', `inject=${names}:${how}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  strace.stderr.on('data', (chunk: Buffer) => {
    said += chunk
  })
  await until(() => {
    if (strace.exitCode !== null) throw new Error(`strace ended: ${said}`)
    return /attached/.test(said)
  }, 'strace to trace the process')
  return atEnd(async () => {
    strace.kill('SIGINT')
    if (strace.exitCode === null && strace.signalCode === null) await once(strace, 'exit')
  })
}

/** Why calls cannot be traced here; false if they can. */
export function noTracing(): string | false {
  if (process.platform !== 'linux') return 'only Linux has strace'
  try {
    execFileSync('strace', ['-f', '-o', '/dev/null', 'true'], { stdio: 'ignore' })
    return false
  } catch {
    if (process.env.CI) throw new Error('strace does not work here, and in CI it may not be skipped')
    return 'strace is not installed, or may trace nothing here'
  }
}

/** In order of beginning. */
export function callsIn(file: string): SystemCall[] {
  const calls: SystemCall[] = []
  const open = new Map<string, SystemCall>()
  for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    const resumed = /^(\d+) +<\.\.\. \w+ resumed>/.exec(line)
    if (resumed) {
      const call = open.get(resumed[1] ?? '')
      if (call) call.end = at
      continue
    }
    const [, pid = '', name = '', args = ''] = /^(\d+) +(\w+)\((.*)$/.exec(line) ?? []
    if (name === '') continue
    const isUnfinished = args.endsWith('<unfinished ...>')
    const call = { name, args, begin: at, end: isUnfinished ? Number.POSITIVE_INFINITY : at }
    calls.push(call)
    if (isUnfinished) open.set(pid, call)
  }
  return calls
}
