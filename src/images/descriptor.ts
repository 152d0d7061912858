import { refuse } from '../http/refusal.ts'
import { JsonTextResponse } from '../http/responses.ts'
import { boolean, integer, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Catalogue, CatalogueEntry } from './catalogue.ts'
import type { Choice } from './choose.ts'
import { shownDetails } from './details/detail-fields.ts'
import { errors } from './errors.ts'
import { titleOf } from './kinds.ts'
import { isFilename, keyOf } from './names.ts'
import { maxSide, shapeTypes } from './shapes/shape.ts'
import { queryOf, type Size } from './sizes/size.ts'

const described = {
  name: string({ description: 'The object: kind and file name', examples: ['fox/fox-at-dusk.png'] }),
  etag: string({ examples: ['9b2cf535f27731c974343645a3985328'] }),
  size: integer({ minimum: 1, description: 'In bytes', examples: [7421] }),
  lastModified: timestamp(),
  url: string({
    description: 'Public URL of the image, with `w` and `format` if the request has them',
    examples: ['<BASE_URL>/i/fox/fox-at-dusk.png'],
  }),
}

const side = (name: string) =>
  nullable(
    integer({
      minimum: 1,
      maximum: maxSide,
      description: `With \`meta=1\`: the ${name} in pixels, as displayed. Null until the first bytes of the file have been read, if they do not contain it, or if a side exceeds ${maxSide}`,
      examples: [640],
    }),
  )

export const descriptor = object(
  {
    ...described,
    width: side('width'),
    height: side('height'),
    mime: nullable(oneOf(shapeTypes, { description: 'With `meta=1`: the type of the bytes; null if `width` is' })),
    animated: nullable(boolean({ description: 'With `meta=1`: whether there are several frames; null if `width` is' })),
    color: string({
      pattern: '^#[0-9a-f]{6}$',
      description:
        'With `meta=1`: the main colour, as `#rrggbb`; only if this version has been decoded once, for `w` or `format`',
      examples: ['#7a4b2c'],
    }),
    thumbhash: string({
      description: 'With `meta=1`: its ThumbHash in base64, a placeholder of about 25 bytes; only if `color` is there',
      examples: ['1QcSHQRnh493V4dIh4eXh1h4kJUI'],
    }),
    ...shownDetails,
  },
  { title: 'ImageDescriptor', required: Object.keys(described) },
)

/** Without a trailing slash. */
export type BaseUrl = () => string

export const proxyPath = '/i/'

export const urlOfKey = (baseUrl: BaseUrl, key: string, size: Size | null = null) =>
  `${baseUrl()}${proxyPath}${key}${queryOf(size)}`

export const urlOf = (baseUrl: BaseUrl, choice: Choice, size: Size | null) => urlOfKey(baseUrl, chosenKey(choice), size)

/** Of the image as stored; only the URL asks for a size. */
export function describeImage(baseUrl: BaseUrl, choice: Choice, asked: Size | null = null) {
  const { etag, size, modified } = choice.entry
  const name = chosenKey(choice)
  return { name, etag, size, lastModified: isoTime(modified), url: urlOfKey(baseUrl, name, asked) }
}

const unknownShape = { width: null, height: null, mime: null, animated: null }

/** The same, with what is known of the shape. */
export function describeWithShape(baseUrl: BaseUrl, catalogue: Catalogue, choice: Choice, asked: Size | null) {
  const described = describeImage(baseUrl, choice, asked)
  const { width, height, mime, animated } = catalogue.shape(choice.kind, choice.entry.filename) ?? unknownShape
  return { ...described, width, height, mime, animated }
}

/** The JSON of cached entries. */
const texts = new WeakMap<CatalogueEntry, string>()

/** The first image as JSON, for the most frequent request. */
export function describeAsJson(baseUrl: BaseUrl, choice: Choice, lines = ''): JsonTextResponse {
  const { entry } = choice
  const known = texts.get(entry)
  if (known !== undefined) return new JsonTextResponse(known, lines)
  const text = jsonOf(baseUrl, choice)
  if (entry.isCached) texts.set(entry, text)
  return new JsonTextResponse(text, lines)
}

/** Twice as fast as `JSON.stringify`. Names and URLs contain nothing that JSON escapes. */
function jsonOf(baseUrl: BaseUrl, choice: Choice): string {
  const { etag, size, modified } = choice.entry
  const name = chosenKey(choice)
  return (
    `{"name":"${name}","etag":${JSON.stringify(etag)},"size":${size},` +
    `"lastModified":"${isoTime(modified)}","url":"${urlOfKey(baseUrl, name)}"}`
  )
}

/** Refuses an entry that the proxy would not serve. */
export function chosenKey({ kind, entry }: Choice): string {
  const name: unknown = entry.filename
  if (typeof name === 'string' && isFilename(name)) return keyOf(kind, name)
  return refuse(errors.nameMissing, {}, { KIND: titleOf(kind) })
}
