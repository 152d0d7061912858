import type { SavedWalk } from '../images/positions.ts'
import type { Clock } from '../lib/clock.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import { createAttempts } from './attempts.ts'
import { type Action, newEvent, type Origin, type PendingEvent, systemOrigin } from './audit.ts'
import type { Caller } from './caller.ts'
import { type CountRow, createSums, type GrantUse } from './counts.ts'
import type { AuditedAct, Batch, JournalDeps } from './journal.ts'

const minuteMs = 60_000
/** Max distinct attempts between two writes. */
const maxAttempts = 10_000

const sumsOfUses = (clock: Clock) => createSums(clock, minuteMs, (userId) => ({ userId, requests: 0 }))

const takeUses = (sums: ReturnType<typeof sumsOfUses>): GrantUse[] =>
  sums.take().map(({ at, key, sum }) => ({ grantId: key, at, ...sum }))

/** What the journal has not written yet. */
export function createPending(deps: Pick<JournalDeps, 'clock' | 'newId' | 'log'>) {
  const { clock, newId, log } = deps
  const counts = createSums(clock, dayMs, (userId) => ({ userId, auth: 0, admin: 0, images: 0 }))
  const uses = { key: sumsOfUses(clock), link: sumsOfUses(clock), session: sumsOfUses(clock) }
  /** The newest position of each walk. */
  const walks = new Map<string, SavedWalk>()
  const attempts = createAttempts(maxAttempts)
  let acts: PendingEvent[] = []

  const missingEvent = (count: number): PendingEvent => {
    log.warn({ missing: count }, 'too many different refused attempts in one second: some are not audited')
    const outcome = `failed: ${count} refused attempts are missing`
    return { ...newEvent(deps, systemOrigin), action: 'audit.missing', outcome, target: null, count }
  }

  return {
    counts,
    uses,
    walks,
    addAttempt(caller: Caller, action: Action, outcome: string): void {
      const { userId, address, target, named } = caller
      attempts.add(userId ?? address, { ...newEvent(deps, caller), action, outcome, target, named })
    },
    addAct(by: Origin, { action, target, before, after, workersId = null }: AuditedAct): void {
      const isWorkers = workersId !== null && acts.every(({ id }) => id !== workersId)
      const own = { ...newEvent(deps, by), action, target, before: before ?? null, after }
      acts.push(isWorkers ? { ...own, id: workersId, isWorkers } : own)
    },
    get events() {
      return acts.length + attempts.size
    },
    /** Returns and removes everything; null if there is nothing. */
    take(): Batch | null {
      const { events: tried, missing } = attempts.take()
      const events = [...acts, ...tried, ...(missing > 0 ? [missingEvent(missing)] : [])]
      acts = []
      const batch = {
        id: newId(),
        counts: counts.take().map(({ at, sum }): CountRow => ({ ...sum, day: dayOf(at) })),
        events,
        walks: [...walks.values()],
        keyUses: takeUses(uses.key),
        linkUses: takeUses(uses.link),
        sessionUses: takeUses(uses.session),
      }
      walks.clear()
      return batch.counts.length + batch.events.length + batch.walks.length > 0 ? batch : null
    },
  }
}
