import type { ServerResponse } from 'node:http'
import type { Clock } from '../lib/clock.ts'
import { httpDate } from '../lib/http-date.ts'
import { headSetter } from './node-internals.ts'

/** Adds the headers that Node would: date, connection and length. */
export function createWriteHead(clock: Clock, idleMs: number) {
  const setHead = headSetter()
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

  return (res: ServerResponse, status: number, lines: string, length: number | null): void => {
    // HTTP/1.0 has no chunked coding: without a length, closing the connection ends the response.
    const isOld = length === null && res.req.httpVersion === '1.0'
    const isLast = isOld || !res.shouldKeepAlive
    const isChunked = length === null && !isOld && hasBody(res, status)
    setHead(
      res,
      status,
      lines +
        dateLine() +
        (isLast ? 'Connection: close\r\n' : keepAliveLines) +
        (length === null ? (isChunked ? 'Transfer-Encoding: chunked\r\n' : '') : `Content-Length: ${length}\r\n`),
      isLast,
      isChunked,
    )
  }
}

const hasBody = ({ req }: ServerResponse, status: number) => req.method !== 'HEAD' && status !== 204 && status !== 304
