import type { Headers } from './headers.ts'

/** A response that is not JSON: a page, a text. */
export class TextResponse {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers: Headers

  constructor(status: number, type: string, body: string | Buffer, headers: Headers = {}) {
    this.status = status
    this.type = type
    this.body = body
    this.headers = headers
  }
}

export interface Sending {
  /** The receiver owns the chunks, and may free their memory. */
  readonly isGivenAway?: boolean
  /** For bytes in memory: called when the kernel has taken them or the client has disconnected. */
  readonly onOver?: () => void
}

/** Bytes with their own headers. `body` is null if only the head is sent; chunks must add up to `length`. */
export class BytesResponse {
  readonly status: number
  /** `linesOf` its headers. */
  readonly lines: string
  readonly body: Buffer | AsyncIterable<Uint8Array> | null
  /** Null: no Content-Length, as for a 304. */
  readonly length: number | null
  readonly sending: Sending

  constructor(
    status: number,
    lines: string,
    body: Buffer | AsyncIterable<Uint8Array> | null,
    length: number | null,
    sending: Sending = {},
  ) {
    this.status = status
    this.lines = lines
    this.body = body
    this.length = length
    this.sending = sending
  }
}

/** JSON with a status other than the route's first, or with additional headers. */
export class JsonResponse {
  readonly status: number
  readonly value: unknown
  readonly headers: Headers

  constructor(status: number, value: unknown, headers: Headers = {}) {
    this.status = status
    this.value = value
    this.headers = headers
  }
}

/** JSON that is already serialised. */
export class JsonTextResponse {
  readonly text: string
  /** `linesOf` additional headers. */
  readonly lines: string

  constructor(text: string, lines = '') {
    this.text = text
    this.lines = lines
  }
}

/** JSON written as it is produced, so that a long list is never held in memory. */
export class JsonStreamResponse {
  readonly chunks: AsyncIterable<string>

  constructor(chunks: AsyncIterable<string>) {
    this.chunks = chunks
  }
}
