import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Route } from './route.ts'

/** One request on its way: what a route's `handle` is given, and what the access log tells of it. */
export class Call<Actor = unknown, Body = unknown, Query = unknown> {
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
  actor!: Actor
  body!: Body
  query!: Query
  /** Who is calling, as soon as it is known, whatever becomes of the request. */
  userId: string | null = null
  /** What the request is about, as soon as that is known: for the audit of what is refused. */
  target: string | null = null
  /** Whom or what the request names, until that is looked up: for the audit of what is refused or fails before. */
  about: unknown = null
  isToldToGoOn = false
  #left: AbortController | null = null
  /** The guard is behind it: from here on a failure is the route's own. */
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

  /** Aborted when the client leaves before it is answered. Made on demand: few routes wait for anything. */
  get signal(): AbortSignal {
    if (this.#left) return this.#left.signal
    const left = new AbortController()
    this.#left = left
    const { res } = this
    if (res.destroyed) left.abort()
    // An error for each request that is answered would be a good part of its cost.
    else res.once('close', () => res.writableFinished || left.abort())
    return left.signal
  }

  /** The client that asked first (Expect: 100-continue) is told to send its body. */
  goOn(): void {
    if (this.req.headers.expect === undefined || this.req.httpVersion === '1.0') return
    this.isToldToGoOn = true
    this.res.writeContinue()
  }

  get answered(): boolean {
    return this.res.headersSent || this.res.destroyed
  }
}

/** A target may name scheme and host too (RFC 9112 §3.2.2); only what follows them is the path. */
function originForm(url: string): string {
  if (url.startsWith('/')) return url
  const rest = /^https?:\/\/[^/?]*(.*)$/i.exec(url)?.[1]
  return rest === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
}
