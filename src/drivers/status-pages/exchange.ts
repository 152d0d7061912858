import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { lookupOnce } from '../../lib/lookup-once.ts'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether to wait for the response's body; without it the head is the response. */
  readonly wantsBody?: boolean
  /** Limit of the response's body; 64 KiB by default. */
  readonly maxBytes?: number
}

export type Result =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly contentType: string | null
      readonly retryAfter: string | null
      readonly requestId: string | null
      readonly body: Buffer
      /** Why the body is incomplete; null if it is complete. */
      readonly broken: string | null
    }
  /** Never connected, so the server has received nothing. */
  | { readonly kind: 'not-sent'; readonly code: string }
  | { readonly kind: 'no-response'; readonly code: string }

export const maxBodyBytes = 64 * 1024
export const truncated = 'TRUNCATED'

/**
 * One request over its own connection: a server may close a kept-alive one just as it is reused, which would make the
 * outcome unknown. Follows no redirects and uses no proxy. Not global fetch: it takes 30 MB more, follows, pools and
 * decompresses.
 */
export function exchange(request: HttpRequest, onSocket: (socket: Socket) => void) {
  const { promise, resolve } = Promise.withResolvers<Result>()
  const { maxBytes = maxBodyBytes } = request
  let call: ClientRequest | null = null
  let head: IncomingMessage | null = null
  let chunks: Buffer[] = []
  let bytes = 0
  let isConnected = false
  let isOver = false

  function end(code: string | null): void {
    if (isOver) return
    isOver = true
    if (head === null) resolve({ kind: isConnected ? 'no-response' : 'not-sent', code: code ?? 'ECONNRESET' })
    else resolve(response(head, Buffer.concat(chunks).subarray(0, maxBytes), code))
    chunks = []
    call?.destroy()
  }

  function read(message: IncomingMessage): void {
    head = message
    message.on('error', (error) => end(codeOf(error)))
    if (!request.wantsBody) return end(null)
    message.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) end(truncated)
    })
    message.on('end', () => end(null))
  }

  try {
    call = start(request, (socket, connected) => {
      onSocket(socket)
      socket.once(connected, () => {
        isConnected = true
      })
    })
    call.on('response', read)
    call.on('error', (error) => end(codeOf(error)))
    call.on('close', () => end('ECONNRESET'))
    call.end(request.body)
  } catch (error) {
    end(codeOf(error))
  }
  return {
    result: promise,
    /** The result is then whatever has arrived so far. */
    abort(code: string): Promise<Result> {
      end(code)
      return promise
    },
  }
}

function response({ statusCode = 0, headers }: IncomingMessage, body: Buffer, broken: string | null): Result {
  return {
    kind: 'response',
    status: statusCode,
    contentType: headers['content-type'] ?? null,
    retryAfter: headers['retry-after'] ?? null,
    requestId: [headers['x-request-id']].flat()[0] ?? null,
    body,
    broken,
  }
}

/** `connected`: the event after which the server may have received something. node:https is loaded only for https. */
function start(request: HttpRequest, onSocket: (socket: Socket, connected: string) => void): ClientRequest {
  const { method, url } = request
  const options = {
    method,
    agent: false,
    lookup: lookupOnce,
    headers: { 'User-Agent': 'menagerie', ...request.headers },
  } as const
  const isTls = url.startsWith('https:')
  const call = isTls
    ? process.getBuiltinModule('node:https').request(url, options)
    : process.getBuiltinModule('node:http').request(url, options)
  return call.once('socket', (socket) => onSocket(socket, isTls ? 'secureConnect' : 'connect'))
}

/** Node's own error code, never the message, which may quote what was sent. */
function codeOf(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ERROR'
}
