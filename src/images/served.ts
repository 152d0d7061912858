import { type Headers, lineOf, linesOf } from '../http/headers.ts'
import { integer, string } from '../http/schema.ts'
import { httpDate } from '../lib/http-date.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { isMediaType, isRaster } from './image-types.ts'
import type { ObjectHead } from './object-store.ts'
import type { Size } from './sizes/size.ts'

/** On every response of the proxy: no stored byte may run as a script, whatever its type. */
export const proxyHeaders = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Access-Control-Allow-Origin': '*',
} as const

/** Reported by S3 servers for an object stored without a type. */
const noType = /^(?:binary|application)\/octet-stream$/i

export function typeOf({ type }: Pick<ObjectHead, 'type'>): string {
  const isServed = type !== null && isMediaType(type) && isAscii(type) && !noType.test(type)
  return isServed ? type : 'image/jpeg'
}

const isAscii = (text: string) => /^[\t -~]*$/.test(text)

/** Who gets an image: everybody, by its URL; a signed-in caller or the holder of an embed link, as a random choice. */
export interface Audience {
  readonly lines: string
  /** For a random choice: what to say of the image that was sent. */
  readonly about?: About
}

export interface About {
  readonly urlOf: (key: string, size: Size | null) => string
  /** Where the image is from; null if unknown. */
  readonly sourceOf: (key: string) => MaybePromise<string | null>
}

const { 'Access-Control-Allow-Origin': _, ...withoutOrigins } = proxyHeaders
const cacheable = 'public, max-age=3600, stale-if-error=86400'
export const everybody: Audience = { lines: linesOf({ ...proxyHeaders, 'Cache-Control': cacheable }) }
/** Pages of other origins cannot read what needs a token. */
export const caller: Audience = { lines: linesOf({ ...withoutOrigins, 'Cache-Control': 'no-store' }) }

/** By an embed link: on any page, and a different image each time. */
export const embedded: Audience = { lines: linesOf({ ...proxyHeaders, 'Cache-Control': 'no-store' }) }

const remainingHeader = 'X-Images-Remaining'
export const remainingSpec = {
  [remainingHeader]: integer({
    minimum: 0,
    description: 'With `repeat=no`: how many images are left before any is repeated',
    examples: [41],
  }),
}

export const remainingHeaders = (remaining: number | null, isPublic = false): Headers =>
  remaining === null
    ? {}
    : {
        [remainingHeader]: String(remaining),
        ...(isPublic && { [exposingHeader]: remainingHeader }),
      }

/** The same as a header line, for the most frequent requests. */
export const remainingLine = (remaining: number | null) =>
  remaining === null ? '' : `${remainingHeader}: ${remaining}\r\n`

const locationHeader = 'Content-Location'
const linkHeader = 'Link'
export const locationSpec = {
  [locationHeader]: string({
    description: 'With `as=bytes`: the URL of the image that was sent',
    examples: ['<BASE_URL>/i/fox/fox-at-dusk.png'],
  }),
  [linkHeader]: string({
    description: 'With `as=bytes`, if the image has a `source`',
    examples: ['<https://example.org/dusk>; rel="via"'],
  }),
}

const exposingHeader = 'Access-Control-Expose-Headers'
const exposing = (...names: readonly string[]) => lineOf(exposingHeader, names.join(', '))
const [exposingLocation, exposingBoth] = [exposing(locationHeader), exposing(locationHeader, remainingHeader)]

/** The same audience of a random choice, also told how many images remain. */
export function told({ lines }: Audience, remaining: number | null, about: About): Audience {
  const exposed = lines !== embedded.lines ? '' : remaining === null ? exposingLocation : exposingBoth
  return { lines: lines + remainingLine(remaining) + exposed, about }
}

/** Says which image is sent, if it was chosen at random, and whether another `Accept` may get another one. */
export function sending(audience: Audience, key: string, size: Size | null): MaybePromise<Audience> {
  const { lines, about } = audience
  const vary = size?.format === 'auto' ? 'Vary: Accept\r\n' : ''
  if (!about) return vary === '' ? audience : { lines: lines + vary }
  const located = lines + vary + lineOf(locationHeader, about.urlOf(key, size))
  return chain(about.sourceOf(key), (source) => ({
    lines:
      source === null
        ? located
        : located + linkTo(source) + (lines.includes(exposingHeader) ? exposing(linkHeader) : ''),
    about,
  }))
}

/** RFC 8288. The URL parser leaves no `>` and no line break in a URL. */
const linkTo = (source: string) => lineOf(linkHeader, `<${source}>; rel="via"`)

/** All headers of an image; none is copied from the store. */
export function headerLines(head: ObjectHead, audience = everybody): string {
  const type = typeOf(head)
  const disposition = isRaster(type) ? '' : 'Content-Disposition: attachment\r\n'
  return `${validatorLines(head, audience)}Accept-Ranges: bytes\r\n${lineOf('Content-Type', type)}${disposition}`
}

export const validatorLines = ({ etag, modified }: ObjectHead, { lines } = everybody): string =>
  `${lines}${lineOf('ETag', `"${etag}"`)}Last-Modified: ${httpDate(modified)}\r\n`

/** Whether it can be quoted in a header. */
export const isEtag = (etag: string) => /^[\x21\x23-\x7e]{1,256}$/.test(etag)

/** Same rule as in the catalogue: an object without bytes is no image. */
export const isImage = ({ size, etag }: ObjectHead) => size > 0 && isEtag(etag)

export const isSameVersion = (one: ObjectHead, other: ObjectHead) =>
  one.etag === other.etag && one.size === other.size && one.modified === other.modified && one.type === other.type
