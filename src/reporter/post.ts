import type { ClientRequest } from 'node:http'

/** The response's status, or an error code. */
export type ResponseCode = number | string

const maxResponseBytes = 4 * 1024
export const maxTimerMs = 2 ** 31 - 1

export const isSuccess = (outcome: ResponseCode) => typeof outcome === 'number' && outcome >= 200 && outcome < 300

/** Refused for good: a retry would be refused as well. */
export const isRefusal = (outcome: ResponseCode) =>
  typeof outcome === 'number' && outcome >= 400 && outcome < 500 && outcome !== 408 && outcome !== 429

/**
 * Opens its own connection: a restarting worker may close a kept-alive one just as it is reused. Follows no redirects.
 * Not global fetch, which takes 30 MB. Calls `done` once, and never before it has returned.
 */
export function post(url: URL, body: string, timeoutMs: number, done: (outcome: ResponseCode) => void): () => void {
  let call: ClientRequest | undefined
  let status: number | undefined
  let isOver = false
  const end = (code: string) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    call?.destroy()
    setImmediate(() => done(status ?? code))
  }
  const timer = setTimeout(end, timeoutMs, 'ETIMEDOUT').unref()
  const start = ({ request }: typeof import('node:http')) => {
    if (isOver) return
    const headers = { 'Content-Length': Buffer.byteLength(body), 'User-Agent': 'menagerie' }
    call = request(url, { method: 'POST', agent: false, headers: { 'Content-Type': 'application/json', ...headers } })
    call.on('response', (response) => {
      status = response.statusCode
      let bytes = 0
      response
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          bytes += chunk.length
          if (bytes > maxResponseBytes) end('TRUNCATED')
        })
    })
    call.on('error', (error) => end(codeOf(error)))
    call.on('close', () => end('ECONNRESET'))
    call.end(body)
  }
  // TLS is loaded only when needed.
  const module = url.protocol === 'https:' ? import('node:https') : import('node:http')
  module.then(start as (loaded: unknown) => void).catch((error) => end(codeOf(error)))
  return () => end('CLOSED')
}

/** Node's own error code, never the message, which may quote the URL. */
export function codeOf(error: unknown): string {
  const code = String((error as NodeJS.ErrnoException).code)
  return /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'ERROR'
}
