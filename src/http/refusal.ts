import { fillIn } from './envelopes.ts'

/** The JSON shape of an error; `ok` is the status worker's. */
export type Envelope = 'error' | 'status' | 'message' | 'ok'

/** An error response as data: thrown by `refuse`, rendered in envelopes.ts, printed in the reference. */
export interface Refusal {
  readonly status: number
  /** `<NAME>` is replaced with the setting of that name, or with one of the `texts` of `Refused`. */
  readonly message: string
  /** For errors that do not depend on the route, such as 401; others use the route's envelope. */
  readonly envelope?: Envelope
  readonly headers?: Readonly<Record<string, string>>
  /** For the reference: the condition, if the message does not say it. */
  readonly when?: string
}

export class Refused extends Error {
  readonly refusal: Refusal
  /** For this response only. */
  readonly headers: Readonly<Record<string, string>>
  /** Values for `<NAME>` in the message, in addition to the settings. */
  readonly texts: Readonly<Record<string, string>>
  /** For the log instead of the message: what the operator has to know, and the client does not. */
  readonly detail: string | null

  constructor(
    refusal: Refusal,
    headers: Readonly<Record<string, string>> = {},
    texts: Readonly<Record<string, string>> = {},
    detail: string | null = null,
  ) {
    super(fillIn(refusal.message, texts))
    this.name = 'Refused'
    this.refusal = refusal
    this.headers = headers
    this.texts = texts
    this.detail = detail
  }
}

/** A refusal whose log line says more than the response. */
export const refusedFor = (refusal: Refusal, detail: string) => new Refused(refusal, {}, {}, detail)

export function refuse(...args: ConstructorParameters<typeof Refused>): never {
  throw new Refused(...args)
}
