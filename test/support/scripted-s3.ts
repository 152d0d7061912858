import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { atEnd } from './at-end.ts'
import { freePort } from './free-port.ts'
import { type Asked, type Buckets, readTarget, rightAnswer, storedObject } from './scripted-s3-answers.ts'
import { type Fault, isOfPut, replyInstead, send } from './scripted-s3-faults.ts'
import { failure, type StoredObject } from './scripted-s3-reply.ts'

export type { Buckets, Operation } from './scripted-s3-answers.ts'
export type { Fault } from './scripted-s3-faults.ts'
export type { StoredObject } from './scripted-s3-reply.ts'

export interface SeenRequest extends Asked {
  /** As sent, before the question mark. */
  readonly path: string
  /** Bytes of the body so far. */
  received: number
  /** Null while in flight; `cut` if the connection ended first, as after many faults. */
  end: 'answered' | 'cut' | null
}

export type Filter = (request: SeenRequest) => boolean

interface Order {
  readonly fault: Fault
  readonly filter: Filter
}

/** An S3 server, path style, any credentials, that misbehaves on demand. */
export class ScriptedS3 {
  readonly objects: Buckets = new Map()
  readonly requests: SeenRequest[] = []
  readonly port: number
  /** Whether a response has x-amz-request-id. */
  isMarked: Filter = () => true
  /** Called at the end of the file at the latest. */
  readonly close: () => Promise<void>
  mostSockets = 0
  inFlight = 0
  mostInFlight = 0
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  readonly #waiting = new Set<{ filter: Filter; resolve(request: SeenRequest): void }>()
  #next: Order[] = []
  #always: Order | null = null

  private constructor(port: number) {
    this.port = port
    this.#server = createServer((request, response) => void this.#serve(request, response))
    // Only the script ends connections.
    this.#server.keepAliveTimeout = 0
    this.#server.requestTimeout = 0
    this.#server.headersTimeout = 0
    this.#server.on('connection', (socket) => this.#meet(socket))
    this.close = atEnd(() => this.stop())
  }

  static async open(...buckets: readonly string[]): Promise<ScriptedS3> {
    const store = new ScriptedS3(await freePort())
    for (const bucket of buckets) store.objects.set(bucket, new Map())
    await store.start()
    return store
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get openSockets(): number {
    return this.#sockets.size
  }

  async start(): Promise<void> {
    this.#server.listen(this.port, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  /** Refuses connections, and destroys open ones. The objects stay. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    const gone = [...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy()))
    await Promise.all([closed, ...gone])
  }

  /** Applies once, to the next matching request; several apply in order. */
  next(fault: Fault, filter: Filter = () => true): void {
    this.#next.push({ fault, filter })
  }

  /** Applies to every matching request without a `next`, until changed. Null: no fault. */
  always(fault: Fault | null, filter: Filter = () => true): void {
    this.#always = fault && { fault, filter }
  }

  /** Drops all faults, even those still waiting for their request. */
  heal(): void {
    this.#next = []
    this.#always = null
  }

  /** Stores an object as if it had always existed. Creates the bucket. */
  put(
    bucket: string,
    key: string,
    bytes: Uint8Array | string,
    more: Parameters<typeof storedObject>[1] = {},
  ): StoredObject {
    const object = storedObject(bytes, more)
    const objects = this.objects.get(bucket) ?? new Map()
    this.objects.set(bucket, objects.set(key, object))
    return object
  }

  /** Resolves to the next matching request once its headers have arrived. Call this before triggering it. */
  arrival(filter: Filter = () => true): Promise<SeenRequest> {
    return new Promise((resolve) => this.#waiting.add({ filter, resolve }))
  }

  #meet(socket: Socket): void {
    this.#sockets.add(socket)
    this.mostSockets = Math.max(this.mostSockets, this.#sockets.size)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }

  #see(request: IncomingMessage, response: ServerResponse): SeenRequest | null {
    const { method = '', url = '', headers } = request
    const target = readTarget(method, url)
    if (!target) return null
    const path = url.split('?', 1)[0] ?? ''
    const seen: SeenRequest = { method, ...target, path, headers, received: 0, end: null }
    this.requests.push(seen)
    this.inFlight += 1
    this.mostInFlight = Math.max(this.mostInFlight, this.inFlight)
    response.once('close', () => {
      this.inFlight -= 1
      seen.end = response.writableFinished ? 'answered' : 'cut'
    })
    for (const waiting of this.#waiting) {
      if (!waiting.filter(seen)) continue
      this.#waiting.delete(waiting)
      waiting.resolve(seen)
    }
    return seen
  }

  #faultOf(seen: SeenRequest): Fault | null {
    const fits = ({ fault, filter }: Order) => (seen.operation === 'put' || !isOfPut(fault)) && filter(seen)
    const index = this.#next.findIndex(fits)
    const order = index === -1 ? this.#always : this.#next.splice(index, 1)[0]
    return order && fits(order) ? order.fault : null
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = this.#see(request, response)
    if (!seen) return send(response, failure(400, 'InvalidURI'), null, true)
    const fault = this.#faultOf(seen)
    const body = await receive(request, seen, fault?.kind === 'reset-on-put' ? fault.after : null)
    if (body === null || fault?.kind === 'silent') return
    if (fault?.kind === 'hold') await fault.until
    const right = () => rightAnswer(this.objects, seen, body)
    const instead = replyInstead(fault, seen, right)
    await send(response, instead ?? right(), instead ? null : fault, this.isMarked(seen))
  }
}

/** Null if it did not arrive completely. */
async function receive(request: IncomingMessage, seen: SeenRequest, resetAfter: number | null): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  const cut = () => {
    request.socket.resetAndDestroy()
    return null
  }
  if (resetAfter === 0) return cut()
  try {
    for await (const chunk of request) {
      chunks.push(chunk)
      seen.received += chunk.length
      if (resetAfter !== null && seen.received >= resetAfter) return cut()
    }
  } catch {
    return null
  }
  return resetAfter === null ? Buffer.concat(chunks) : cut()
}
