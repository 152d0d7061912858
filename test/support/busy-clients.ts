import { connect, type Socket } from 'node:net'
import { until } from './until.ts'

export interface BusyClients {
  /** Responses so far. */
  readonly answered: number
  /** Requests written to an open connection that got no response, or a proxy's own; one line each. */
  readonly lost: readonly string[]
  /** Resolves when each client has received this many more responses. */
  answeredEach(more: number): Promise<void>
  /** Each client ends when its last request is answered. */
  stop(): Promise<void>
  /** Resolves when each client was refused a connection. */
  refused(): Promise<void>
}

export interface BusySpec {
  readonly port: number
  readonly count: number
  /** The bytes of the request that a client sends repeatedly. */
  request(client: number): string
  /** Opens a new connection for each request. */
  readonly isClosing?: boolean
}

interface Client {
  answered: number
  isOver: boolean
}

/** Clients that send again after each response, and reconnect when the server says close or ends. */
export function startBusyClients({ port, count, request, isClosing = false }: BusySpec): BusyClients {
  const lost: string[] = []
  let isStopping = false

  const talk = async (client: Client, bytes: string) => {
    while (!isStopping) {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      const connection = read(socket)
      if (!(await connection.opened)) break
      for (;;) {
        // Writes nothing once the end has been seen.
        if (isStopping || connection.isEnded()) break
        socket.write(bytes)
        const response = await connection.response()
        if (response.problem !== null) {
          lost.push(response.problem)
          break
        }
        client.answered++
        if (isClosing || response.isLast) break
      }
      socket.destroy()
    }
    client.isOver = true
  }

  const clients = Array.from({ length: count }, (): Client => ({ answered: 0, isOver: false }))
  const talking = Promise.all(clients.map((client, index) => talk(client, request(index))))
  return {
    lost,
    get answered() {
      return clients.reduce((sum, { answered }) => sum + answered, 0)
    },
    async answeredEach(more) {
      const before = clients.map(({ answered }) => answered)
      const isServed = ({ answered, isOver }: Client, index: number) =>
        isOver || answered >= (before[index] as number) + more
      await until(() => clients.every(isServed), 'every client is served')
    },
    async stop() {
      isStopping = true
      await talking
    },
    async refused() {
      await talking
    },
  }
}

interface Response {
  readonly isLast: boolean
  readonly problem: string | null
}

function read(socket: Socket) {
  const opened = Promise.withResolvers<boolean>()
  let text = ''
  let end: string | null = null
  let wake = () => {}
  const over = (how: string) => {
    end ??= how
    opened.resolve(false)
    wake()
  }
  socket
    .on('connect', () => opened.resolve(true))
    .on('data', (chunk) => {
      text += chunk.toString('latin1')
      wake()
    })
    .on('end', () => over('ended'))
    .on('error', (error) => over(String(error)))
    .on('close', () => over('closed'))
  return {
    opened: opened.promise,
    isEnded: () => end !== null,
    async response(): Promise<Response> {
      for (;;) {
        const head = text.indexOf('\r\n\r\n')
        const length = head < 0 ? 0 : Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
        if (head >= 0 && text.length >= head + 4 + length) {
          const [first = ''] = text.split('\r\n', 1)
          const isLast = /\r\nconnection: close/i.test(text.slice(0, head))
          text = text.slice(head + 4 + length)
          return { isLast, problem: /^HTTP\/1\.1 50[234]/.test(first) ? first : null }
        }
        if (end !== null) return { isLast: true, problem: `${end} after ${text.length} bytes of a response` }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
