import { createSettledTime } from '../lib/settled-time.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import type { Batch, JournalDeps } from './journal.ts'

/** With the write itself, a kill -9 loses at most a second. */
const flushAfterMs = 900
const forgetEveryMs = 3_600_000
/** After a start, which may have changed how long records are kept. */
const firstForgetMs = 30_000

/** Writes the journal's batches, retrying each until the database has it. */
export function createJournalWriter(deps: JournalDeps, take: () => Batch | null) {
  const { store, log } = deps
  const closing = new AbortController()
  const retention = createRetention(deps, closing.signal)
  /** The batch whose write is in progress or has failed: it may or may not have been written. */
  let unsure: Batch | null = null
  let timer: NodeJS.Timeout | null = null
  /** The last write failed, and this was logged. */
  let hasFailed = false

  const writeLater = async () => {
    timer = null
    try {
      await flush()
      hasFailed = false
    } catch (error) {
      if (!hasFailed)
        log.error({ err: error }, 'request counts and refused attempts could not be written; they are kept and retried')
      hasFailed = true
    }
  }
  const schedule = () => {
    if (!closing.signal.aborted) timer ??= setTimeout(writeLater, flushAfterMs).unref()
  }

  /** First repeats a failed batch unchanged: the commit may have succeeded and only the reply been lost. */
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
    retention.forget()
  }

  /** Writes everything recorded so far. On failure, throws and keeps it. */
  const flush = oneAtATime(write)

  return {
    schedule,
    flush,
    get unsureEvents() {
      return unsure?.events.length ?? 0
    },
    async close(): Promise<void> {
      if (closing.signal.aborted) return
      closing.abort()
      if (timer) clearTimeout(timer)
      await flush().catch((error) =>
        log.error({ err: error }, 'the last request counts and refused attempts could not be written'),
      )
      await retention.done()
    },
  }
}

/**
 * Callers during a run share the next one, since the current run may lack what came after it began. If the current run
 * fails, they fail with it rather than wait as long again.
 */
function oneAtATime(act: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> | null = null
  let next: Promise<void> | null = null
  const begin = () => {
    current = act().finally(() => {
      current = null
    })
    return current
  }
  const follow = async () => {
    try {
      await current
    } finally {
      next = null
    }
    return begin()
  }
  return () => {
    if (!next && !current) return begin()
    next ??= follow()
    return next
  }
}

/**
 * Deletes old usage and audit records in the background; only `done` waits for it: half a minute after the start, as of
 * the newest event at most, since the clock may be wrong, and once an hour by a clock that has settled.
 */
function createRetention({ store, clock, log, keepUsageDays, keepAuditDays }: JournalDeps, signal: AbortSignal) {
  const settledTime = createSettledTime(clock)
  let lastForgotten = -Infinity
  let forgetting: Promise<void> | null = null

  const forgetAsOf = async (at: number) => {
    const day = dayOf(at - keepUsageDays * dayMs)
    const { events, usageDays } = await store.forget({ day, eventAgeMs: keepAuditDays * dayMs, now: at }, signal)
    if (events + usageDays > 0)
      log.info(
        { events, usageDays, keepAuditDays, keepUsageDays },
        'deleted audit events and usage that AUDIT_KEEP_DAYS and USAGE_KEEP_DAYS no longer keep; cli db compact gives the space back',
      )
  }
  const begin = (act: () => Promise<void>) => {
    forgetting = act().catch((error) => log.error({ err: error }, 'old usage and audit records could not be deleted'))
  }
  const first = setTimeout(
    () =>
      begin(async () => {
        const newest = await store.newestEventAt()
        if (newest !== null) await forgetAsOf(Math.min(newest, clock.now()))
      }),
    firstForgetMs,
  ).unref()
  signal.addEventListener('abort', () => clearTimeout(first))
  return {
    forget(): void {
      const now = clock.monotonic()
      if (now - lastForgotten < forgetEveryMs) return
      lastForgotten = now
      const at = settledTime()
      if (at !== null) begin(() => forgetAsOf(at))
    },
    done: () => forgetting,
  }
}
