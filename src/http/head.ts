import type { ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { httpDate } from '../lib/http-date.ts'
import { STATUS_CODES } from './node-http.ts'

/** What Node's own writeHead leaves in an answer. */
interface Outgoing {
  _header: string | null
  _hasBody: boolean
  _last: boolean
  _sent100: boolean
  _expect_continue: boolean
}

export type WriteHead = (res: ServerResponse, status: number, lines: string, length: number | null) => void

/**
 * Node's writeHead checks and joins each header at each answer, a tenth of what a small one costs; these lines are
 * joined already. The rest is as Node does it: the date, and what the connection and the length are.
 */
export function createWriteHead(clock: Clock, idleMs: number): WriteHead {
  const keepAliveLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idleMs / 1000)}\r\n`
  let second = -1
  let date = ''
  const dateLine = () => {
    const now = Math.floor(clock.now() / 1000)
    if (now !== second) {
      second = now
      date = `Date: ${httpDate(now * 1000)}\r\n`
    }
    return date
  }

  return (res, status, lines, length) => {
    const out = res as ServerResponse & Outgoing
    if (out._header !== null) throw new Error('the head of this answer was written before')
    res.statusCode = status
    if (status === 204 || status === 304) out._hasBody = false
    // A client that was not told to go on may send its body all the same.
    if (out._expect_continue && !out._sent100) res.shouldKeepAlive = false
    // HTTP/1.0 knows no chunks: there the end of an answer without a length is the end of the connection.
    const stays = res.shouldKeepAlive && (length !== null || res.useChunkedEncodingByDefault)
    if (!stays) out._last = true
    res.chunkedEncoding = length === null && out._hasBody && res.useChunkedEncodingByDefault
    out._header =
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${dateLine()}` +
      (stays ? keepAliveLines : 'Connection: close\r\n') +
      (length === null ? (res.chunkedEncoding ? 'Transfer-Encoding: chunked\r\n\r\n' : '\r\n') : lengthLines(length))
  }
}

const lengthLines = (length: number) => `Content-Length: ${length}\r\n\r\n`
