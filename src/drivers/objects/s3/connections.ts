import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../../../lib/clock.ts'
import { lookupOnce } from '../../../lib/lookup-once.ts'
import { createSemaphore } from '../../../lib/semaphore.ts'
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.ts'
import { type Connection, exchange, NotSent, type Reply, type S3Request } from './exchange.ts'
import { createReadBuffer, StoreSocket } from './socket.ts'
import type { S3Times } from './times.ts'

type Undici = typeof import('undici')

/** Each lane has its own quota of connections, so that reads, uploads and other requests cannot starve each other. */
export type Lane = 'reads' | 'writes' | 'rest'

const quotas = { reads: 48, writes: 12, rest: 4 } as const
const most = quotas.reads + quotas.writes + quotas.rest

/**
 * The connection pool. Not undici's Pool, whose queue has no timeout, keeps aborted requests, and tries one connection
 * after another while the store is down.
 */
export function openConnections(undici: Undici, times: S3Times, clock: Clock) {
  const breakerOf = createBreakers(clock, times.breakerOpenMs)
  const open = createOpener(undici, times.connectMs)
  const free: Connection[] = []
  const all = new Set<Connection>()
  const semaphoreOf = (max: number) => createSemaphore({ max, onTimeout: () => notSent('no connection became free') })
  const lanes = { reads: semaphoreOf(quotas.reads), writes: semaphoreOf(quotas.writes), rest: semaphoreOf(quotas.rest) }
  let isClosed = false

  function take(origin: string): Connection {
    const index = free.findLastIndex((each) => each.origin === origin)
    if (index !== -1) return free.splice(index, 1)[0] as Connection
    const other = all.size < most ? undefined : free.shift()
    if (other !== undefined) {
      all.delete(other)
      void other.client.destroy().catch(() => {})
    }
    const connection = open(origin)
    all.add(connection)
    return connection
  }

  return {
    /** More than half of its connections are in use. */
    isCrowded: (lane: Lane) => lanes[lane].running > quotas[lane] / 2,
    async send(lane: Lane, request: S3Request): Promise<Reply> {
      const { signal } = request
      signal?.throwIfAborted()
      if (isClosed) throw notSent('the store is closed')
      const breaker = breakerOf(request.origin)
      if (breaker.isOpen()) throw notSent('it did not respond a moment ago')
      const semaphore = lanes[lane]
      await semaphore.acquire({ signal, timeoutMs: lane === 'writes' ? times.writeWaitMs : times.waitMs })
      // Requests that were waiting when the store went down pass their permit on and end here.
      const ticket = isClosed || signal?.aborted ? null : breaker.enter()
      if (ticket === null) {
        semaphore.release()
        signal?.throwIfAborted()
        throw notSent('it did not respond a moment ago')
      }
      const connection = take(request.origin)
      return exchange(request, {
        connection,
        breaker,
        ticket,
        times,
        onOver() {
          if (all.has(connection)) free.push(connection)
          semaphore.release()
        },
      })
    },
    async close(): Promise<void> {
      isClosed = true
      for (const lane of Object.values(lanes)) lane.rejectWaiting(notSent('the store is closed'))
      await Promise.allSettled([...all].map(({ client }) => client.destroy()))
    },
  }
}

export type Connections = ReturnType<typeof openConnections>

const notSent = (why: string) => new NotSent('the object store', new Error(why))

/** One per host: with host-style buckets, a host without an address says nothing about the others. */
function createBreakers(clock: Clock, breakerOpenMs: number) {
  const breakers = new Map<string, CircuitBreaker>()
  return (origin: string): CircuitBreaker => {
    const known = breakers.get(origin)
    if (known !== undefined) return known
    const [oldest] = breakers.keys()
    if (oldest !== undefined && breakers.size >= most) breakers.delete(oldest)
    const breaker = createCircuitBreaker(clock, breakerOpenMs)
    breakers.set(origin, breaker)
    return breaker
  }
}

/** Opens connections that share one read buffer, and connect at their first request. */
function createOpener({ Client, buildConnector }: Undici, connectMs: number) {
  const buffer = createReadBuffer()
  return (origin: string): Connection => {
    let stream: StoreSocket
    const callback = (count: number) => stream.receive(buffer.subarray(0, count))
    const connect = buildConnector({ allowH2: false, timeout: 0, lookup: lookupOnce, onread: { buffer, callback } })
    const client = new Client(origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      allowH2: false,
      connect(options, onConnected) {
        // undici's own timeout is up to half a second late.
        const timer = setTimeout(() => socket.destroy(new Error(`no connection within ${connectMs} ms`)), connectMs)
        connection.isConnected = false
        // RFC 6761: this machine, though few resolvers know it. Host-style buckets on localhost need it.
        const hostname = options.hostname.endsWith('.localhost') ? 'localhost' : options.hostname
        const socket = connect({ ...options, hostname }, (...result) => {
          clearTimeout(timer)
          connection.isConnected = result[0] === null
          if (result[0] === null) onConnected(null, stream as Duplex as Socket)
          else onConnected(...result)
        }) as unknown as Socket
        stream = new StoreSocket(socket, () => connection.isInBody)
        connection.isInBody = false
        connection.socket = socket
      },
    })
    const connection: Connection = { origin, client, isConnected: false, isInBody: false, socket: null }
    return connection
  }
}
