import { EventEmitter, once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { runCli } from '../../src/cli/cli.ts'
import { type Clock, systemClock } from '../../src/lib/clock.ts'
import { testHasher } from '../support/hasher.ts'
import { isFullSize } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Env = Readonly<Record<string, string>>

const binary = fileURLToPath(new URL('../../src/bin/cli.ts', import.meta.url))

/** Runs the real program in a process of its own, without a terminal. */
export async function toolProcess(env: Env, args: readonly string[], input?: string | Uint8Array): Promise<Ran> {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => {})
  child.stdin.end(input ?? '')
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

/** Runs the same program in this process, for many runs: a process takes 0.4 s of CPU to start. */
export async function toolHere(
  env: Env,
  args: readonly string[],
  input: string | Uint8Array = '',
  clock: Clock = systemClock,
  signals: EventEmitter = process,
  terminal: { readonly isTTY?: boolean; readonly columns?: number } = {},
): Promise<Ran> {
  const stdin = Readable.from([Buffer.from(input)])
  const stdout = Object.assign(new PassThrough(), terminal)
  const stderr = new PassThrough()
  const said = Promise.all([text(stdout), text(stderr)])
  const code = await runCli(args, {
    env,
    clock,
    stdin,
    stdout,
    stderr,
    backoffMs: [100, 300],
    hasher: testHasher,
    signals,
  })
  stdout.end()
  stderr.end()
  const [out, err] = await said
  return { code, stdout: out, stderr: err }
}

/** For tests that may use either: of output, exit code and effect. */
export const tool: typeof toolProcess = isFullSize ? toolProcess : toolHere

/** Starts the real program, and can interrupt it. */
export function beginProcess(env: Env, args: readonly string[]) {
  const child = spawn(process.execPath, [binary, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]).then(
    ([stdout, stderr, [code]]): Ran => ({ code, stdout, stderr }),
  )
  return { interrupt: () => void child.kill('SIGINT'), ended }
}

function beginHere(env: Env, args: readonly string[]): ReturnType<typeof beginProcess> {
  const signals = new EventEmitter()
  return {
    interrupt: () => void signals.emit('SIGINT'),
    ended: toolHere(env, args, '', systemClock, signals),
  }
}

/** As `tool`, but can interrupt it. */
export const begin: typeof beginProcess = isFullSize ? beginProcess : beginHere

/** The JSON document that it prints, to set up a test or to check its effect. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export async function toolJson(env: Env, args: readonly string[], input?: string): Promise<any> {
  const { code, stdout, stderr } = await toolHere(env, [...args, '--json'], input)
  if (code !== 0) throw new Error(`${args.join(' ')}: exit code ${code}, ${stderr}`)
  return JSON.parse(stdout)
}

export interface Exchange {
  /** A text on the screen, after the previous answer. */
  readonly asked: string
  readonly typed: string
  /** Runs before the answer is typed. */
  readonly meanwhile?: () => Promise<unknown>
}

/** Runs in this process too, with a terminal that types the answers; `screen` is all that a person would see. */
export async function atTerminal(env: Env, args: readonly string[], exchanges: readonly Exchange[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stdout = new PassThrough()
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const open = [...exchanges]
  let screen = ''
  let seen = 0
  stdout.on('data', (chunk) => {
    screen += chunk
  })
  stderr.on('data', async (chunk) => {
    screen += chunk
    const [next] = open
    if (!next || !screen.slice(seen).includes(next.asked)) return
    open.shift()
    seen = screen.length
    await next.meanwhile?.()
    stdin.write(next.typed)
  })
  const code = await runCli(args, { env, clock: systemClock, hasher: testHasher, stdin, stdout, stderr })
  return { code, screen, unasked: open.map(({ asked }) => asked) }
}
