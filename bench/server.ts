import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../test/support/free-port.ts'
import { highLimits } from '../test/support/limits.ts'
import { get, openConnection } from './connection.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  /** From the start of the process to the first 200. */
  readonly readyMs: number
  /** Answered by the module preloaded into the server. */
  ask(question: string): Promise<unknown>
  stop(): Promise<void>
}

export interface ServerOptions {
  /** From the root of the project. */
  readonly script: string
  readonly readyPath: string
  /** The setting of the port it listens on. */
  readonly portName?: string
  readonly env: Readonly<Record<string, string>>
  /** Where the process may keep its data and its log. */
  readonly folder: string
  /** A module of this folder to load first; it gets the questions. */
  readonly preload?: string | undefined
}

/** The process gets only the given environment, not that of the shell that runs the bench. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { script, readyPath, env, folder, preload, portName = 'PORT' } = options
  const port = await freePort()
  const log = join(folder, `${port}.log`)
  const out = openSync(log, 'a')
  const startedAt = performance.now()
  const imports = preload === undefined ? [] : ['--import', join(import.meta.dirname, preload)]
  const child = spawn(process.execPath, [...imports, join(import.meta.dirname, '..', script)], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOST: '127.0.0.1', [portName]: String(port), ...env },
    stdio: ['ignore', out, out, ...(preload === undefined ? [] : ['ipc' as const])],
  })
  closeSync(out)
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    await untilReady(child, port, readyPath, log)
  } catch (error) {
    kill()
    throw error
  }
  return {
    port,
    pid: child.pid ?? 0,
    readyMs: performance.now() - startedAt,
    async ask(question) {
      child.send(question)
      return (await once(child, 'message'))[0]
    },
    async stop() {
      if (child.kill('SIGTERM')) await once(child, 'exit')
      process.off('exit', kill)
    },
  }
}

/** The service as shipped, with its own data folder. */
export async function startApi(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  preload?: string,
): Promise<Server> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  const settings = { ...highLimits, DATA_DIR: dataDir, ...env }
  return startServer({ script: 'src/bin/api.ts', readyPath: '/ready', env: settings, folder, preload })
}

async function untilReady(child: ChildProcess, port: number, path: string, log: string): Promise<void> {
  const deadline = performance.now() + 20_000
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended by itself:\n${readFileSync(log, 'utf8')}`)
    const connection = await openConnection(port).catch(() => undefined)
    const reply = await connection?.send(get(path)).catch(() => undefined)
    connection?.close()
    if (reply?.status === 200) return
    await sleep(2)
  }
  throw new Error(`no 200 from ${path} within 20 s:\n${readFileSync(log, 'utf8')}`)
}
