import type { Kind } from './kinds.ts'

/** Of an image. */
export const maxTags = 32

export const tagPattern = '^[a-z0-9-]{1,32}$'
const tag = new RegExp(tagPattern)
export const isTag = (text: string): boolean => tag.test(text)

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
