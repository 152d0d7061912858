import type { Kind } from './kinds.ts'

/** Of an image, and of a filter. */
export const maxTags = 32

export const tagPattern = '^[a-z0-9-]{1,32}$'
const tag = new RegExp(tagPattern)
export const isTag = (text: string): boolean => tag.test(text)

/** The refusal of invalid ones. */
export const badTags = (name: string) => ({
  status: 400 as const,
  message: `${name} must be a list of at most ${maxTags} tags, each of 1 to 32 of the characters a-z, 0-9 and -`,
})

/** A list, or text with commas between them. Sorted, each once; undefined if one is invalid or there are too many. */
export function readTags(tags: readonly string[] | string): readonly string[] | undefined {
  const given = typeof tags === 'string' ? tags.split(',').map((each) => each.trim()) : tags
  const all = [...new Set(given)].sort()
  return all.length <= maxTags && all.every(isTag) ? all : undefined
}

/**
 * The tags of all images, in memory, also of images that the catalogue does not have. The details of images keep them
 * as they are in the database; the catalogue selects images by them.
 */
export interface ImageTags {
  /** Null once they have been read from the database; until then, requests that select by tags wait for it. */
  readonly ready: Promise<void> | null
  /** The same array until they change. */
  of(kind: Kind, filename: string): readonly string[]
  /** The listener is called after the tags of an image have changed, also by the first reading. It does not throw. */
  subscribe(listener: (kind: Kind, filename: string) => void): void
}

const none: readonly string[] = []

/** For a program that does not select by tags. */
export const noTags: ImageTags = { ready: null, of: () => none, subscribe() {} }
