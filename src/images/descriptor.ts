import { refuse } from '../http/refusal.ts'
import { integer, object, string, timestamp } from '../http/schema.ts'
import { isoTime } from '../lib/moment.ts'
import type { Choice } from './choose.ts'
import { errors } from './errors.ts'
import { isFilename, keyOf } from './names.ts'

export const descriptor = object({
  name: string({ description: 'The object: kind and file name', examples: ['fox/fox-at-dusk.png'] }),
  etag: string({ examples: ['9b2cf535f27731c974343645a3985328'] }),
  size: integer({ minimum: 1, description: 'In bytes', examples: [7421] }),
  lastModified: timestamp(),
  url: string({
    description: 'Where anyone gets the bytes',
    examples: ['http://localhost:3000/i/fox/fox-at-dusk.png'],
  }),
})

/** Where the image is served from; without a slash at the end. */
export type BaseUrl = () => string

export const proxyPath = '/i/'

export const urlOf = (baseUrl: BaseUrl, choice: Choice) =>
  `${baseUrl()}${proxyPath}${choice.kind}/${filenameOf(choice)}`

export function describeImage(baseUrl: BaseUrl, choice: Choice) {
  const { kind, entry } = choice
  return {
    name: keyOf(kind, filenameOf(choice)),
    etag: entry.etag,
    size: entry.size,
    lastModified: isoTime(entry.modified),
    url: urlOf(baseUrl, choice),
  }
}

/** A list that holds what the proxy would not serve must not be believed (interface.md §7). */
export function filenameOf({ kind, entry }: Choice): string {
  const name: unknown = entry.filename
  return typeof name === 'string' && isFilename(name) ? name : refuse(errors.nameMissing[kind])
}
