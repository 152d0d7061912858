import type { Orientation } from '../images/shapes/classes.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Action, Origin } from './audit.ts'
import type { Account } from './users.ts'

/** Lets anyone who has its URL get random images on behalf of a user. */
export interface EmbedLink {
  readonly id: string
  readonly userId: string
  readonly kinds: readonly string[]
  /** Whether an image may be shown again before all others were. */
  readonly isRepeating: boolean
  /** Of all images it shows; null for any. */
  readonly orientation: Orientation | null
  readonly createdAt: number
  readonly expiresAt: number
  /** To the minute; written with the counters. */
  readonly lastUsedAt: number | null
}

/** What every request with it reads. */
export type LinkInUse = Omit<EmbedLink, 'lastUsedAt'>

export const maxLinks = 100

/** Of an act on a link, for the audit. */
interface LinkAct {
  readonly action: Action
  readonly by: Origin
}

/** The port of the embed links. Every method throws Unavailable if the database is down. */
export interface EmbedLinks {
  /** The current state, whichever instance changed it last; null if it is over, or its user is banned or deleted. */
  find(id: string): MaybePromise<LinkInUse | null>
  /** Those of a user that are not over, oldest first. */
  list(userId: string): Promise<readonly EmbedLink[]>
  /**
   * Inserts a link and its audit event in one transaction. `judge` gets the user, locked, and the number of links that are
   * not over, and throws to refuse.
   */
  insert(link: EmbedLink, act: LinkAct, judge: (user: Account | null, count: number) => void): Promise<void>
  /** Deletes a link of this user, with its audit event; false if there is none. */
  remove(userId: string, id: string, act: LinkAct): Promise<boolean>
}
