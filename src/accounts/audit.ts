import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Who } from './users.ts'

export { type Action, actions, type Outcome, outcomes } from './actions.ts'

/** What an act changed, as it was before or is after. Never a secret. */
export type Details = Readonly<Record<string, string | number | boolean | null>>

/** Who acts, and from where. */
export interface Origin {
  /** The id of an account, `cli` for the command line tool, `system` for the service itself; null if unknown. */
  readonly actor: string | null
  readonly address: string | null
  readonly requestId: string | null
  /** Use cases call this as soon as they know their target, before anything about it can be refused. */
  noteTarget?(target: string | null): void
  /** The console session of the actor. An act reads whether it still exists. */
  readonly sessionId?: string | null
}

/** One line of the audit; append-only, deleted when old. */
export interface AuditEvent extends Omit<Origin, 'noteTarget' | 'sessionId'> {
  readonly id: string
  readonly at: number
  readonly action: string
  /** `success`, or `refused: ` or `failed: ` with the message of the response. */
  readonly outcome: string
  /** Id of the account, or bucket and name of the object; null if unknown. */
  readonly target: string | null
  /** Number of attempts; address and request id are those of the first. */
  readonly count: number
  readonly before: Details | null
  readonly after: Details | null
}

/** An event that is written some time after it happened, and then dated by the clock that orders the audit. */
export interface PendingEvent extends Omit<AuditEvent, 'at'> {
  /** On the monotonic clock. */
  readonly happenedAt: number
  /** The account that the request named, if it was not looked up. */
  readonly named?: Who | null
  /** The status worker made its id, and has a record with the same one, which must not become a second event. */
  readonly isWorkers?: boolean
}

/** What all events of now have in common. */
export const newEvent = (
  { clock, newId }: { readonly clock: Clock; readonly newId: NewId },
  { actor, address, requestId }: Origin,
) => ({
  actor,
  address,
  requestId,
  id: newId(),
  happenedAt: clock.monotonic(),
  outcome: 'success',
  count: 1,
  before: null,
  after: null,
})

export const cliOrigin: Origin = { actor: 'cli', address: null, requestId: null }
export const systemOrigin: Origin = { actor: 'system', address: null, requestId: null }
