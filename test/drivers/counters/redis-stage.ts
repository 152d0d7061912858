import { type ChildProcess, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createClient } from '@redis/client'
import { createMemoryCounters } from '../../../src/drivers/counters/memory.ts'
import type { RedisTimes } from '../../../src/drivers/counters/redis-link.ts'
import { openSharedCounters } from '../../../src/drivers/counters/shared.ts'
import { type Clock, systemClock } from '../../../src/lib/clock.ts'
import type { Scope } from '../../../src/limits/scopes.ts'
import type { Logger } from '../../../src/process/logger.ts'
import { atEnd } from '../../support/at-end.ts'
import { freePort } from '../../support/free-port.ts'
import { patientTimes } from '../../support/redis.ts'
import { spawn } from '../../support/spawn.ts'
import { testFolder } from '../../support/test-folder.ts'

const isMissing = spawnSync('redis-server', ['--version']).error !== undefined

/** In CI no test may be skipped because a program is missing. */
if (isMissing && process.env.CI)
  throw new Error('redis-server is not installed, and in CI its tests may not be skipped')

/** For `describe(title, { skip })`: why it cannot run here. */
export const ownRedisSkip: string | false = isMissing ? 'redis-server is not installed' : false

export interface OwnRedis {
  readonly url: string
  /** Always on the same port, and empty. */
  start(): Promise<void>
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>
  send(...command: string[]): Promise<unknown>
  close(): Promise<void>
}

/** A server that a test may do anything to; not started yet. */
export async function ownRedis(...options: string[]): Promise<OwnRedis> {
  const port = await freePort()
  const path = testFolder()
  const url = `redis://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  const signal: OwnRedis['signal'] = async (name) => {
    const old = child
    if (old === null || old.exitCode !== null || old.signalCode !== null) return
    old.kill(name)
    if (name === 'SIGKILL') await once(old, 'exit')
  }

  return {
    url,
    signal,
    async start() {
      const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...options]
      const server = spawn('redis-server', settings, { cwd: path, stdio: ['ignore', 'pipe', 'inherit'] })
      child = server
      for await (const line of server.stdout ?? []) if (String(line).includes('Ready to accept connections')) break
      if (server.exitCode !== null) throw new Error(`redis-server ended with ${server.exitCode}`)
    },
    send: (...command) => sendTo(url, ...command),
    close: atEnd(async () => {
      await signal('SIGKILL')
    }),
  }
}

export async function sendTo(url: string, ...command: string[]): Promise<unknown> {
  const client = createClient({ url, RESP: 2 })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.sendCommand(command)
  } finally {
    client.destroy()
  }
}

export interface Said {
  readonly level: 'info' | 'warn'
  readonly text: string
}

/** One of several instances that count together, and what it logged. */
export async function instanceOn(url: string, clock: Clock = systemClock, more: Partial<RedisTimes> = {}) {
  const said: Said[] = []
  const hear = (level: Said['level']) =>
    ((...parts: unknown[]) => {
      const text = parts.map((part) => (typeof part === 'string' ? part : String((part as { err: Error }).err.message)))
      said.push({ level, text: text.join(' ') })
    }) as Logger['info']
  const log = { info: hear('info'), warn: hear('warn') }
  const memory = createMemoryCounters({ clock })
  const counters = await openSharedCounters({ url, clock, log, memory, times: { ...patientTimes, ...more } })
  return {
    counters,
    memory,
    said,
    levels: () => said.map(({ level }) => level),
    close: atEnd(() => counters.close()),
  }
}

export { until } from '../../support/until.ts'

const windowMs = 60_000
export const requestsScope = (more: Partial<Scope> = {}): Scope => ({
  name: 'global',
  by: 'address',
  counts: 'requests',
  max: 100_000,
  windowMs,
  slow: null,
  ...more,
})
export const failuresScope = (more: Partial<Scope> = {}): Scope => ({
  name: 'login_name',
  by: 'name',
  counts: 'failures',
  max: 5,
  windowMs,
  slow: null,
  ...more,
})
