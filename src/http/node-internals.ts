import type { IncomingMessage, ServerResponse as Response } from 'node:http'
import type { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { ServerResponse, STATUS_CODES } from './node-http.ts'

/*
 * The only file that depends on the internals of Node.
 *
 * - ServerResponse `_header`: set to the whole head as text. `writeHead` validates and joins every header of every
 *   response, 1.5 of the 6 µs that a bare one takes. `headersSent` follows from it.
 * - ServerResponse `_hasBody`: set to false for 204 and 304, for which Node must not send a body.
 * - ServerResponse `_last`: set to true, which makes Node close the connection after this response.
 * - ServerResponse `chunkedEncoding`: set (typed but undocumented), which makes Node send what is written in chunks.
 * - Socket `destroySoon`: documented, but replaced, since Node calls it to close a connection. If Node stopped doing
 *   so, a client that is still sending could lose its response to a reset.
 *
 * What is set on a ServerResponse is compared with what `writeHead` does, once per process. If it differs, `writeHead`
 * is used, which takes a tenth more CPU for a random image, a sixth more for one from memory. test/http covers both, and `destroySoon`.
 */

interface Outgoing {
  _header: string | null
  _hasBody: boolean
  _last: boolean
}

/** `lines`: every header, each ended by CRLF, including what the flags say (`Connection: close`, `chunked`). */
export type SetHead = (res: Response, status: number, lines: string, isLast: boolean, isChunked: boolean) => void

export const setPrepared: SetHead = (res, status, lines, isLast, isChunked) => {
  const out = res as Response & Outgoing
  if (out._header !== null) throw new Error('the head of this response is already written')
  res.statusCode = status
  if (status === 204 || status === 304) out._hasBody = false
  if (isLast) out._last = true
  res.chunkedEncoding = isChunked
  out._header = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}\r\n`
}

export const setByWriteHead: SetHead = (res, status, lines) => {
  const pairs: string[] = []
  for (let at = 0; at < lines.length; ) {
    const [colon, end] = [lines.indexOf(':', at), lines.indexOf('\r\n', at)]
    pairs.push(lines.slice(at, colon), lines.slice(colon + 2, end))
    at = end + 2
  }
  res.writeHead(status, pairs)
}

let known: boolean | undefined

/** Whether this version of Node works as described above. Checked once per process. */
export const isPrepared = (): boolean => (known ??= isLikeWriteHead(setPrepared))

export const headSetter = (): SetHead => (isPrepared() ? setPrepared : setByWriteHead)

/** For tests, before a service is created. Returns a function that undoes it. */
export function forceWriteHead(): () => void {
  const before = known
  known = false
  return () => {
    known = before
  }
}

interface Sample {
  readonly status: number
  readonly lines: string
  readonly isLast?: boolean
  readonly isChunked?: boolean
}

const lines = 'A: b\r\nDate: now\r\n'
const samples: readonly Sample[] = [
  { status: 200, lines: `${lines}Connection: keep-alive\r\nContent-Length: 4\r\n` },
  { status: 304, lines: `${lines}Connection: keep-alive\r\n` },
  {
    status: 200,
    lines: `${lines}Connection: close\r\nTransfer-Encoding: chunked\r\n`,
    isLast: true,
    isChunked: true,
  },
]

/** Writes a few responses both ways, to no client: bytes and state must be the same. */
export function isLikeWriteHead(set: SetHead): boolean {
  try {
    return samples.every((sample) => {
      const ours = respond(set, sample)
      return respond(setByWriteHead, sample).every((value, at) => value !== undefined && value === ours[at])
    })
  } catch {
    return false
  }
}

function respond(set: SetHead, { status, lines, isLast = false, isChunked = false }: Sample) {
  const req = { method: 'GET', httpVersionMajor: 1, httpVersionMinor: 1, headers: {} }
  const res = new ServerResponse(req as IncomingMessage)
  const sent: string[] = []
  const socket = new Writable({
    write(chunk, _encoding, done) {
      sent.push(String(chunk))
      done()
    },
  })
  res.assignSocket(socket as Socket)
  set(res, status, lines, isLast, isChunked)
  const { _header, _hasBody, _last } = res as Response & Outgoing
  res.end('four')
  return [_header, _hasBody, _last, sent.join('')]
}

/** Makes Node close this connection with `close`. Returns a function that undoes this, unless it was replaced again. */
export function closeBy(socket: Socket, close: () => void): () => void {
  const { destroySoon } = socket
  socket.destroySoon = close
  return () => {
    if (socket.destroySoon === close) socket.destroySoon = destroySoon
  }
}
