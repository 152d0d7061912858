import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Kind } from './kinds.ts'

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

/** The image that everybody gets during a period, and how far the walk has come with it. */
export interface PeriodImage {
  /** The terms of the choice. */
  readonly name: string
  readonly period: number
  readonly kind: Kind
  readonly filename: string
  readonly positions: readonly (readonly [Kind, Position])[]
  readonly chosenAt: number
  /** Who asked for it first in its period, or whose link; null if unknown. */
  readonly userId: string | null
}

/**
 * The port of the images of periods, at most 1,000: of whoever has most, the one chosen longest ago goes. Throws Unavailable
 * if the database is down.
 */
export interface SavedPeriodImages {
  find(name: string): MaybePromise<PeriodImage | null>
  /**
   * Saves `next` if `known` is still what is saved: of instances that choose at the same time, one wins. Returns what is
   * saved then; null if that has just been dropped.
   */
  save(next: PeriodImage, known: PeriodImage | null): Promise<PeriodImage | null>
}
