import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '../connection.ts'
import { untilIdle } from '../proc.ts'
import { startApi } from '../server.ts'
import { atMost } from './gates.ts'
import type { LoadRun } from './load-run.ts'
import { descriptorsOf, probe, watchServer } from './samples.ts'

const [idleCount, slowCount] = [1000, 500]
/** The time-outs of promises.md: heads within 10 s, looked at every 5 s; idle connections for 72 s, and one more of Node. */
const [mostSlowSeconds, mostIdleSeconds] = [10 + 5 + 2, 72 + 1 + 5]
/** Besides the sockets: files that are being read, and a thread's. */
const otherDescriptors = 20

interface Opened {
  readonly socket: Socket
  readonly closedAfter: Promise<number>
}

function open(port: number, first: string): Opened {
  const openedAt = performance.now()
  const socket = connect({ host: '127.0.0.1', port }, () => socket.write(first))
  socket.on('error', () => {}).resume()
  const closedAfter = new Promise<number>((resolve) =>
    socket.once('close', () => resolve((performance.now() - openedAt) / 1000)),
  )
  return { socket, closedAfter }
}

/** The time in which all were closed; infinite if some were not. */
async function lastOf(opened: readonly Opened[], mostSeconds: number): Promise<number> {
  const all = Promise.all(opened.map(({ closedAfter }) => closedAfter)).then((seconds) => Math.max(...seconds))
  const end = new AbortController()
  const late = sleep((mostSeconds + 10) * 1000, Number.POSITIVE_INFINITY, { signal: end.signal }).catch(
    () => Number.NaN,
  )
  return Promise.race([all, late]).finally(() => end.abort())
}

export const openConnections: LoadRun = {
  id: 'L07',
  title: `${idleCount} idle keep-alive connections and ${slowCount} that send a head slowly`,
  async run({ folder }) {
    const server = await startApi(folder, {}, probe)
    try {
      // Until the sample images are written and described.
      await untilIdle(server.pid)
      const before = descriptorsOf(server.pid)
      const watch = await watchServer(server)
      const [idle, slow]: [Opened[], Opened[]] = [[], []]
      // A few at a time, so that none waits for the kernel to repeat its SYN.
      for (let index = 0; index < idleCount + slowCount; index += 1) {
        if (index % 3 === 0) slow.push(open(server.port, 'GET /health HTTP/1.1\r\nHost: bench\r\n'))
        else idle.push(open(server.port, get('/health')))
        if (index % 50 === 0) await sleep(20)
      }
      const dripping = setInterval(() => {
        for (const { socket } of slow) if (socket.writable) socket.write('X')
      }, 1000)
      const [slowSeconds, idleSeconds] = await Promise.all([
        lastOf(slow, mostSlowSeconds),
        lastOf(idle, mostIdleSeconds),
      ])
      clearInterval(dripping)
      await sleep(1000)
      const watched = await watch.stop()
      for (const { socket } of [...idle, ...slow]) socket.destroy()
      const most = Math.max(...watched.samples.map(({ descriptors }) => descriptors))
      return {
        watched,
        notes: [
          `Never shortened. ${before} descriptors before, at most ${most}, ${watched.samples.at(-1)?.descriptors} at the end`,
        ],
        gates: [
          atMost('descriptors at most', most - before, idleCount + slowCount + otherDescriptors),
          atMost('the last slow one was closed after', slowSeconds, mostSlowSeconds, 's'),
          atMost('the last idle one was closed after', idleSeconds, mostIdleSeconds, 's'),
          atMost(
            'descriptors left at the end',
            (watched.samples.at(-1)?.descriptors ?? Number.NaN) - before,
            otherDescriptors,
          ),
        ],
      }
    } finally {
      await server.stop()
    }
  },
}
