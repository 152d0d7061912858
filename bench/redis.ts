import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'

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
