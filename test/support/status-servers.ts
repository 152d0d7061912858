import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { atEnd } from './at-end.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Reply {
  readonly status: number
  readonly type?: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Responds as the vendor documents; complains about what its documents do not allow. */
export type Vendor = (asked: Asked, complain: (about: string) => void) => Reply

/** What a server or proxy may do instead. The first four act once the whole request has arrived. */
export type Fault =
  | { readonly kind: 'silent' }
  | { readonly kind: 'reset' | 'close' }
  /** Carries out the request, then resets. */
  | { readonly kind: 'lost-answer' }
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** Sends the request back, headers included, `times` times. */
  | { readonly kind: 'echo'; readonly status?: number; readonly times?: number }
  /** Sends a head, then a byte every 5 ms. */
  | { readonly kind: 'slow'; readonly status?: number }
  /** Sends a head, then up to 100 MB as fast as they are read. */
  | { readonly kind: 'endless'; readonly status?: number }
  | { readonly kind: 'raw'; readonly text: string }

/** A server of that vendor, with faults on demand. */
export class StatusServer {
  readonly asked: Asked[] = []
  readonly complaints: string[] = []
  readonly close = atEnd(() => this.stop())
  fault: Fault | null = null
  sockets = 0
  /** Bytes of endless bodies passed to the kernel. */
  sent = 0
  readonly #open = new Set<Socket>()
  readonly #server: Server
  readonly #vendor: Vendor

  private constructor(vendor: Vendor) {
    this.#vendor = vendor
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece) => pieces.push(piece))
      request.on('end', () => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
        const { method = '', headers } = request
        const asked = { method, path: pathname, query: searchParams, headers, body: Buffer.concat(pieces).toString() }
        this.asked.push(asked)
        this.#answer(asked, response)
      })
    })
    this.#server.on('connection', (socket) => {
      this.sockets += 1
      this.#open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => this.#open.delete(socket))
    })
  }

  static async open(vendor: Vendor): Promise<StatusServer> {
    const server = new StatusServer(vendor)
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get openSockets(): number {
    return this.#open.size
  }

  /** Closes every connection. */
  drop(): void {
    for (const socket of this.#open) socket.destroy()
  }

  /** Resolves when the client has closed every connection. */
  async emptied(): Promise<void> {
    await Promise.all([...this.#open].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.drop()
    await closed
  }

  #answer(asked: Asked, response: ServerResponse): void {
    const { fault } = this
    const right = () => this.#vendor(asked, (about) => this.complaints.push(`${asked.method} ${asked.path}: ${about}`))
    const socket = response.socket as Socket
    switch (fault?.kind) {
      case undefined:
        return send(response, right())
      case 'silent':
        return
      case 'reset':
        socket.resetAndDestroy()
        return
      case 'close':
        socket.end()
        return
      case 'lost-answer':
        right()
        socket.resetAndDestroy()
        return
      case 'reply':
        return send(response, fault.reply)
      case 'echo': {
        const all = JSON.stringify([asked, asked.path, String(asked.query), response.req.rawHeaders])
        const body = all.repeat(fault.times ?? 1)
        return send(response, {
          status: fault.status ?? 200,
          type: `text/plain; a="${asked.headers.authorization}"`,
          body,
        })
      }
      case 'slow': {
        response.writeHead(fault.status ?? 200).write('a')
        const timer = setInterval(() => response.write('a'), 5)
        socket.on('close', () => clearInterval(timer))
        return
      }
      case 'endless': {
        const piece = Buffer.alloc(256 * 1024, 'a')
        response.writeHead(fault.status ?? 200)
        const more = () => {
          if (socket.destroyed || this.sent > 100 * 1024 * 1024) return response.end()
          this.sent += piece.length
          response.write(piece, more)
        }
        return void more()
      }
      case 'raw':
        socket.end(fault.text)
    }
  }
}

function send(response: ServerResponse, { status, type, body = '', headers }: Reply): void {
  response.writeHead(status, { ...(type && { 'Content-Type': type }), ...headers }).end(body)
}

export const json = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
  headers,
})
