import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { inTime, until } from '../support/until.ts'

export interface WireAnswer {
  readonly status: number
  /** Names in lower case; a repeated one is joined with a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly json: any
}

/** A connection on which a test decides every byte that is sent. */
export class Wire {
  readonly socket: Socket
  readonly #head: boolean
  readonly #answers: WireAnswer[] = []
  #rest = ''
  /** Joined to the rest only when they may complete a response: a long one arrives in hundreds of them. */
  #chunks: string[] = []
  #length = 0
  #needed = 0
  #ended = false
  #wake = () => {}

  /** `head`: its requests are HEAD, so no response has a body. `halfOpen`: it stays open when the other side has ended. */
  constructor(port: number, { head = false, halfOpen = false } = {}) {
    this.#head = head
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: halfOpen })
    this.socket.on('data', (chunk) => {
      this.#chunks.push(chunk.toString('latin1'))
      this.#length += chunk.length
      this.#wake()
    })
    const end = () => {
      this.#ended = true
      this.#wake()
    }
    this.socket.on('end', end).on('close', end).on('error', end)
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
    return this
  }

  /** The first `count` responses, as soon as they have arrived. */
  async answers(count: number): Promise<WireAnswer[]> {
    await this.#until(() => this.#parse().length >= count || this.#ended)
    const answers = this.#parse()
    if (answers.length < count)
      throw new Error(`the connection ended after ${answers.length} answers: ${this.#rest.slice(0, 2000)}`)
    return answers
  }

  async answer(): Promise<WireAnswer> {
    return (await this.answers(1))[0] as WireAnswer
  }

  /** All responses until the other side closed. */
  async toTheEnd(): Promise<WireAnswer[]> {
    await this.#until(() => this.#ended)
    this.socket.destroy()
    return this.#parse()
  }

  close(): void {
    this.socket.destroy()
  }

  async #until(isDone: () => boolean): Promise<void> {
    while (!isDone()) {
      const more = new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      await inTime(more, () => `more bytes of an answer, after: ${(this.#rest + this.#chunks.join('')).slice(0, 2000)}`)
    }
  }

  #parse(): WireAnswer[] {
    if (this.#length >= this.#needed) {
      this.#rest += this.#chunks.join('')
      this.#chunks = []
      while (this.#takeAnswer());
    }
    return this.#answers
  }

  #takeAnswer(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n')
    if (end < 0) return false
    const [first = '', ...lines] = this.#rest.slice(0, end).split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(': ')
      const name = line.slice(0, colon).toLowerCase()
      headers[name] = (headers[name] === undefined ? '' : `${headers[name]}, `) + line.slice(colon + 2)
    }
    const taken = end + 4 + (this.#head ? 0 : Number(headers['content-length'] ?? 0))
    this.#needed = this.#length - this.#rest.length + taken
    if (this.#rest.length < taken) return false
    const body = Buffer.from(this.#rest.slice(end + 4, taken), 'latin1').toString()
    this.#rest = this.#rest.slice(taken)
    const status = Number(/^HTTP\/1\.[01] (\d{3}) /.exec(first)?.[1])
    const isJson = headers['content-type']?.startsWith('application/json') && body !== ''
    this.#answers.push({ status, headers, body, json: isJson ? JSON.parse(body) : undefined })
    return true
  }
}

/** Sends one request on its own connection, and returns the first response. */
export async function ask(port: number, bytes: string | Uint8Array): Promise<WireAnswer> {
  const wire = new Wire(port).send(bytes)
  try {
    return await wire.answer()
  } finally {
    wire.close()
  }
}

export interface Head {
  readonly token?: string | undefined
  readonly [name: string]: string | number | undefined
}

/** The head of a request, with the one header that every request needs; `token` is its Authorization. */
export function head(method: string, path: string, { token, ...headers }: Head = {}): string {
  const all = { Host: 'test', ...(token !== undefined && { Authorization: token }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

export const chunked = (...parts: readonly string[]) =>
  `${parts.map((part) => `${Buffer.byteLength(part, 'latin1').toString(16)}\r\n${part}\r\n`).join('')}0\r\n\r\n`

/** Resolves when the port no longer accepts connections. */
export const refused = (port: number) =>
  until(async () => {
    const socket = connect({ port, host: '127.0.0.1' })
    // Rejects with the socket's error.
    const isAccepted = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return !isAccepted
  }, `port ${port} does not refuse connections`)
