/** Who refuses chooses the envelope; `ok` is the status worker's. */
export type Envelope = 'error' | 'status' | 'message' | 'ok'

/** One answer that is not a success, as data: thrown by `refuse`, rendered in envelopes.ts, printed in the reference. */
export interface Refusal {
  readonly status: number
  /** May name a setting as `<NAME>`, or what the refusing code fills in; its value stands in the answer. */
  readonly message: string
  /** Set by those who refuse before a route is asked; a route's own refusals have the route's envelope. */
  readonly envelope?: Envelope
  readonly headers?: Readonly<Record<string, string>>
  /** For the reference: when this is answered, where the message does not say it. */
  readonly when?: string
}

export class Refused extends Error {
  readonly refusal: Refusal
  /** Of this answer alone. */
  readonly headers: Readonly<Record<string, string>>
  /** What stands in its message for `<NAME>`, beside the settings. */
  readonly texts: Readonly<Record<string, string>>

  constructor(
    refusal: Refusal,
    headers: Readonly<Record<string, string>> = {},
    texts: Readonly<Record<string, string>> = {},
  ) {
    super(refusal.message)
    this.name = 'Refused'
    this.refusal = refusal
    this.headers = headers
    this.texts = texts
  }
}

export function refuse(refusal: Refusal, headers?: Readonly<Record<string, string>>): never {
  throw new Refused(refusal, headers)
}

/** What the protocol itself refuses, on any route. */
export const protocol = {
  badRequest: { status: 400, message: 'Bad Request', when: 'the request is not valid HTTP' },
  badHost: { status: 400, message: 'Request must have exactly one Host header' },
  badUrl: { status: 400, message: 'Request URL is not valid' },
  timeout: { status: 408, message: 'Request was not received in time' },
  expectation: { status: 417, message: 'Expect must be 100-continue' },
  headTooLarge: { status: 431, message: 'Request head is too large', when: 'more than 16 KB or 100 lines' },
  internal: { status: 500, message: 'Internal Server Error', envelope: 'message' },
  badEncoding: { status: 415, message: 'Content-Encoding is not supported' },
  badJson: { status: 400, message: 'Request body is not valid JSON' },
  tooLarge: { status: 413, message: 'Request body is too large' },
  badType: { status: 415, message: 'Content-Type must be application/json' },
  unknownParameter: {
    status: 400,
    message: 'Unknown parameter: <PARAMETER>',
    when: 'the query has a parameter that is not listed here',
  },
  unavailable: {
    status: 503,
    message: 'Service is temporarily unavailable, please try again',
    envelope: 'status',
    headers: { 'Retry-After': '1' },
    when: 'a part that it needs, such as the database, is away',
  },
} as const satisfies Record<string, Refusal>
