import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from './connection.ts'
import type { Delays } from './event-loop-probe.ts'
import { watchMemory } from './proc.ts'
import type { Server } from './server.ts'

export interface WholeList {
  readonly firstByteMs: number
  readonly bytes: number
  /** The peak memory of the server meanwhile, minus what it held before. */
  readonly grownMb: number
  readonly delays: Delays
}

const host = '127.0.0.1'
/** After this, the server has freed what the previous list left. */
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
  socket.destroy()
  if (tail !== end) throw new Error(`GET ${path} broke off after ${bytes} bytes`)
  const delays = (await server.ask('delays')) as Delays
  return { firstByteMs, bytes, grownMb: memory.stop(), delays }
}
