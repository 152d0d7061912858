import type { Headers } from './headers.ts'

/** An answer that is no JSON: a page, a text. */
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

/** What is to be known of the bytes of an answer beside them. */
export interface Sending {
  /** Pieces that are given away are nobody else's. */
  readonly isGivenAway?: boolean
  /** Of bytes in memory: called when the kernel has them, or the client has left. */
  readonly onOver?: () => void
}

/**
 * An answer of bytes, with all of its own headers; the length aside. `body` is null where only the head is sent. Pieces
 * are written as they come, and are as long together as they say.
 */
export class BytesResponse {
  readonly status: number
  /** `linesOf` its headers. */
  readonly lines: string
  readonly body: Buffer | AsyncIterable<Uint8Array> | null
  /** Null: none is said, as for an answer that has no body whatever is asked. */
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

/** A JSON answer with another status than the route's first. */
export class JsonResponse {
  readonly status: number
  readonly value: unknown

  constructor(status: number, value: unknown) {
    this.status = status
    this.value = value
  }
}

/** A JSON answer that was put together as a text. */
export class JsonTextResponse {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A JSON answer that is written as it is made, so that its length costs no memory. */
export class JsonStreamResponse {
  readonly chunks: AsyncIterable<string>

  constructor(chunks: AsyncIterable<string>) {
    this.chunks = chunks
  }
}
