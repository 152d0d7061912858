import type { MaybePromise } from '../lib/maybe-promise.ts'

/** How far a walk through all images has come. A later one is greater, by its round and then its place. */
export interface Position {
  readonly round: number
  /** The place of the image seen last, in the order of this round; -1 before the first. */
  readonly place: number
}

export interface WalkStep extends Position {
  /** The name of the walk. */
  readonly name: string
}

/** Whose walk it is: a user's or an embed link's. Each sees every image once per round. */
export interface Walker {
  readonly userId: string
  readonly linkId: string | null
}

export type SavedWalk = Walker & WalkStep

/** The port of the saved positions. */
export interface SavedPositions {
  /** As saved by any instance; null before the first. Throws Unavailable if the database is down. */
  find(name: string): MaybePromise<Position | null>
}
