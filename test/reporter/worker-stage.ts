import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { atEnd } from '../support/at-end.ts'

export interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly id: string
  readonly body: string
  readonly status: string
}

export type Act = (asked: Asked) => void

/** As interface.md §4.7 has it. */
export const takes: Act = ({ response, id, status }) => {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.end(JSON.stringify({ ok: true, componentId: id, status }))
}
export const holds: Act = () => {}
export const resets: Act = ({ response }) => void (response.socket as Socket).resetAndDestroy()
export const answers =
  (status: number, headers: Record<string, string> = {}): Act =>
  ({ response }) =>
    void response.writeHead(status, headers).end('{}')

/** A scripted status worker. */
export class ScriptedWorker {
  readonly asked: Asked[] = []
  act: Act = takes
  /** The maximum number of concurrent requests so far. */
  most = 0
  readonly open = new Set<Socket>()
  readonly close = atEnd(() => this.stop())
  readonly #server: Server
  #port = 0

  constructor() {
    let unanswered = 0
    this.#server = createServer(async (request, response) => {
      // Only heartbeats are recorded; a worker that hangs does so here as well.
      if (request.url === '/livez') return this.act === holds ? undefined : response.end('{"ok":true}')
      if (request.method === 'GET') return answers(404)({ request, response, id: '', body: '', status: '' })
      unanswered += 1
      this.most = Math.max(this.most, unanswered)
      response.on('close', () => {
        unanswered -= 1
      })
      const body = Buffer.concat(await request.toArray()).toString()
      const id = request.url?.split('/').at(-1) ?? ''
      const asked = { request, response, id, body, status: JSON.parse(body).status }
      this.asked.push(asked)
      this.act(asked)
    })
    this.#server.on('connection', (socket) => {
      this.open.add(socket)
      socket.on('error', () => {}).on('close', () => this.open.delete(socket))
    })
  }

  static async start(): Promise<ScriptedWorker> {
    const worker = new ScriptedWorker()
    await worker.start()
    return worker
  }

  /** Uses the same port again after a stop. */
  async start(): Promise<void> {
    await once(this.#server.listen(this.#port, '127.0.0.1'), 'listening')
    this.#port = (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** The heartbeats it received: `id status`, in order. */
  get told(): string[] {
    return this.asked.map(({ id, status }) => `${id} ${status}`)
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.open) socket.destroy()
    await closed
  }
}

export { turns, until } from '../support/until.ts'

export interface Line {
  readonly level: 'info' | 'warn'
  readonly fields: object
  readonly message: string
}

export function heardLog() {
  const lines: Line[] = []
  const at = (level: Line['level']) => (fields: object, message: string) => void lines.push({ level, fields, message })
  return { lines, info: at('info'), warn: at('warn') }
}
