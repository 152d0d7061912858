import type { MaybePromise } from '../lib/maybe-promise.ts'

/** How far a walk through the images of a kind has come: `place` is one of an order that each `round` has for itself. */
export interface Position {
  readonly round: number
  readonly place: number
}

/** A user, or an embed link of his, who sees no image twice. */
export interface Walker {
  readonly userId: string
  readonly linkId: string | null
}

export interface SavedWalk extends Walker, Position {
  /** The id of the link, else of the user, and the kind. */
  readonly name: string
}

/** The port of the saved positions. */
export interface Walks {
  /** As saved by whichever instance; null before the first. Throws Unavailable if the database is down. */
  find(name: string): MaybePromise<Position | null>
}

/** The newest position of each walk. */
export function foldWalks() {
  const walks = new Map<string, SavedWalk>()
  return {
    set(walk: SavedWalk): void {
      walks.set(walk.name, walk)
    },
    /** Returns and removes all. */
    take(): SavedWalk[] {
      const taken = [...walks.values()]
      walks.clear()
      return taken
    },
  }
}
