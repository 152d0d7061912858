import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the answer's body matters; without it the head is all that is waited for. */
  readonly wantsBody?: boolean
}

export type Answer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly contentType: string | null
      readonly retryAfter: string | null
      readonly body: Buffer
      /** Why the body ends before its end; null: it is whole. */
      readonly broken: string | null
    }
  /** The connection never came about, so nothing of the request can have arrived. */
  | { readonly kind: 'unsent'; readonly code: string }
  | { readonly kind: 'unanswered'; readonly code: string }

export interface Exchange {
  readonly answer: Promise<Answer>
  /** Ends it now; the answer is what has arrived. */
  stop(code: string): Promise<Answer>
}

export const mostBodyBytes = 64 * 1024
export const cut = 'CUT'

/**
 * One request over a connection of its own: one that is kept may be closed by the page in the moment it is used again,
 * which would make outcomes uncertain that need not be. Follows no redirect and asks no proxy. Not global fetch: that
 * is 30 MB more than the client beside the server we have anyway, and follows, keeps and decodes by itself.
 */
export function exchange(request: HttpRequest, onSocket: (socket: Socket) => void): Exchange {
  const { promise, resolve } = Promise.withResolvers<Answer>()
  let call: ClientRequest | null = null
  let head: IncomingMessage | null = null
  let pieces: Buffer[] = []
  let bytes = 0
  let isSent = false
  let isOver = false

  function over(code: string | null): void {
    if (isOver) return
    isOver = true
    if (head === null) resolve({ kind: isSent ? 'unanswered' : 'unsent', code: code ?? 'ECONNRESET' })
    else resolve(answered(head, Buffer.concat(pieces), code))
    pieces = []
    call?.destroy()
  }

  function read(response: IncomingMessage): void {
    head = response
    response.on('error', (error) => over(codeOf(error)))
    if (!request.wantsBody) return over(null)
    response.on('data', (piece: Buffer) => {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > mostBodyBytes) over(cut)
    })
    response.on('end', () => over(null))
  }

  try {
    const { body } = request
    call = start(request, (socket, connected) => {
      onSocket(socket)
      socket.once(connected, () => {
        isSent = true
      })
    })
    call.on('response', read)
    call.on('error', (error) => over(codeOf(error)))
    call.on('close', () => over('ECONNRESET'))
    call.end(body)
  } catch (error) {
    over(codeOf(error))
  }
  return {
    answer: promise,
    stop(code) {
      over(code)
      return promise
    },
  }
}

function answered(head: IncomingMessage, body: Buffer, broken: string | null): Answer {
  const { statusCode = 0, headers } = head
  return {
    kind: 'answered',
    status: statusCode,
    contentType: headers['content-type'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
    body: body.subarray(0, mostBodyBytes),
    broken,
  }
}

/** With the name of the event after which something may have been sent. A page without TLS does not load TLS. */
function start(request: HttpRequest, onSocket: (socket: Socket, connected: string) => void): ClientRequest {
  const { method, url } = request
  const options = { method, agent: false, headers: { 'User-Agent': 'menagerie', ...request.headers } } as const
  const isTls = url.startsWith('https:')
  const call = isTls
    ? process.getBuiltinModule('node:https').request(url, options)
    : process.getBuiltinModule('node:http').request(url, options)
  return call.once('socket', (socket) => onSocket(socket, isTls ? 'secureConnect' : 'connect'))
}

/** Only words that Node makes: a message may hold what was sent. */
function codeOf(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ERROR'
}
