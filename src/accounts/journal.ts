import type { Call } from '../http/call.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import { createSettledTime } from '../lib/settled-time.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { tagsOf } from './api-route.ts'
import { createAttempts } from './attempts.ts'
import { type Action, type Details, type Origin, type PendingEvent, systemOrigin } from './audit.ts'
import { Caller } from './caller.ts'
import { type CountRow, type Counts, foldCounts } from './counts.ts'
import { foldKeyUses, type KeyUse } from './key-uses.ts'
import { foldWalks, type SavedWalk } from './walks.ts'

export interface Batch {
  readonly id: string
  readonly counts: readonly CountRow[]
  readonly events: readonly PendingEvent[]
  readonly keyUses?: readonly KeyUse[]
  readonly walks?: readonly SavedWalk[]
}

export interface JournalStore {
  /** Writes a batch in one transaction; does nothing if it was written before. */
  write(batch: Batch): Promise<void>
  /**
   * Deletes usage before that day, walks that nobody continues, and events older than that both by `now` and by the database's clock; in portions,
   * until done or aborted.
   */
  forget(
    before: { readonly day: string; readonly eventAgeMs: number; readonly now: number },
    signal: AbortSignal,
  ): Promise<void>
}

interface Done {
  readonly action: Action
  readonly target: string
  readonly after: Details | null
}

interface JournalDeps {
  readonly store: JournalStore
  readonly clock: Clock
  readonly newId: NewId
  readonly log: Logger
  readonly keepUsageDays: number
  readonly keepAuditDays: number
}

/** Together with the write, at most a second is lost at kill -9. */
const flushAfterMs = 900
const forgetEveryMs = 3_600_000
/** Distinct attempts between two writes. */
const maxAttempts = 10_000

/**
 * The outbox of counters, positions of walks and refused attempts, for which no response waits: they are collected in memory and written
 * once a second, in one transaction. No timer runs while nothing is pending.
 */
export function createJournal(deps: JournalDeps) {
  const { store, clock, newId, log } = deps
  const counts = foldCounts(clock)
  const keyUses = foldKeyUses(clock)
  const walks = foldWalks()
  const attempts = createAttempts(maxAttempts)
  let acts: PendingEvent[] = []
  /** The batch whose write is under way or failed, so that it may or may not be written. */
  let unsure: Batch | null = null
  let timer: NodeJS.Timeout | null = null
  /** The last write failed, and this was logged. */
  let hasFailed = false
  let writing: Promise<void> | null = null
  let next: Promise<void> | null = null
  let lastForgotten = -Infinity
  const settledTime = createSettledTime(clock)
  let forgetting: Promise<void> | null = null
  const closing = new AbortController()

  const schedule = () => {
    if (closing.signal.aborted) return
    timer ??= setTimeout(() => {
      timer = null
      flush().then(
        () => {
          hasFailed = false
        },
        (error) => {
          if (!hasFailed)
            log.error(
              { err: error },
              'request counts and refused attempts could not be written; they are kept and retried',
            )
          hasFailed = true
        },
      )
    }, flushAfterMs).unref()
  }

  const take = (): Batch | null => {
    const { events: tried, missing } = attempts.take()
    const events = [...acts, ...tried, ...(missing > 0 ? [missingEvent(missing)] : [])]
    acts = []
    const uses = keyUses.take()
    const batch = {
      ...{ id: newId(), counts: counts.take(), events, walks: walks.take() },
      ...(uses.length > 0 && { keyUses: uses }),
    }
    return batch.counts.length + batch.events.length + batch.walks.length > 0 ? batch : null
  }

  const missingEvent = (count: number): PendingEvent => {
    log.warn({ missing: count }, 'too many different refused attempts in one second: some are not audited')
    const outcome = `failed: ${count} refused attempts are missing`
    return { ...newEvent(systemOrigin), action: 'audit.missing', outcome, target: null, count }
  }

  const newEvent = ({ actor, address, requestId }: Origin) => ({
    ...{ actor, address, requestId },
    id: newId(),
    happenedAt: clock.monotonic(),
    count: 1,
    before: null,
    after: null,
  })

  /** Repeats a failed batch unchanged first: its commit may have succeeded and only the reply been lost. */
  const write = async (): Promise<void> => {
    const isRepeated = unsure !== null
    unsure ??= take()
    if (unsure === null) return
    try {
      await store.write(unsure)
    } catch (error) {
      schedule()
      throw error
    }
    unsure = null
    if (isRepeated) return write()
    forget()
  }

  /** Runs in the background; only `close` waits for it. */
  const forget = () => {
    const now = clock.monotonic()
    if (now - lastForgotten < forgetEveryMs) return
    lastForgotten = now
    const at = settledTime()
    if (at === null) return
    const day = dayOf(at - deps.keepUsageDays * dayMs)
    forgetting = store
      .forget({ day, eventAgeMs: deps.keepAuditDays * dayMs, now: at }, closing.signal)
      .catch((error) => log.error({ err: error }, 'old usage and audit records could not be deleted'))
  }

  const begin = () => {
    writing = write().finally(() => {
      writing = null
    })
    return writing
  }

  /**
   * Writes everything recorded so far. If that fails, throws, and keeps it. Callers during a write share one more
   * write, since the current one may lack what came after it began. If the current one fails, they fail with it rather
   * than wait as long again.
   */
  const flush = (): Promise<void> => {
    if (next) return next
    if (!writing) return begin()
    next = writing.then(
      () => {
        next = null
        return begin()
      },
      (error) => {
        next = null
        throw error
      },
    )
    return next
  }

  return {
    flush,
    /** The number of events that are not written yet. */
    get pendingEvents() {
      return acts.length + attempts.size + (unsure?.events.length ?? 0)
    },
    /** `keyId`: the API key of the request, null with a login token. */
    count(userId: string, counter: keyof Counts, keyId: string | null = null): void {
      if (keyId !== null) keyUses.add(keyId, userId)
      if (counts.add(userId, counter)) schedule()
    },
    /** Saves how far a walk has come. */
    walked(walk: SavedWalk): void {
      walks.set(walk)
      schedule()
    },
    /** Records a refused or failed attempt with the message of its response. */
    refused(call: Call, { status, message }: Refusal): void {
      const { actor: caller, route } = call
      const action = route && tagsOf(route).audit
      if (action === null || !(caller instanceof Caller) || !isKnownAttempt(caller, status) || isDryRun(call)) return
      const { userId, address, target, named } = caller
      const outcome = `${status < 500 ? 'refused' : 'failed'}: ${message}`
      attempts.add(userId ?? address, { ...newEvent(caller), action, outcome, target, named })
      schedule()
    },
    /** Records an act that was done outside of the database. Resolves once written; keeps what cannot be written now. */
    done(by: Origin, { action, target, after }: Done): Promise<void> {
      acts.push({ ...newEvent(by), action, outcome: 'success', target, after })
      schedule()
      return flush().catch((error) =>
        log.error({ err: error }, 'an audit event could not be written; it is kept and retried'),
      )
    },
    async close(): Promise<void> {
      closing.abort()
      if (timer) clearTimeout(timer)
      timer = null
      await flush().catch((error) =>
        log.error({ err: error }, 'the last request counts and refused attempts could not be written'),
      )
      await forgetting
    },
  }
}

export type Journal = ReturnType<typeof createJournal>

/** Unknown callers: wrong credentials only, never 429, since requests that cost nothing must not fill the disk. */
const isKnownAttempt = ({ userId }: Caller, status: number) =>
  status !== 429 && (userId !== null || status === 401 || status === 403)

const isDryRun = ({ query }: Call) => (query as { dryRun?: boolean } | null | undefined)?.dryRun === true
