import type { Who } from './users.ts'

/** What is audited, by the names that the audit is asked for. */
export const actions = [
  'register',
  'create',
  'login',
  'logout',
  'password',
  'ban',
  'unban',
  'role',
  'rename',
  'revoke-token',
  'upload',
  'delete-object',
  'ban.read',
  'user.read',
  'users.read',
  'usage.read',
  'audit.read',
  'audit.missing',
  'store.test',
] as const

export type Action = (typeof actions)[number]

/** What an act changed, on one side of it. Never a secret. */
export type Details = Readonly<Record<string, string | number | boolean | null>>

/** Who acts, and from where. */
export interface Origin {
  /** The id of an account, `cli` for the command line tool, `system` for the service itself; null if unknown. */
  readonly actor: string | null
  readonly address: string | null
  readonly requestId: string | null
  /** Use cases call this with their target as soon as they know it, before anything about it can be refused. */
  aim?(target: string | null): void
}

/** One line of the audit. It is only ever added, and dropped when it is old. */
export interface AuditEvent extends Omit<Origin, 'aim'> {
  readonly id: string
  readonly at: number
  readonly action: string
  /** `success`, or `refused: ` or `failed: ` and the message that was answered. */
  readonly outcome: string
  /** The id of the account that it was about, or bucket and name of the object; null if that was not known. */
  readonly target: string | null
  /** How many times it was tried; address and request id are those of the first time. */
  readonly count: number
  readonly before: Details | null
  readonly after: Details | null
}

/** An event that is written later than it happened. Its time is worked out then, from the clock that orders the audit. */
export interface PendingEvent extends Omit<AuditEvent, 'at'> {
  /** By `clock.monotonic()`. */
  readonly happenedAt: number
  /** Whom the request named, where `target` is null because nobody was looked up. */
  readonly named?: Who | null
}

export const cliOrigin: Origin = { actor: 'cli', address: null, requestId: null }
export const systemOrigin: Origin = { actor: 'system', address: null, requestId: null }
