import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { atEnd } from './at-end.ts'
import { freePort } from './free-port.ts'
import { spawn } from './spawn.ts'
import { stores } from './stores.ts'
import { testFolder } from './test-folder.ts'
import { until } from './until.ts'

const program = '/usr/sbin/pgbouncer'
const isHere = existsSync(program)

/** In CI, nothing may be skipped because a service is missing. */
if (!isHere && process.env.CI) throw new Error('pgbouncer is not installed, and in CI its tests may not be skipped')

/** For `describe(title, { skip })`: why it cannot run here. */
export const pgbouncerSkip: string | false =
  (stores[1]?.skip ?? false) || (isHere ? false : 'pgbouncer is not installed')

interface Options {
  readonly mode?: 'transaction' | 'session' | 'statement'
  readonly settings?: Readonly<Record<string, string | number>>
}

/** Debian's PgBouncer as installed, in front of the server at this URL. */
export async function startPgbouncer(url: string, { mode = 'transaction', settings = {} }: Options = {}) {
  const server = new URL(url)
  const folder = testFolder()
  const [config, users] = ['pgbouncer.ini', 'users'].map((name) => join(folder, name)) as [string, string]
  const port = await freePort()
  writeFileSync(users, `"${server.username}" "${decodeURIComponent(server.password)}"\n`)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: users,
    pool_mode: mode,
    default_pool_size: 3,
    server_login_retry: 1,
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(
    config,
    `[databases]\n* = host=${server.hostname} port=${server.port || 5432}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  chmodSync(folder, 0o755)
  // PgBouncer refuses to run as root.
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'postgres'] : []), config], { stdio: 'ignore' })
  const stop = atEnd(async () => {
    await ended(child)
  })
  await until(() => child.exitCode !== null || isListening(port), 'PgBouncer to listen')
  if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`)
  const through = new URL(url)
  through.host = `127.0.0.1:${port}`
  return { url: through.href, stop }
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
