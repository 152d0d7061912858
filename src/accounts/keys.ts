import { dayMs } from '../lib/timestamps.ts'
import type { Principal } from './users.ts'

/* API keys: what they open, and how they are stored. key-secret.ts has their format. */

/** `store` includes `upload`. */
export const keyScopes = ['images', 'upload', 'store', 'admin:read'] as const

export type KeyScope = (typeof keyScopes)[number]

export const maxKeys = 50
/** Of a key whose creator says nothing else. */
export const defaultKeyLifetimeMs = 365 * dayMs
export const maxKeyNameLength = 64
export const maxKeyLimit = 100_000
export const maxGraceSeconds = 86_400

export interface ApiKey {
  readonly id: string
  readonly userId: string
  readonly name: string
  /** Distinct, in the order of `keyScopes`. */
  readonly scopes: readonly KeyScope[]
  /** Null: only the limits by address apply. */
  readonly limitPerMinute: number | null
  readonly createdAt: number
  readonly expiresAt: number | null
  /** Rounded down to the minute; written with the counters. */
  readonly lastUsedAt: number | null
  /** Counted requests. */
  readonly requests: number
}

/** What the guard reads at every request. */
export type KeyInUse = Omit<ApiKey, 'lastUsedAt' | 'requests'>

/** A key and its owner. */
export interface KeyHolder {
  readonly key: KeyInUse
  readonly user: Principal
}

/** What an act changes about the keys of its target. */
export type KeyWrite =
  | { readonly add: ApiKey; readonly secretHash: string; readonly remove: readonly string[] }
  /** All older secrets expire by `oldUntil`. */
  | { readonly rotate: string; readonly secretHash: string; readonly oldUntil: number; readonly now: number }
  | { readonly remove: readonly string[] }

export const isKeyName = (text: string) =>
  text.trim() !== '' && [...text].length <= maxKeyNameLength && text.isWellFormed() && !/\p{Cc}/u.test(text)

export const isExpired = ({ expiresAt }: Pick<ApiKey, 'expiresAt'>, now: number) =>
  expiresAt !== null && expiresAt <= now
