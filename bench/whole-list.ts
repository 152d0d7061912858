import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from './connection.ts'
import type { Delays } from './event-loop-probe.ts'
import { residentMbOf } from './proc.ts'
import type { Server } from './server.ts'

export interface WholeList {
  readonly firstByteMs: number
  readonly wholeMs: number
  readonly bytes: number
  /** The most that the server held meanwhile, beyond what it held before. */
  readonly grownMb: number
  readonly delays: Delays
}

const host = '127.0.0.1'
const sampleMs = 20
/** After it the server has given back what the one before left. */
const calmMs = 500
const end = '\r\n0\r\n\r\n'

export async function readWholeList(server: Server, path: string, authorization: string): Promise<WholeList> {
  await sleep(calmMs)
  const memory = watchMemory(server.pid)
  await server.ask('delays')
  const socket = connect({ host, port: server.port, noDelay: true })
  await once(socket, 'connect')
  const startedAt = performance.now()
  let firstByteMs = Number.NaN
  let bytes = 0
  let tail = ''
  socket.write(get(path, { Authorization: authorization }))
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    if (bytes === 0) {
      firstByteMs = performance.now() - startedAt
      if (!chunk.includes('HTTP/1.1 200 ')) throw new Error(`GET ${path} answered ${chunk.toString('latin1', 0, 200)}`)
    }
    bytes += chunk.length
    tail = (tail + chunk.toString('latin1', Math.max(0, chunk.length - end.length))).slice(-end.length)
    if (tail === end) break
  }
  const wholeMs = performance.now() - startedAt
  socket.destroy()
  if (tail !== end) throw new Error(`GET ${path} broke off after ${bytes} bytes`)
  const delays = (await server.ask('delays')) as Delays
  return { firstByteMs, wholeMs, bytes, grownMb: memory.stop(), delays }
}

/** Readers that take a kilobyte a second each: how much the server grows while they do. */
export async function readSlowly(
  server: Server,
  path: string,
  authorization: string,
  { readers, forMs }: { readers: number; forMs: number },
): Promise<number> {
  await sleep(calmMs)
  const memory = watchMemory(server.pid)
  const sockets = Array.from({ length: readers }, () => {
    const socket = connect({ host, port: server.port })
    // Never flowing: what nobody reads stays in the kernel, and then at the server.
    socket.on('readable', () => {})
    socket.write(get(path, { Authorization: authorization }))
    return socket
  })
  const reading = setInterval(() => {
    for (const socket of sockets) socket.read(1024)
  }, 1000)
  await sleep(forMs)
  clearInterval(reading)
  const broken = sockets.filter(({ destroyed, bytesRead }) => destroyed || bytesRead === 0).length
  for (const socket of sockets) socket.destroy()
  if (broken > 0) throw new Error(`${broken} of ${readers} slow readers of ${path} were cut off`)
  return memory.stop()
}

function watchMemory(pid: number) {
  const before = residentMbOf(pid)
  let most = before
  const look = () => {
    most = Math.max(most, residentMbOf(pid))
  }
  const timer = setInterval(look, sampleMs)
  return {
    /** What it grew by at most, in MB. */
    stop(): number {
      clearInterval(timer)
      look()
      return most - before
    },
  }
}
