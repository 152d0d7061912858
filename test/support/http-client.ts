import { connect, type Socket } from 'node:net'

export interface Received {
  readonly status: number
  /** With their names in lower case. */
  readonly headers: [name: string, value: string][]
  readonly body: Buffer
}

interface Kept {
  readonly socket: Socket
  readonly since: number
  readonly end: NodeJS.Timeout
}

/** Shorter than any server keeps a connection, so that none ends one that is about to be used. */
const keptMs = 1_000
const kept = new Map<string, Kept[]>()

/** A connection without a request on it. */
function connectionTo({ host, hostname, port }: URL): Socket {
  for (let last = kept.get(host)?.pop(); last; last = kept.get(host)?.pop()) {
    clearInterval(last.end)
    if (last.socket.readable && performance.now() - last.since < keptMs) return last.socket.ref()
    last.socket.destroy()
  }
  return connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true }).on('error', () => {})
}

function keep(host: string, socket: Socket): void {
  const others = kept.get(host) ?? []
  // An interval, as by which the service ends idle connections: where a test has its own, this one is the first.
  const end = setInterval(() => {
    clearInterval(end)
    socket.destroy()
  }, keptMs).unref()
  others.push({ socket: socket.unref(), since: performance.now(), end })
  kept.set(host, others)
}

/** By undici or node:http, a request takes more CPU than what the service does for it. */
export async function exchange(method: string, url: URL, headers: object, body: Uint8Array): Promise<Received> {
  const lines = Object.entries({ host: url.host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const hasBody = body.length > 0 || /^P/.test(method)
  const length = hasBody ? `content-length: ${body.length}\r\n` : ''
  const socket = connectionTo(url)
  socket.cork()
  socket.write(`${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}${length}\r\n`, 'latin1')
  if (hasBody) socket.write(body)
  socket.uncork()
  const reply = await replyOn(socket, method)
  const isEnding = reply.headers.some(([name, value]) => name === 'connection' && value === 'close')
  if (isEnding || socket.writableLength > 0) socket.destroy()
  else keep(url.host, socket)
  return reply
}

function replyOn(socket: Socket, method: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer[] = []
    let [size, needed] = [0, 0]
    const end = (act: () => void) => {
      socket.off('data', take).off('error', reject).off('close', close)
      act()
    }
    const take = (chunk: Buffer) => {
      bytes.push(chunk)
      size += chunk.length
      if (size < needed) return
      bytes = [Buffer.concat(bytes)]
      const read = readReply(bytes[0] as Buffer, method)
      if (typeof read === 'number') needed = read
      else end(() => resolve(read))
    }
    const close = () => end(() => reject(new Error(`the connection was closed after ${size} bytes of the reply`)))
    socket.on('data', take).once('error', reject).once('close', close)
  })
}

/** The reply, or how many bytes it has at least. */
function readReply(bytes: Buffer, method: string): Received | number {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd < 0) return 0
  const [first = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()] as [string, string]
  })
  const field = (wanted: string) => headers.find(([name]) => name === wanted)?.[1]
  const status = Number(first.split(' ')[1])
  const rest = bytes.subarray(headEnd + 4)
  if (status < 200) return readReply(rest, method)
  if (method === 'HEAD' || status === 204 || status === 304) return { status, headers, body: rest.subarray(0, 0) }
  if (field('transfer-encoding') === 'chunked') {
    const body = joinedChunks(rest)
    return body ? { status, headers, body } : 0
  }
  const length = Number(field('content-length') ?? Infinity)
  return rest.length < length ? headEnd + 4 + length : { status, headers, body: rest.subarray(0, length) }
}

/** Null before the last chunk. */
function joinedChunks(bytes: Buffer): Buffer | null {
  const chunks = []
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return null
    const length = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const next = lineEnd + 2 + length + 2
    if (bytes.length < next) return null
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, next - 2))
    at = next
  }
}
