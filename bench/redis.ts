import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@redis/client'
import { freePort } from '../test/support/free-port.ts'

/** Gives that server, or one of its own that is gone afterwards; null where the program is not there. */
export async function withRedis<T>(
  folder: string,
  url: string | undefined,
  use: (url: string | null) => Promise<T>,
): Promise<T> {
  if (url) return use(url)
  const port = await freePort()
  const place = await mkdtemp(join(folder, 'redis-'))
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const child = spawn('redis-server', settings, { cwd: place, stdio: 'ignore' })
  const isThere = await once(child, 'spawn').then(
    () => true,
    () => false,
  )
  if (!isThere) return use(null)
  const kill = () => child.kill('SIGTERM')
  process.once('exit', kill)
  try {
    await untilListening(port)
    return await use(`redis://127.0.0.1:${port}`)
  } finally {
    process.off('exit', kill)
    if (child.exitCode === null && kill()) await once(child, 'exit')
  }
}

async function untilListening(port: number): Promise<void> {
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(10)
  }
  throw new Error('redis-server did not listen within 5 s')
}

/** How often each command was sent while `act` ran. What a script does by itself is no round trip, and is left out. */
export async function commandsDuring(url: string, act: () => Promise<void>): Promise<Map<string, number>> {
  const mark = randomUUID()
  const seen = Promise.withResolvers<void>()
  const client = () => createClient({ url, socket: { reconnectStrategy: false } }).on('error', seen.reject)
  const [watcher, marker] = [client(), client()]
  const sent = new Map<string, number>()
  await Promise.all([watcher.connect(), marker.connect()])
  try {
    // A line: 1767225600.000000 [0 127.0.0.1:50000] "EVALSHA" "...", or [0 lua] for what a script does.
    await watcher.monitor((line) => {
      if (String(line).includes(mark)) return seen.resolve()
      const [, from = '', name = ''] = /^\S+ \[\d+ (\S+)\] "(\w+)"/.exec(String(line)) ?? []
      if (from !== 'lua') sent.set(name.toUpperCase(), (sent.get(name.toUpperCase()) ?? 0) + 1)
    })
    await act()
    await marker.echo(mark)
    await seen.promise
    return sent
  } finally {
    watcher.destroy()
    marker.destroy()
  }
}
