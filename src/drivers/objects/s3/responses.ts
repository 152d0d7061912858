import type { ByteRange, ObjectHead } from '../../../images/object-store.ts'
import type { Headers, Reply } from './exchange.ts'

export const maxErrorBytes = 64 * 1024
/** A page of a thousand keys of a kilobyte, every byte escaped. */
export const maxResponseBytes = 8 * 1024 * 1024

export function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const marks = ['x-amz-request-id', 'x-amz-id-2']
const stores = /^(AmazonS3|MinIO)\b/

/** Whether the response is the store's own. The Content-Type does not tell: Swift and moto send text/html for a PUT. */
export const isMarked = (headers: Headers): boolean => marks.some((name) => headerOf(headers, name) !== null)

export const isHtml = (headers: Headers): boolean => /html/i.test(headerOf(headers, 'content-type') ?? '')

/**
 * Whether the headers prove that a response without a body comes from the store, not from something in front of it. An
 * ETag proves nothing: web frameworks send one with every response.
 */
export const isFromStore = (headers: Headers): boolean =>
  isMarked(headers) ||
  (!isHtml(headers) &&
    (headerOf(headers, 'x-amz-bucket-region') !== null || stores.test(headerOf(headers, 'server') ?? '')))

/** The code in an S3 error document; null for any other text. */
export function codeIn(text: string): string | null {
  if (!/^\uFEFF?\s*(<\?xml[^>]*>\s*)?<Error[\s>]/.test(text)) return null
  return /<Code>\s*([A-Za-z0-9.]{1,80})\s*<\/Code>/.exec(text)?.[1] ?? null
}

/** Reads the error document, which also frees the socket. */
export async function codeOf(reply: Reply): Promise<string | null> {
  return codeIn((await reply.body.upTo(maxErrorBytes)).toString())
}

/** Repeats the store's own words only if they are plain. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: string | null

  constructor(message: string, status: number, code: string | null) {
    super(message)
    this.status = status
    this.code = code
  }
}

export function refusal(act: string, status: number, code: string | null, headers: Headers): Refusal {
  const region = /^[a-z0-9-]{1,40}$/.exec(headerOf(headers, 'x-amz-bucket-region') ?? '')?.[0]
  const verb = status >= 300 && status < 400 ? 'redirects' : 'refuses'
  const answer = code === null ? String(status) : `${status} ${code}`
  const hint = region === undefined ? '' : ` (the bucket's region is ${region})`
  return new Refusal(`The object store ${verb} the ${act}: ${answer}${hint}`, status, code)
}

export const badResponse = (what: string, cause?: unknown) =>
  new Error(`The object store sent an invalid S3 response: ${what}`, { cause })

/** Something in front of the store responded without passing the request on. */
export class NotFromStore extends Error {
  constructor(what: string) {
    super(`Something in front of the object store responded: ${what}`)
    this.name = 'NotFromStore'
  }
}

/** Without quotes and `W/`. */
export const bareEtag = (etag: string) => etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')

function wholeNumber(text: string | null): number | null {
  const number = text !== null && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(number) ? number : null
}

/** Throws unless these are an object's headers. */
export function headOf(headers: Headers): ObjectHead {
  if (isHtml(headers) && !isMarked(headers)) throw new NotFromStore('a page of HTML')
  const etag = bareEtag(headerOf(headers, 'etag') ?? '')
  const modified = Date.parse(headerOf(headers, 'last-modified') ?? '')
  const size = wholeNumber(headerOf(headers, 'content-length'))
  if (etag === '' || Number.isNaN(modified)) throw badResponse('an object without ETag or Last-Modified')
  if (size === null || headers['transfer-encoding'] !== undefined) throw badResponse('an object without a length')
  return { etag, size, modified, type: headerOf(headers, 'content-type') }
}

/** The same for a part, which must be exactly the requested one. */
export function headOfPart(headers: Headers, { first, last }: ByteRange): ObjectHead {
  const part = headOf(headers)
  const found = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/.exec(headerOf(headers, 'content-range') ?? '')
  const [from, to, size] = found?.slice(1).map(Number) ?? []
  if (from !== first || to !== last || size === undefined || last >= size || part.size !== last - first + 1)
    throw badResponse('another range than requested')
  return { ...part, size }
}
