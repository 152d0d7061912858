export interface StoredObject {
  readonly bytes: Buffer
  readonly type: string | null
  /** As in the header, in its quotes. */
  readonly etag: string
  readonly modified: Date
  /** More headers of a right answer. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** What Content-Length counts, for HEAD too, which does not get it. */
  readonly bytes: Buffer
  /** Of something before the store: without the mark of the store's answers. */
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
