import { type Failure, failureOf, MenagerieError } from './error.ts'

/* One request with its retries. */

export interface HttpOptions {
  /** The address of the service, such as `https://images.example.org`; a path is kept. */
  readonly url: string | URL
  /** An access token or an API key, with or without `Bearer `. Signing in and out replaces it. */
  readonly token?: string | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Max retries of a failed request; 2 by default. The README says which requests. */
  readonly retries?: number | undefined
  /** A longer Retry-After is thrown instead of waited for; 30 s by default. */
  readonly maxWaitMs?: number | undefined
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined
}

export interface Sent {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | Blob | ReadableStream<Uint8Array> | null
  readonly signal: AbortSignal | null
  /** Node and browsers accept a stream only with this. */
  readonly duplex?: 'half'
  /** For a HEAD, which asks what is currently stored. */
  readonly cache?: 'no-store'
}

export type Send = (url: string, sent: Sent) => Promise<Response>

export interface File {
  /** Called once for each attempt. */
  readonly open: (signal: AbortSignal | undefined) => Blob | ReadableStream<Uint8Array>
  readonly headers: Record<string, string>
  readonly isRepeatable: boolean
  /** Replaces fetch. */
  readonly send?: Send | undefined
}

/** A list is sent with commas. */
export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>

export interface Request {
  readonly query?: Query | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly json?: unknown
  readonly file?: File | undefined
  readonly signal?: AbortSignal | undefined
}

export type Http = ReturnType<typeof createHttp>

export function createHttp(options: HttpOptions) {
  const { url, token, headers: always, retries = 2, maxWaitMs = 30_000, fetch: own } = options
  const base = String(url).replace(/\/+$/, '')
  if (URL.canParse(base) && !/^https?:/i.test(base)) throw new TypeError(`expected an http or https URL, got ${base}`)
  let current = token
  // Called as a plain function: a browser's fetch refuses another `this`.
  const byFetch: Send = (target, sent) => (own ?? globalThis.fetch)(target, sent)

  async function attempt<T>(method: string, path: string, request: Request, read: Read<T>): Promise<T> {
    const { json, file, signal } = request
    const target = `${base}${path}${searchOf(request.query)}`
    const headers: Record<string, string> = {
      ...always,
      ...(current !== undefined && { authorization: withScheme(current) }),
      ...request.headers,
      ...(json === undefined ? file?.headers : { 'content-type': 'application/json' }),
    }
    const body = json === undefined ? (file?.open(signal) ?? null) : JSON.stringify(json)
    const sent: Sent = {
      method,
      headers,
      body,
      signal: signal ?? null,
      ...(isStream(body) && { duplex: 'half' }),
      ...(method === 'HEAD' && { cache: 'no-store' }),
    }
    const name = `${method} ${path}`
    let failure: Failure
    try {
      const response = await (file?.send ?? byFetch)(target, sent)
      if (response.ok) return await read(response)
      failure = await failureOf(response)
    } catch (cause) {
      signal?.throwIfAborted()
      throw new MenagerieError(name, { status: 0, text: textOf(cause) }, { cause })
    }
    throw new MenagerieError(name, failure)
  }

  return {
    get token() {
      return current
    },
    set token(next: string | undefined) {
      current = next
    },
    /** Retries requests that cannot have had an effect: a GET, or one that was refused for now. */
    async request<T>(method: string, path: string, request: Request, read: Read<T>): Promise<T> {
      const { signal, file } = request
      for (let failures = 0; ; failures++) {
        signal?.throwIfAborted()
        try {
          return await attempt(method, path, request, read)
        } catch (error) {
          if (!(error instanceof MenagerieError) || file?.isRepeatable === false || failures >= retries) throw error
          const waitMs = waitBefore(error, method === 'GET', failures)
          if (waitMs === undefined || waitMs > maxWaitMs) throw error
          await sleep(waitMs, signal)
        }
      }
    },
  }
}

export type Read<T> = (response: Response) => Promise<T>

/** Undefined if a retry might take effect twice or would fail again. */
function waitBefore({ status, retryAfterMs }: MenagerieError, isGet: boolean, failures: number): number | undefined {
  if ((status === 429 || status === 503) && retryAfterMs !== undefined) return retryAfterMs
  if (!isGet || ![0, 502, 503, 504].includes(status)) return undefined
  return 250 * 2 ** failures * (0.5 + Math.random())
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

const withScheme = (token: string) => (/^bearer /i.test(token) ? token : `Bearer ${token}`)
const isStream = (body: Sent['body']) => body instanceof ReadableStream
/** Node says only "fetch failed"; the cause says why. */
const textOf = (thrown: unknown): string =>
  thrown instanceof Error
    ? [thrown.message, thrown.cause && textOf(thrown.cause)].filter(Boolean).join(': ')
    : String(thrown)

function searchOf(query: Query = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  // To the service it would be no filter, and so find all.
  if (query.ids !== undefined && String(query.ids) === '') throw new TypeError('ids must not be empty')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
