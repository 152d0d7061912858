import type { components } from './openapi.ts'

type Schemas = components['schemas']

/** The service's reply when it refuses or fails. */
export type Envelope = Schemas['AuthError'] | Schemas['StatusError'] | Schemas['MessageError'] | Schemas['NotReady']

export interface Failure {
  readonly status: number
  readonly text: string
  readonly envelope?: Envelope | undefined
  readonly retryAfterMs?: number | undefined
  readonly requestId?: string | undefined
}

/** What every method throws, except for the reason of an aborted signal. */
export class MenagerieError extends Error {
  override readonly name = 'MenagerieError'
  /** The HTTP status; 0 if there was no reply. `cause` is what `fetch` threw, unless nothing was sent. */
  readonly status: number
  /** The service's own words, such as `Image not found`. */
  readonly text: string
  /** The JSON that contained the text; undefined if something in between replied. */
  readonly envelope: Envelope | undefined
  /** The reply's Retry-After. */
  readonly retryAfterMs: number | undefined
  /** The reply's X-Request-Id, to search the service's log for. */
  readonly requestId: string | undefined

  constructor(request: string, { status, text, envelope, retryAfterMs, requestId }: Failure, options?: ErrorOptions) {
    super(`${request}: ${status === 0 ? '' : `${status} `}${text}`, options)
    this.status = status
    this.text = text
    this.envelope = envelope
    this.retryAfterMs = retryAfterMs
    this.requestId = requestId
  }
}

/** Reads an unsuccessful reply. */
export async function failureOf(response: Response): Promise<Failure> {
  const { status, headers } = response
  const envelope = parsedEnvelope(await response.text())
  const own = envelope && ('error' in envelope ? envelope.error : envelope.message)
  return {
    status,
    text: own ?? (response.statusText || 'unexpected reply'),
    envelope,
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
    requestId: headers.get('x-request-id') ?? undefined,
  }
}

function parsedEnvelope(text: string): Envelope | undefined {
  try {
    const { error, message } = JSON.parse(text)
    return typeof error === 'string' || typeof message === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** Seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
