import { request } from 'undici'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any
}

export interface Sent {
  readonly headers?: Record<string, string>
  /** Anything other than a string or bytes is sent as JSON. */
  readonly body?: unknown
}

/** Follows no redirects. fetch would take half of the CPU of a request. */
export async function send(method: string, url: string, { headers, body }: Sent = {}): Promise<Reply> {
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const reply = await request(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body: isRaw ? (body ?? null) : JSON.stringify(body),
  })
  const text = await reply.body.text()
  const answered = new Headers(Object.entries(reply.headers).map(([name, value]) => [name, [value].flat().join(', ')]))
  const isJson = answered.get('content-type')?.startsWith('application/json') && text !== ''
  return { status: reply.statusCode, headers: answered, text, body: isJson ? JSON.parse(text) : undefined }
}
