import type { MaybePromise } from '../lib/maybe-promise.ts'

/** How far a walk through all images has come. A later one is greater, by its round and then its place. */
export interface Position {
  readonly round: number
  /** Of the image seen last, in the order of this round; -1 before the first. */
  readonly place: number
}

export interface WalkStep extends Position {
  /** Of the walk. */
  readonly name: string
}

/** Whose walk it is: that of a user or of an embed link, which sees each image once in a round. */
export interface Walker {
  readonly userId: string
  readonly linkId: string | null
}

export type SavedWalk = Walker & WalkStep

/** The port of the saved positions. */
export interface SavedPositions {
  /** As saved by whichever instance; null before the first. Throws Unavailable if the database is down. */
  find(name: string): MaybePromise<Position | null>
}
