import type { Period } from '../images/period.ts'
import type { Orientation } from '../images/shapes/choices.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Action, Details, Origin } from './audit.ts'
import type { Parties } from './users.ts'

/** Anyone who has its URL can get random images on behalf of a user. */
export interface EmbedLink {
  readonly id: string
  readonly userId: string
  readonly kinds: readonly string[]
  /** Whether an image may be repeated before all others were shown. */
  readonly isRepeating: boolean
  /** Restricts the images that it shows; null for any. */
  readonly orientation: Orientation | null
  /** Its images have all of these tags, and none of those. */
  readonly tags: readonly string[]
  readonly without: readonly string[]
  /** How long it shows the same image to everybody; null: another one on each request. */
  readonly period: Period | null
  readonly createdAt: number
  readonly expiresAt: number
  /** Rounded down to the minute; written with the counters. */
  readonly lastUsedAt: number | null
}

/** What every request with a link reads. */
export type LinkInUse = Omit<EmbedLink, 'lastUsedAt'>

export const maxLinks = 100

/** An act on a link, for the audit. */
interface LinkAct {
  readonly action: Action
  readonly by: Origin
  readonly after: Details
}

/** The port of the embed links. Every method throws Unavailable if the database is down. */
export interface EmbedLinks {
  /** The current state, whichever instance changed it last; null if it has ended or its user is banned or deleted. */
  find(id: string): MaybePromise<LinkInUse | null>
  /** The live links of a user, oldest first. */
  list(userId: string): Promise<readonly EmbedLink[]>
  /**
   * Inserts a link and its audit event in one transaction. `check` gets the locked user as the target and the number of
   * live links, and throws to refuse.
   */
  insert(link: EmbedLink, act: LinkAct, check: (parties: Parties, count: number) => void): Promise<void>
  /** The id of the user who has this link. */
  ownerOf(id: string): Promise<string | null>
}
