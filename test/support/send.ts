import { exchange } from './http-client.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
}

export interface Sent {
  readonly headers?: Record<string, string>
  /** Anything but a string or bytes is sent as JSON. */
  readonly body?: unknown
}

/** Follows no redirect. */
export async function send(method: string, url: string, { headers, body }: Sent = {}): Promise<Reply> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const sent = isRaw ? (body ?? '') : JSON.stringify(body)
  const fields = { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }
  const reply = await exchange(method, new URL(url), fields, typeof sent === 'string' ? Buffer.from(sent) : sent)
  const text = reply.body.toString()
  const answered = new Headers(reply.headers)
  const isJson = answered.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: reply.status, headers: answered, text, body: isJson ? JSON.parse(text) : undefined }
}
