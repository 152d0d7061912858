import { connect } from 'node:net'

export interface Reply {
  readonly status: number
  readonly body: string
}

export interface Connection {
  /** One request is in flight at a time: the caller awaits each answer. */
  send(request: string): Promise<Reply>
  close(): void
}

const host = '127.0.0.1'

/** A keep-alive connection without anything around it, so that the client's own cost stays small and steady. */
export async function openConnection(port: number): Promise<Connection> {
  let waiting: { resolve(reply: Reply): void; reject(error: Error): void } | undefined
  let received = ''
  const socket = connect({ host, port, noDelay: true })
  socket.setEncoding('latin1')
  const fail = (error: Error) => {
    waiting?.reject(error)
    waiting = undefined
  }
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    const reply = parseReply(received)
    if (!reply) return
    received = ''
    const { resolve } = waiting ?? { resolve: () => socket.destroy(new Error('an answer nobody asked for')) }
    waiting = undefined
    resolve(reply)
  })
  socket.on('close', () => fail(new Error('connection closed')))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', fail)
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('connection closed'))
        waiting = { resolve, reject }
        socket.write(request, 'latin1')
      }),
    close: () => socket.destroy(),
  }
}

/** Undefined until the whole answer has come. */
function parseReply(text: string): Reply | undefined {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))
  if (!length) throw new Error('the bench client reads answers with a Content-Length only')
  const body = text.slice(headEnd + 4)
  return body.length < Number(length[1]) ? undefined : { status: Number(text.slice(9, 12)), body }
}

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
