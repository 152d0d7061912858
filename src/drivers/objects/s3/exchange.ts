import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { Unavailable } from '../../../lib/unavailable.ts'
import { type BodyStream, openBody } from './body.ts'
import type { CircuitBreaker, Ticket } from './circuit-breaker.ts'
import type { S3Times } from './times.ts'

export interface S3Request {
  readonly origin: string
  readonly method: string
  readonly path: string
  /** Names and values alternately, Host included. */
  readonly headers: string[]
  /** A stream's error becomes the request's. */
  readonly body?: Dispatcher.DispatchOptions['body']
  readonly signal?: AbortSignal | undefined
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Reply extends BodyStream {
  readonly status: number
  readonly headers: Headers
  /** Bytes of the request's body sent before the response began. */
  readonly sentBytes: number
}

/** Nothing of the request was sent. */
export class NotSent extends Unavailable {}

/** The connection broke before the response: the store may have closed it while it was idle. */
export class BrokenBeforeResponse extends Unavailable {}

/** For one request at a time; connects on demand. */
export interface Connection {
  readonly origin: string
  readonly client: Client
  isConnected: boolean
  /** The next bytes belong to the body of a response. */
  isInBody: boolean
  socket: Socket | null
}

export interface ExchangeParts {
  readonly connection: Connection
  readonly breaker: CircuitBreaker
  readonly ticket: Ticket
  readonly times: S3Times
  /** Called when the connection is free again. */
  readonly onOver: () => void
}

const unavailable = (cause: Error) => new Unavailable('the object store', cause)
const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code

/** Sends one request over one connection, with a timeout for each phase, and reports to the circuit breaker. */
export function exchange(request: S3Request, parts: ExchangeParts): Promise<Reply> {
  const { connection, breaker, ticket, times, onOver } = parts
  const { signal } = request
  const hasBody = request.body !== undefined && request.body !== null
  const firstByteMs = breaker.isProbe(ticket) ? times.probeFirstByteMs : times.firstByteMs
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  let controller: Dispatcher.DispatchController | null = null
  let timer: NodeJS.Timeout | undefined
  let isStarted = false
  let sentBytes = 0
  let hasResponse = false
  let isSilent = false
  let hasLeft = false
  let body: ReturnType<typeof openBody> | null = null
  let ours: Error | null = null

  function abort(error: Error) {
    ours ??= error
    if (controller !== null) controller.abort(error)
    // undici cannot abort a connection attempt.
    else connection.socket?.destroy(error)
  }

  function onSilence() {
    isSilent = true
    abort(new Error(`no response within ${firstByteMs} ms`))
  }

  /** Only bytes that wait to be sent are the store's fault, not a client that pauses. */
  function onIdle() {
    if (connection.socket?.writableLength === 0) connection.socket.setTimeout(times.idleMs)
    else abort(unavailable(new Error(`sent nothing for ${times.idleMs} ms`)))
  }

  function onAbort() {
    hasLeft = true
    const reason = signal?.reason instanceof Error ? signal.reason : new Error('the request was aborted')
    reject(reason)
    body?.fail(reason)
    abort(reason)
  }

  function endIdle() {
    if (hasBody) connection.socket?.setTimeout(0).off('timeout', onIdle)
  }

  function over() {
    connection.isInBody = false
    clearTimeout(timer)
    endIdle()
    signal?.removeEventListener('abort', onAbort)
    onOver()
  }

  /** Reports a failure without a response to the breaker, and returns its error. */
  function judge(error: Error): Error {
    if (hasLeft) {
      breaker.gone(ticket)
      return ours ?? error
    }
    if (codeOf(error) === 'UND_ERR_INVALID_ARG') {
      breaker.gone(ticket)
      return error
    }
    if (isSilent || !(isStarted || connection.isConnected)) {
      breaker.failed(ticket)
      return isStarted ? unavailable(error) : new NotSent('the object store', error)
    }
    if (hasResponse) {
      breaker.answered(ticket)
      return new Error('The object store sent an invalid HTTP response', { cause: error })
    }
    breaker.gone(ticket)
    if (ours !== null) return ours
    return new BrokenBeforeResponse('the object store', error)
  }

  signal?.addEventListener('abort', onAbort, { once: true })
  connection.client.dispatch(
    {
      path: request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers,
      body: request.body ?? null,
      // undici closes the connection after a HEAD otherwise.
      reset: false,
    },
    {
      onRequestStart(control) {
        // Throwing here drops the request and keeps the connection.
        if (ours !== null) throw ours
        isStarted = true
        controller = control
        // The socket's own timeout sees progress within a chunk.
        if (hasBody) connection.socket?.setTimeout(times.idleMs).on('timeout', onIdle)
      },
      onBodySent(piece) {
        sentBytes += piece.length
      },
      onRequestSent() {
        endIdle()
        // The response may begin before this call.
        if (!hasResponse) timer = setTimeout(onSilence, firstByteMs)
      },
      onResponseStarted() {
        hasResponse = true
      },
      onResponseStart(control, status, headers) {
        if (status < 200) return
        clearTimeout(timer)
        breaker.answered(ticket)
        connection.isInBody = true
        const flow = { pause: () => control.pause(), resume: () => control.resume(), abort }
        body = openBody(flow, times.idleMs)
        const { whole, chunks, upTo, discard } = body
        resolve({ status, headers, sentBytes, whole, chunks, upTo, discard })
      },
      onResponseData(_control, piece) {
        body?.push(piece)
      },
      onResponseEnd() {
        over()
        // Excess bytes in the same read are reported only after this call.
        queueMicrotask(() => {
          const error = connection.socket?.errored
          if (error && codeOf(error) !== 'UND_ERR_INFO')
            body?.fail(new Error('The object store sent more than it announced'))
          else body?.end()
        })
      },
      onResponseError(_control, error) {
        if (body !== null)
          body.fail(ours ?? new Error('The object store ended the response too early', { cause: error }))
        else reject(judge(error))
        over()
      },
    },
  )
  return promise
}
