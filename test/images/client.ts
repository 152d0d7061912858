import { request } from 'node:http'
import { connect } from 'node:net'

export interface Got {
  readonly status: number
  /** Without those that differ from response to response. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
  /** Whether it was complete. */
  readonly isWhole: boolean
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const ofTheMoment = new Set([
  ...['date', 'x-request-id', 'connection', 'keep-alive'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
])

/** One request on its own connection, with the path unchanged. Status 0: the connection broke before a response. */
export function get(port: number, path: string, { method = 'GET', headers = {}, signal }: Asking = {}): Promise<Got> {
  return new Promise((resolve) => {
    const none = { status: 0, headers: {}, bytes: Buffer.alloc(0), isWhole: false }
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false, ...(signal && { signal }) })
    asked.on('error', () => resolve(none)).end()
    asked.on('response', (answer) => {
      const pieces: Buffer[] = []
      const kept = Object.entries(answer.headers).filter(([name]) => !ofTheMoment.has(name))
      answer.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => {})
      answer.on('close', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
          bytes: Buffer.concat(pieces),
          isWhole: answer.complete,
        }),
      )
    })
  })
}

export interface SlowReader {
  /** Resolves when the first bytes of the response have arrived; none is read after them. */
  readonly begun: Promise<void>
  /** Reads the rest; returns everything that was sent, head included. */
  rest(): Promise<Buffer>
  leave(): void
}

/** A client that reads the first bytes, and nothing more until told to. */
export function readSlowly(port: number, path: string): SlowReader {
  const socket = connect({ port, host: '127.0.0.1' })
  const pieces: Buffer[] = []
  const begun = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  let isPaused = true
  socket.on('error', () => {})
  socket.on('close', () => {
    begun.resolve()
    closed.resolve()
  })
  socket.on('data', (piece: Buffer) => {
    pieces.push(piece)
    if (isPaused) socket.pause()
    begun.resolve()
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n`)
  return {
    begun: begun.promise,
    async rest() {
      isPaused = false
      socket.resume()
      await closed.promise
      return Buffer.concat(pieces)
    },
    leave: () => void socket.destroy(),
  }
}

export const bodyOf = (sent: Buffer) => sent.subarray(sent.indexOf('\r\n\r\n') + 4)

export { until } from '../support/until.ts'
