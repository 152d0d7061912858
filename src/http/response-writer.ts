import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AccessLog } from './access-log.ts'
import { bounds } from './bounds.ts'
import type { Call } from './call.ts'
import type { Failures } from './failures.ts'
import type { Passage } from './gate.ts'
import { isAlone } from './pending-responses.ts'
import { createWriteHead } from './response-head.ts'
import type { ServiceOptions } from './service.ts'
import { writeChunks } from './streaming.ts'
import { discardRest, isTooLongToDiscard, isUnread } from './unread-body.ts'

interface WriterDeps {
  readonly logAccess: AccessLog
  readonly failures: Pick<Failures, 'log'>
  /** Sends an error response: no part of the stream has been sent yet. */
  failure(call: Call, passage: Passage, error: unknown): void
}

/** Writes responses to their connections, and decides which connections stay open. */
export function createResponseWriter({ clock }: ServiceOptions, { logAccess, failures, failure }: WriterDeps) {
  const setHead = createWriteHead(clock, bounds.idleMs)
  let stopping = false

  function writeHead(call: Call, passage: Passage, status: number, lines: string, length: number | null): void {
    const { req, res } = call
    const unread = isUnread(req)
    // When stopping, pipelined requests would be lost; the shutdown closes their connection.
    if (endsConnection(call, status, unread) || (stopping && isAlone(res))) res.shouldKeepAlive = false
    setHead(res, status, `${lines}${passage.leave(status)}X-Request-Id: ${call.requestId}\r\n`, length)
    if (unread) discardRest(req)
  }

  function send(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    body: string | Buffer,
    error: string | null = null,
    length = status === 204 || status === 304 ? null : typeof body === 'string' ? Buffer.byteLength(body) : body.length,
  ): void {
    const { res } = call
    if (call.answered) return abandoned(call, passage)
    writeHead(call, passage, status, lines, length)
    res.end(body)
    if (res.writableLength > 0) boundStall(call)
    logAccess(call, status, error)
  }

  /** A failure after the first chunk breaks the connection: a truncated response must never look complete. */
  async function stream(
    call: Call,
    passage: Passage,
    status: number,
    lines: string,
    length: number | null,
    chunks: AsyncIterable<string | Uint8Array>,
    isGivenAway = false,
  ): Promise<void> {
    const { req, res } = call
    const begin = () => {
      writeHead(call, passage, status, lines, length)
      boundStall(call)
    }
    try {
      const isComplete = await writeChunks(res, chunks, begin, isGivenAway)
      if (!isComplete) return abandoned(call, passage)
      res.end()
      logAccess(call, status, null)
    } catch (error) {
      if (!res.headersSent) return failure(call, passage, error)
      failures.log(call, error)
      breakOff(req, res)
      logAccess(call, status, 'the response broke off')
    }
  }

  function abandoned(call: Call, passage: Passage, status: number | null = null): void {
    passage.leave(status)
    logAccess(call, 499, 'the client left before the response')
  }

  /** From now on each response closes its connection, unless pipelined requests stand behind it. */
  function stop(): void {
    stopping = true
  }

  return { send, stream, abandoned, stop }
}

/**
 * The rest of a late or oversized body, or one whose client got no 100 Continue, may still arrive. Once it has, a request
 * behind it may already be running, and the connection stays open.
 */
const endsConnection = ({ req, isContinueSent }: Call, status: number, unread: boolean) =>
  (unread && (status === 408 || status === 413 || isTooLongToDiscard(req))) ||
  (req.headers.expect !== undefined && !isContinueSent && !req.complete)

/** Destroys a response that the client does not read. Lifted first thing on `finish`, before Node moves on. */
function boundStall({ req: { socket }, res }: Call): void {
  res.setTimeout(bounds.stallMs, () => res.destroy())
  res.prependOnceListener('finish', () => socket.setTimeout(0))
}

/** Resets an HTTP/1.0 connection: the client would take a normal close for the end of the response. */
function breakOff({ httpVersion }: IncomingMessage, res: ServerResponse): void {
  if (httpVersion === '1.0') res.socket?.resetAndDestroy()
  else res.destroy()
}

export type ResponseWriter = ReturnType<typeof createResponseWriter>
