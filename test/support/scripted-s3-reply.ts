export interface StoredObject {
  readonly bytes: Buffer
  readonly type: string | null
  /** As in the header, with quotes. */
  readonly etag: string
  readonly modified: Date
  /** Additional headers of a correct response. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What Content-Length counts, also for HEAD, which does not get the body. */
  readonly bytes: Buffer
  /** From something in front of the store: lacks the store's mark. */
  readonly isForeign?: boolean
}

export const xml = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'Content-Type': 'application/xml', ...headers },
  bytes: Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n${text}`),
})

export const failure = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply =>
  xml(status, `<Error><Code>${code}</Code><Message>${code}</Message><RequestId>scripted</RequestId></Error>`, headers)

export function empty(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return { status, headers, bytes: Buffer.alloc(0) }
}
