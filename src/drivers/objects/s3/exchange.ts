import type { Socket } from 'node:net'
import type { Client, Dispatcher } from 'undici'
import { Unavailable } from '../../../lib/unavailable.ts'
import { Body } from './body.ts'
import type { CircuitBreaker, Ticket } from './circuit-breaker.ts'
import type { S3Times } from './times.ts'

export interface S3Request {
  readonly origin: string
  readonly method: string
  readonly path: string
  /** Names and values alternately, Host included. */
  readonly headers: string[]
  /** A stream's error becomes the request's. */
  readonly body?: Dispatcher.DispatchOptions['body'] | undefined
  readonly signal?: AbortSignal | undefined
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
  /** Bytes of the request's body sent before the response began. */
  readonly sentBytes: number
}

/** Nothing of the request was sent. */
export class NotSent extends Unavailable {}

/** The connection broke before the response: the store may have closed it while it was idle. */
export class BrokenBeforeResponse extends Unavailable {}

/** Carries one request at a time; connects on demand. */
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
  const running = new Exchange(request, parts)
  const { method, path, headers, body = null } = request
  // undici closes the connection after a HEAD unless `reset` is false.
  parts.connection.client.dispatch(
    { method: method as Dispatcher.HttpMethod, path, headers, body, reset: false },
    running,
  )
  return running.reply
}

/** Receives undici's events for the request. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts
  readonly #connection: Connection
  readonly #signal: AbortSignal | undefined
  readonly #hasBody: boolean
  readonly #firstByteMs: number
  readonly #settle = Promise.withResolvers<Reply>()
  #controller: Dispatcher.DispatchController | null = null
  #timer: NodeJS.Timeout | undefined
  #isStarted = false
  #sentBytes = 0
  #hasResponse = false
  #isSilent = false
  #isAborted = false
  #body: Body | null = null
  #ours: Error | null = null

  constructor({ body, signal }: S3Request, parts: ExchangeParts) {
    const { connection, breaker, ticket, times } = parts
    this.#parts = parts
    this.#connection = connection
    this.#signal = signal
    this.#hasBody = body !== undefined && body !== null
    this.#firstByteMs = breaker.isProbe(ticket) ? times.probeFirstByteMs : times.firstByteMs
    signal?.addEventListener('abort', this.#onAbort, { once: true })
  }

  get reply(): Promise<Reply> {
    return this.#settle.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here drops the request and keeps the connection.
    if (this.#ours !== null) throw this.#ours
    this.#isStarted = true
    this.#controller = controller
    // The socket's own timeout sees progress within a chunk.
    if (this.#hasBody) this.#connection.socket?.setTimeout(this.#parts.times.idleMs).on('timeout', this.#onIdle)
  }

  onBodySent(piece: Buffer): void {
    this.#sentBytes += piece.length
  }

  onRequestSent(): void {
    this.#endIdle()
    // The response may begin before this call.
    if (!this.#hasResponse) this.#timer = setTimeout(this.#onSilence, this.#firstByteMs)
  }

  onResponseStarted(): void {
    this.#hasResponse = true
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) return
    clearTimeout(this.#timer)
    const { breaker, ticket, times } = this.#parts
    breaker.responded(ticket)
    this.#connection.isInBody = true
    const flow = { pause: () => controller.pause(), resume: () => controller.resume(), abort: this.#abort }
    this.#body = new Body(flow, times.idleMs)
    this.#settle.resolve({ status, headers, sentBytes: this.#sentBytes, body: this.#body })
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.push(piece)
  }

  onResponseEnd(): void {
    this.#end()
    // Excess bytes in the same read are reported only after this call.
    queueMicrotask(() => {
      const error = this.#connection.socket?.errored
      if (error && codeOf(error) !== 'UND_ERR_INFO')
        this.#body?.fail(new Error('The object store sent more than it announced'))
      else this.#body?.end()
    })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#body === null) this.#settle.reject(this.#errorOf(error))
    else this.#body.fail(this.#ours ?? new Error('The object store ended the response too early', { cause: error }))
    this.#end()
  }

  #abort = (error: Error): void => {
    this.#ours ??= error
    if (this.#controller !== null) this.#controller.abort(error)
    // undici cannot abort a connection attempt.
    else this.#connection.socket?.destroy(error)
  }

  #onSilence = (): void => {
    this.#isSilent = true
    this.#abort(new Error(`no response within ${this.#firstByteMs} ms`))
  }

  /** Unsent bytes are the store's fault; a paused client is not. */
  #onIdle = (): void => {
    const { socket } = this.#connection
    const { idleMs } = this.#parts.times
    if (socket?.writableLength === 0) socket.setTimeout(idleMs)
    else this.#abort(unavailable(new Error(`sent nothing for ${idleMs} ms`)))
  }

  #onAbort = (): void => {
    this.#isAborted = true
    const reason = this.#signal?.reason
    const error = reason instanceof Error ? reason : new Error('the request was aborted')
    this.#settle.reject(error)
    this.#body?.fail(error)
    this.#abort(error)
  }

  #endIdle(): void {
    if (this.#hasBody) this.#connection.socket?.setTimeout(0).off('timeout', this.#onIdle)
  }

  #end(): void {
    this.#connection.isInBody = false
    clearTimeout(this.#timer)
    this.#endIdle()
    this.#signal?.removeEventListener('abort', this.#onAbort)
    this.#parts.onOver()
  }

  /** Reports a failure without a response to the breaker, and returns its error. */
  #errorOf(error: Error): Error {
    const { breaker, ticket } = this.#parts
    if (this.#isAborted) {
      breaker.abandoned(ticket)
      return this.#ours ?? error
    }
    if (codeOf(error) === 'UND_ERR_INVALID_ARG') {
      breaker.abandoned(ticket)
      return error
    }
    if (this.#isSilent || !(this.#isStarted || this.#connection.isConnected)) {
      breaker.failed(ticket)
      return this.#isStarted ? unavailable(error) : new NotSent('the object store', error)
    }
    if (this.#hasResponse) {
      breaker.responded(ticket)
      return new Error('The object store sent an invalid HTTP response', { cause: error })
    }
    breaker.abandoned(ticket)
    return this.#ours ?? new BrokenBeforeResponse('the object store', error)
  }
}
