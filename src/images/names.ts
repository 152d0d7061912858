import { isKind, type Kind } from './kinds.ts'
import { maxKeyBytes } from './object-name.ts'

export const filenamePattern = '^[a-zA-Z0-9._-]+$'
const filename = new RegExp(filenamePattern)

/** What the proxy takes as the last segment of its path. Nobody can ask for `.`: a client leaves it out of the path. */
export const isFilename = (text: string) => filename.test(text) && !text.includes('..') && text !== '.'

export const keyOf = (kind: Kind, name: string) => `${kind}/${name}`

export interface Place {
  readonly kind: Kind
  readonly filename: string
}

/** The place of a key in the pool; null for one that the proxy would not serve. */
export function placeOf(key: string): Place | null {
  const slash = key.indexOf('/')
  const [kind, name] = [key.slice(0, slash), key.slice(slash + 1)]
  return slash > 0 && isKind(kind) && isFilename(name) && key.length <= maxKeyBytes ? { kind, filename: name } : null
}

/** Null for an object that no kind's pool has: without bytes it is no image. */
export const servedPlaceOf = ({ name, size }: { readonly name: string; readonly size: number }): Place | null =>
  size > 0 ? placeOf(name) : null
