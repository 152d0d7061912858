import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from './route.ts'

/** Who sent a request, as established by the route's `access`; the access log shows the `userId`. */
export interface Sender {
  readonly userId: string | null
}

/** One request, from its head to its response. Passed to the route's functions and to the access log. */
export class Call<Actor extends Sender | null = Sender | null, Body = unknown, Query = unknown> {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId: string
  readonly address: string
  readonly startedAt: number
  /** As sent, without the query. */
  readonly path: string
  readonly search: string
  route: Route | null = null
  params: Readonly<Record<string, string>> = {}
  /** Null until `access` admits the request. */
  actor = null as Actor
  body!: Body
  query!: Query
  isContinueSent = false
  #left: AbortController | null = null
  /** The access check has passed: from here on, a failure is the route's own. */
  admitted = false

  constructor(req: IncomingMessage, res: ServerResponse, requestId: string, address: string, startedAt: number) {
    this.req = req
    this.res = res
    this.requestId = requestId
    this.address = address
    this.startedAt = startedAt
    const url = originForm(req.url ?? '')
    const query = url.indexOf('?')
    this.path = query < 0 ? url : url.slice(0, query)
    this.search = query < 0 ? '' : url.slice(query + 1)
  }

  /** Aborted if the client disconnects before the response is sent. Created on demand: few routes wait for anything. */
  get signal(): AbortSignal {
    if (this.#left) return this.#left.signal
    const left = new AbortController()
    this.#left = left
    const { res } = this
    if (res.destroyed) left.abort()
    // Skipped for a completed response: aborting creates an error, which is not cheap.
    else res.once('close', () => res.writableFinished || left.abort())
    return left.signal
  }

  /** Answers `Expect: 100-continue`. */
  sendContinue(): void {
    if (this.req.headers.expect === undefined || this.req.httpVersion === '1.0') return
    this.isContinueSent = true
    this.res.writeContinue()
  }

  get answered(): boolean {
    return this.res.headersSent || this.res.destroyed
  }
}

/** Strips scheme and host, which a request target may contain (RFC 9112 §3.2.2). */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1]
  return rest === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
}
