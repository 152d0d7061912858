import type { Call } from '../http/call.ts'
import type { Refusal } from '../http/refusal.ts'
import type { SavedWalk } from '../images/positions.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { Logger } from '../process/logger.ts'
import { tagsOf } from './api-route.ts'
import type { Action, Details, Origin, PendingEvent } from './audit.ts'
import { Caller } from './caller.ts'
import type { CountRow, Counts, GrantUse } from './counts.ts'
import { createJournalWriter } from './journal-writer.ts'
import { createPending } from './pending-records.ts'

export interface Batch {
  readonly id: string
  readonly counts: readonly CountRow[]
  readonly events: readonly PendingEvent[]
  readonly keyUses?: readonly GrantUse[]
  readonly linkUses?: readonly GrantUse[]
  readonly sessionUses?: readonly GrantUse[]
  readonly walks?: readonly SavedWalk[]
}

/** How many rows were deleted. */
export interface Forgotten {
  readonly events: number
  readonly usageDays: number
}

export interface JournalStore {
  /** Writes a batch in one transaction; does nothing if it was written before. */
  write(batch: Batch): Promise<void>
  /** Writes the status worker's records of changes. Does nothing for those that have an event already. */
  copy(events: readonly PendingEvent[]): Promise<void>
  /**
   * Deletes usage before that day, walks that nobody continues, expired console sessions, and events that are too old both by `now` and by the
   * database's clock; in portions, until done or aborted.
   */
  forget(
    before: { readonly day: string; readonly eventAgeMs: number; readonly now: number },
    signal: AbortSignal,
  ): Promise<Forgotten>
  /** When the newest event was written; null if there is none. */
  newestEventAt(): Promise<number | null>
}

/** What a request used instead of a login token. */
export interface Grant {
  readonly type: 'key' | 'link' | 'session'
  readonly id: string
}

export interface AuditedAct {
  readonly action: Action
  readonly target: string
  readonly before?: Details
  readonly after: Details | null
  /** The id of the status worker's own record of the act. */
  readonly workersId?: string | null
}

export interface JournalDeps {
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Logger
  readonly keepUsageDays: number
  readonly keepAuditDays: number
}

/**
 * The outbox of counters, positions of walks and refused attempts. No response waits for them: they are collected in
 * memory and written once a second, in one transaction. No timer runs while nothing is pending.
 */
export function createJournal(deps: JournalDeps) {
  const pending = createPending(deps)
  const writer = createJournalWriter(deps, pending.take)
  const { schedule, flush, close } = writer

  return {
    flush,
    /** The number of events not written yet. */
    get pendingEvents() {
      return pending.events + writer.unsureEvents
    },
    /** `grant`: the API key, embed link or console session of the request; null for a login token. */
    count(userId: string, counter: keyof Counts, grant: Grant | null = null): void {
      if (grant !== null) pending.uses[grant.type].of(grant.id, userId).requests++
      pending.counts.of(userId, userId)[counter]++
      schedule()
    },
    /** Saves how far a walk has come. */
    walked(walk: SavedWalk): void {
      pending.walks.set(walk.name, walk)
      schedule()
    },
    /** Records a refused or failed attempt with the message of its response. */
    refused(call: Call, { status, message }: Refusal): void {
      const { actor: caller, route } = call
      const action = route && tagsOf(route).audit
      if (action === null || !(caller instanceof Caller) || !isKnownAttempt(caller, status) || isDryRun(call)) return
      pending.addAttempt(caller, action, `${status < 500 ? 'refused' : 'failed'}: ${message}`)
      schedule()
    },
    /** Records an act outside of the database. Resolves once it is written or, if that fails now, kept for later. */
    done(by: Origin, act: AuditedAct): Promise<void> {
      pending.addAct(by, act)
      schedule()
      return flush().catch((error) =>
        deps.log.error({ err: error }, 'an audit event could not be written; it is kept and retried'),
      )
    },
    close,
  }
}

export type Journal = ReturnType<typeof createJournal>

/** Never 429, and from unknown callers only wrong credentials: requests that cost nothing must not fill the disk. */
const isKnownAttempt = ({ userId }: Caller, status: number) =>
  status !== 429 && (userId !== null || status === 401 || status === 403)

const isDryRun = ({ query }: Call) => (query as { dryRun?: boolean } | null | undefined)?.dryRun === true
