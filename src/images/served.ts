import { lineOf, linesOf } from '../http/headers.ts'
import { httpDate } from '../lib/http-date.ts'
import { isMediaType, isRaster } from './image-types.ts'
import type { ObjectHead } from './object-store.ts'

/** On every answer of the proxy: whatever a stored byte says that it is, it does not script here. */
export const proxyHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
} as const

/** What S3 servers report for an object that was stored without a type. */
const noType = /^(?:binary|application)\/octet-stream$/i

export function typeOf({ type }: Pick<ObjectHead, 'type'>): string {
  const isServed = type !== null && isMediaType(type) && isAscii(type) && !noType.test(type)
  return isServed ? type : 'image/jpeg'
}

const isAscii = (text: string) => /^[\t -~]*$/.test(text)

/** Who an image is answered to: anybody, by its own address, or one who is signed in, as a random choice. */
export interface Audience {
  readonly lines: string
}

const { 'Access-Control-Allow-Origin': _, ...withoutOrigins } = proxyHeaders
const cacheable = 'public, max-age=3600, stale-if-error=86400'
export const everybody: Audience = { lines: linesOf({ ...proxyHeaders, 'Cache-Control': cacheable }) }
/** What needs a token is not for the pages of other origins. */
export const caller: Audience = { lines: linesOf({ ...withoutOrigins, 'Cache-Control': 'no-store' }) }

/** The headers of one version of an image; none of the store's own passes by itself. */
export function headerLines(head: ObjectHead, audience = everybody): string {
  const type = typeOf(head)
  const disposition = isRaster(type) ? '' : 'Content-Disposition: attachment\r\n'
  return `${validatorLines(head, audience)}Accept-Ranges: bytes\r\n${lineOf('Content-Type', type)}${disposition}`
}

/** Of an answer that stands for the image without it. */
export const validatorLines = ({ etag, modified }: ObjectHead, { lines } = everybody): string =>
  `${lines}${lineOf('ETag', `"${etag}"`)}Last-Modified: ${httpDate(modified)}\r\n`

/** Only such a tag can stand between quotes in a header. */
export const isEtag = (etag: string) => /^[\x21\x23-\x7e]{1,256}$/.test(etag)
