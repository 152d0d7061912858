import type { Kind, Kinds } from './kinds.ts'
import { maxKeyBytes } from './object-name.ts'

export const filenamePattern = '^[a-zA-Z0-9._-]+$'
const filename = new RegExp(filenamePattern)

/** Valid as the last segment of the proxy's path. Clients remove `.` from a path. */
export const isFilename = (text: string) => filename.test(text) && !text.includes('..') && text !== '.'

export const keyOf = (kind: Kind, name: string) => `${kind}/${name}`

export interface ImageName {
  readonly kind: Kind
  readonly filename: string
}

/** Null for a key that the proxy would not serve. */
export function parseKey(kinds: Kinds, key: string): ImageName | null {
  const slash = key.indexOf('/')
  const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)]
  return slash > 0 && kinds.has(kind) && isFilename(name) && key.length <= maxKeyBytes ? { kind, filename: name } : null
}

/** The same for an object: one without bytes is no image. */
export const parseServedKey = (
  kinds: Kinds,
  { name, size }: { readonly name: string; readonly size: number },
): ImageName | null => (size > 0 ? parseKey(kinds, name) : null)
