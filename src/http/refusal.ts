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
