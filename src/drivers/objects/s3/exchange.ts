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
  /** Names and values in turn, Host included. */
  readonly headers: string[]
  /** What is sent. A stream's failure becomes the request's. */
  readonly body?: Dispatcher.DispatchOptions['body']
  readonly signal?: AbortSignal | undefined
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Reply extends BodyStream {
  readonly status: number
  readonly headers: Headers
  /** Of the request's body, when the answer began. */
  readonly sentBytes: number
}

/** Not a byte of the request went out. */
export class NotSent extends Unavailable {}

/** The connection broke before any byte of the answer: the store may have closed it while it was idle. */
export class BrokenBeforeAnswer extends Unavailable {}

/** One request at a time; its socket is made when it is needed. */
export interface Connection {
  readonly origin: string
  readonly client: Client
  isConnected: boolean
  /** What comes next belongs to the body of an answer. */
  isInBody: boolean
  socket: Socket | null
}

export interface ExchangeParts {
  readonly connection: Connection
  readonly breaker: CircuitBreaker
  readonly ticket: Ticket
  readonly times: S3Times
  /** The connection is free again. */
  readonly onOver: () => void
}

const unavailable = (cause: Error) => new Unavailable('the object store', cause)
const codeOf = (error: Error) => (error as NodeJS.ErrnoException).code

/** One request and its answer over one connection: times each phase, and tells the breaker what it learnt. */
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
  let hasAnswered = false
  let isSilent = false
  let hasLeft = false
  let body: ReturnType<typeof openBody> | null = null
  let ours: Error | null = null

  function abort(error: Error) {
    ours ??= error
    if (controller !== null) controller.abort(error)
    // While it connects, undici has nothing to abort.
    else connection.socket?.destroy(error)
  }

  function onSilence() {
    isSilent = true
    abort(new Error(`No answer within ${firstByteMs} ms`))
  }

  /** A client that pauses is no fault of the store: only bytes that wait to go out are. */
  function onIdle() {
    if (connection.socket?.writableLength === 0) connection.socket.setTimeout(times.idleMs)
    else abort(unavailable(new Error(`No byte went out for ${times.idleMs} ms`)))
  }

  function onAbort() {
    hasLeft = true
    const reason = signal?.reason instanceof Error ? signal.reason : new Error('The request was given up')
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

  /** Why there is no answer, and what that says about the store. */
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
    if (hasAnswered) {
      breaker.answered(ticket)
      return new Error('The object store answered what is no HTTP', { cause: error })
    }
    breaker.gone(ticket)
    if (ours !== null) return ours
    return new BrokenBeforeAnswer('the object store', error)
  }

  signal?.addEventListener('abort', onAbort, { once: true })
  connection.client.dispatch(
    {
      path: request.path,
      method: request.method as Dispatcher.HttpMethod,
      headers: request.headers,
      body: request.body ?? null,
      // Otherwise undici closes the connection after each HEAD.
      reset: false,
    },
    {
      onRequestStart(control) {
        // Thrown here, the request is dropped and the connection stays.
        if (ours !== null) throw ours
        isStarted = true
        controller = control
        // The socket's own time-out sees how much of a piece is out.
        if (hasBody) connection.socket?.setTimeout(times.idleMs).on('timeout', onIdle)
      },
      onBodySent(piece) {
        sentBytes += piece.length
      },
      onRequestSent() {
        endIdle()
        // The end of a body may be told after the answer to it.
        if (!hasAnswered) timer = setTimeout(onSilence, firstByteMs)
      },
      onResponseStarted() {
        hasAnswered = true
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
        // What follows the body in the same read is seen only after this call: the length that the store said was wrong.
        queueMicrotask(() => {
          const error = connection.socket?.errored
          if (error && codeOf(error) !== 'UND_ERR_INFO')
            body?.fail(new Error('The object store sent more than it said'))
          else body?.end()
        })
      },
      onResponseError(_control, error) {
        if (body !== null)
          body.fail(ours ?? new Error('The object store broke off in the middle of an answer', { cause: error }))
        else reject(judge(error))
        over()
      },
    },
  )
  return promise
}
