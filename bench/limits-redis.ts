import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'
import { get, openConnection, untilServed } from './connection.ts'
import type { Gate } from './figures.ts'
import { kind } from './images-pool.ts'
import { tokenOn } from './people.ts'
import { startApi } from './server.ts'

const requests = 500
const path = `/images/${kind}/random`

/** Shared limits: round trips to Redis per request, one request after another, so that no two share a round trip. */
export async function benchSharedLimits(folder: string, url: string | undefined): Promise<Gate[]> {
  if (!url) {
    console.log('\nLimits over Redis: not measured without TEST_REDIS_URL')
    return []
  }
  const server = await startApi(folder, { REDIS_URL: url })
  try {
    const request = get(path, await tokenOn(server.port))
    await untilServed(server.port, request)
    const connection = await openConnection(server.port)
    const sent = await commandsDuring(url, async () => {
      for (let i = 0; i < requests; i += 1) {
        const { status, body } = await connection.send(request)
        if (status !== 200) throw new Error(`GET ${path} was answered ${status}: ${body}`)
      }
    })
    connection.close()
    const each = sent / requests
    return [
      {
        promise: 'limits over Redis take at most 1 round trip a request',
        figure: each.toFixed(3),
        // Zero would mean that the service counts in its own memory.
        held: each > 0.99 && each <= 1,
      },
    ]
  } finally {
    await server.stop()
  }
}

/** The number of commands sent while `act` ran. Commands inside a script are no round trips, and are not counted. */
async function commandsDuring(url: string, act: () => Promise<void>): Promise<number> {
  const mark = randomUUID()
  const seen = Promise.withResolvers<void>()
  const client = () => createClient({ url, socket: { reconnectStrategy: false } }).on('error', seen.reject)
  const [watcher, marker] = [client(), client()]
  let sent = 0
  await Promise.all([watcher.connect(), marker.connect()])
  try {
    // A line: 1767225600.000000 [0 127.0.0.1:50000] "EVALSHA" "...", or [0 lua] for commands inside a script.
    await watcher.monitor((line) => {
      if (String(line).includes(mark)) return seen.resolve()
      if (!/^\S+ \[\d+ lua\]/.test(String(line))) sent += 1
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
