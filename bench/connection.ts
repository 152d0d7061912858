import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Reply {
  readonly status: number
  /** The status line and the headers. */
  readonly head: string
  /** Length of the body. */
  readonly bytes: number
  /** Empty if bodies are not kept. */
  readonly body: string
}

export interface Connection {
  /** One request is in flight at a time: the caller awaits each response. */
  send(request: string): Promise<Reply>
  /** False once either side has closed it. */
  readonly isOpen: boolean
  close(): void
}

const host = '127.0.0.1'
const bufferBytes = 262_144
const headEnd = Buffer.from('\r\n\r\n')

/** A keep-alive connection that costs less than any server: one buffer, and bodies are only counted unless kept. */
export async function openConnection(port: number, { keepsBodies = true } = {}): Promise<Connection> {
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined
  /** The beginning of a head that arrived in pieces. */
  let begun: Buffer | null = null
  let reply = { status: 0, head: '', bytes: 0, body: '' }
  let missing = -1

  const take = (piece: Buffer) => {
    let rest = piece
    if (missing < 0) {
      const head: Buffer = begun ? Buffer.concat([begun, piece]) : piece
      const end = head.indexOf(headEnd)
      // Copied, since the buffer is reused.
      begun = end < 0 ? Buffer.from(head) : null
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      const length = /\r\ncontent-length: *(\d+)/i.exec(text)
      if (!length) throw new Error('the bench client reads responses with a Content-Length only')
      missing = Number(length[1])
      reply = { status: Number(text.slice(9, 12)), head: text, bytes: missing, body: '' }
      rest = head.subarray(end + headEnd.length)
    }
    if (keepsBodies) reply.body += rest.toString('latin1')
    missing -= rest.length
    if (missing < 0) throw new Error('more bytes than the Content-Length')
    if (missing > 0) return
    missing = -1
    const { resolve } = waiting ?? { resolve: () => socket.destroy(new Error('a response without a request')) }
    waiting = undefined
    resolve(reply)
  }

  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  const socket = connect({
    host,
    port,
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(bufferBytes),
      callback(bytes, buffer) {
        try {
          take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
        } catch (error) {
          socket.destroy(error as Error)
        }
        return true
      },
    },
  })
  socket.on('close', () => fail(new Error('connection closed')))
  await once(socket, 'connect')
  socket.on('error', fail)
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('connection closed'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    get isOpen() {
      return !socket.destroyed
    },
    close: () => socket.destroy(),
  }
}

/** One request on a new connection; throws unless the response has the expected status. */
export async function ask(port: number, request: string, expected = 200): Promise<Reply> {
  const connection = await openConnection(port)
  const reply = await connection.send(request).finally(() => connection.close())
  if (reply.status !== expected) throw new Error(`${firstLine(request)}: ${reply.status} ${reply.body}`)
  return reply
}

/** Resolves to the length of the body. A new server adds its sample images after it is ready. */
export async function untilServed(port: number, request: string): Promise<number> {
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const reply = await ask(port, request).catch(() => null)
    if (reply) return reply.bytes
    await sleep(10)
  }
  throw new Error(`${firstLine(request)}: no 200 within 10 s`)
}

const firstLine = (request: string) => request.split('\r\n')[0]

export function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return head('GET', path, headers)
}

export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): string {
  const text = JSON.stringify(body)
  const length = String(text.length)
  return head('POST', path, { ...headers, 'Content-Type': 'application/json', 'Content-Length': length }) + text
}

const head = (method: string, path: string, headers: Readonly<Record<string, string>>) =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
