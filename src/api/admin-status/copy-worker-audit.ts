import type { PendingEvent } from '../../accounts/audit.ts'
import type { JournalStore } from '../../accounts/journal.ts'
import { mismatch, type TypeOf } from '../../http/schema.ts'
import type { Clock } from '../../lib/clock.ts'
import { isId } from '../../lib/ids.ts'
import { dayMs } from '../../lib/timestamps.ts'
import type { Logger } from '../../process/logger.ts'
import { auditPageSize, changeRecords } from '../../status/audit-route.ts'
import { askWorkers, Unanswered } from '../ask-workers.ts'

const everyMs = 15_000

interface CopyDeps {
  /** STATUS_WORKER_URL */
  readonly workers: readonly string[]
  readonly store: Pick<JournalStore, 'copy'>
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly keepAuditDays: number
}

type Reply = TypeOf<typeof changeRecords>

/**
 * Copies the changes that were sent straight to the status worker to the audit. The worker keeps them, and each keeps
 * its id, so every instance may read all of them again after a start: each becomes one event.
 */
export function createAuditCopy({ workers, store, clock, log, keepAuditDays }: CopyDeps) {
  /** The last record copied from each worker. */
  const copied = new Map<string, string>()
  /** What was logged of each worker, until it works again. */
  const problems = new Map<string, string>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<unknown> | null = null
  let isClosed = false

  const eventsOf = ({ now, records }: Reply): PendingEvent[] => {
    const readAt = clock.monotonic()
    return records.flatMap(({ id, at, ...record }) => {
      // By the worker's clock alone, whatever this machine's says.
      const ageMs = Math.max(0, Date.parse(now) - Date.parse(at))
      if (ageMs > keepAuditDays * dayMs) return []
      const { before, after } = record as Pick<PendingEvent, 'before' | 'after'>
      const own = { id, isWorkers: true, happenedAt: readAt - ageMs, actor: null, requestId: id }
      return { ...record, ...own, before, after }
    })
  }

  const copyFrom = async (worker: string): Promise<void> => {
    for (let isMore = true; isMore && !isClosed; ) {
      const after = copied.get(worker)
      const query = after === undefined ? '' : `&after=${after}`
      const reply: unknown = JSON.parse(await askWorkers([worker], `/audit?limit=${auditPageSize}${query}`))
      const problem = mismatch(changeRecords, reply)
      if (problem !== null) throw new Error(`not the reply of a status worker of this version (${problem})`)
      const { records } = reply as Reply
      const last = records.at(-1)?.id
      if (last === undefined) return
      if (!isId(last) || last === after) throw new Error('not the reply of a status worker')
      await store.copy(eventsOf(reply as Reply))
      copied.set(worker, last)
      isMore = records.length === auditPageSize
    }
  }

  /** A worker that is away, stands by (503) or is of version 0.2 (404) is asked again later, without a word. */
  const tryFrom = async (worker: string): Promise<void> => {
    try {
      await copyFrom(worker)
      problems.delete(worker)
    } catch (error) {
      if (error instanceof Unanswered) return
      const { message } = error as Error
      if (problems.get(worker) !== message)
        log.warn({ worker, err: error }, 'changes at the status worker could not be copied to the audit; retrying')
      problems.set(worker, message)
    }
  }

  const copy = async (): Promise<void> => {
    running = Promise.all(workers.map(tryFrom))
    await running
    running = null
  }

  const repeat = async (): Promise<void> => {
    await copy()
    if (!isClosed) timer = setTimeout(repeat, everyMs).unref()
  }

  return {
    copy,
    start(): void {
      if (workers.length > 0 && !isClosed) void repeat()
    },
    async close(): Promise<void> {
      isClosed = true
      if (timer) clearTimeout(timer)
      await running
    },
  }
}
