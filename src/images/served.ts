import type { Headers } from '../http/headers.ts'
import { httpDate } from '../http/http-date.ts'
import { isRaster } from '../lib/image-types.ts'
import type { ObjectHead } from './object-store.ts'

/** On every answer of the proxy: whatever a stored byte says that it is, it does not script here. */
export const proxyHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
} as const

/** What S3 servers report for an object that was stored without a type. */
const noType = /^(?:binary|application)\/octet-stream$/i
const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const quoted = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*"'
const mediaType = new RegExp(`^${token}/${token}(?:[ \\t]*;(?:[ \\t]*${token}=(?:${token}|${quoted}))?)*$`)
export function typeOf({ type }: Pick<ObjectHead, 'type'>): string {
  return type === null || noType.test(type) || !mediaType.test(type) ? 'image/jpeg' : type
}

/** Who an image is answered to: anybody, by its own address, or one who is signed in, as a random choice. */
export interface Audience {
  readonly cacheControl: string
  readonly headers: Headers
}

const { 'Access-Control-Allow-Origin': _, ...withoutOrigins } = proxyHeaders
export const everybody: Audience = { cacheControl: 'public, max-age=3600, stale-if-error=86400', headers: proxyHeaders }
/** What needs a token is not for the pages of other origins. */
export const caller: Audience = { cacheControl: 'no-store', headers: withoutOrigins }

/** The headers of one version of an image; none of the store's own passes by itself. */
export function headersOf(head: ObjectHead, audience = everybody): Headers {
  const type = typeOf(head)
  return {
    ...validatorsOf(head, audience),
    'Accept-Ranges': 'bytes',
    'Content-Type': type,
    ...(!isRaster(type) && { 'Content-Disposition': 'attachment' }),
  }
}

/** Of an answer that stands for the image without it. */
export const validatorsOf = ({ etag, modified }: ObjectHead, { cacheControl, headers } = everybody): Headers => ({
  ...headers,
  'Cache-Control': cacheControl,
  ETag: `"${etag}"`,
  'Last-Modified': httpDate(modified),
})

/** Only such a tag can stand between quotes in a header. */
export const isEtag = (etag: string) => /^[\x21\x23-\x7e]{1,256}$/.test(etag)
