import { isDeepStrictEqual } from 'node:util'
import { type Refusal, refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { dayMs } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { type ChangeAction, details, recordOf, type Sent } from './audit.ts'
import { errors } from './errors.ts'
import type { BadStatus } from './periods.ts'
import { endOf } from './published.ts'
import type { StateStore } from './state-store.ts'

export const stages = ['investigating', 'identified', 'monitoring', 'resolved', 'postmortem'] as const
export type Stage = (typeof stages)[number]

export interface IncidentUpdate {
  readonly id: string
  readonly at: number
  readonly stage: Stage
  readonly text: string
}

/** What only an incident has that was opened by hand. */
interface ByHand {
  readonly title: string
  readonly level: BadStatus
  readonly startedAt: number
  readonly resolvedAt: number | null
}

/** An incident that people write about. It says something to the readers of the status page, and changes nothing else. */
export interface WrittenIncident {
  readonly id: string
  /** Those that it affects; none: the service as a whole. */
  readonly components: readonly string[]
  /** Null if silence opened it: only a heartbeat resolves it then. */
  readonly byHand: ByHand | null
  /** Oldest first. */
  readonly updates: readonly IncidentUpdate[]
}

/** Max incidents opened by hand that are not resolved. */
const maxOpen = 50
/** Max incidents kept. */
const maxKept = 500
const maxUpdates = 30
const maxBackdatedMs = 31 * dayMs
/** For how long the same opening is a repeat: after a time-out, nobody knows whether the first try arrived. */
const repeatMs = 600_000

export const isOpenByHand = ({ byHand }: WrittenIncident): boolean => byHand !== null && byHand.resolvedAt === null

/** Why an update may not say this now; null if it may. */
export function stageProblem(stage: Stage, isResolved: boolean, isByHand: boolean): Refusal | null {
  if (stage === 'postmortem') return isResolved ? null : errors.incidentOpen
  // Afterwards, people may still say what resolved a silence.
  if (stage === 'resolved' && !isByHand) return isResolved ? null : errors.onlyHeartbeatResolves
  return isResolved ? errors.incidentResolved : null
}

export interface OpeningTerms {
  readonly title: string
  readonly level: BadStatus
  readonly components: readonly string[]
  readonly stage: Stage
  readonly text: string
  readonly from: number | null
}

export interface UpdateTerms {
  readonly stage: Stage
  readonly text: string
  /** Absent: as before. */
  readonly level: BadStatus | undefined
  readonly components: readonly string[] | undefined
}

function isRepeat({ byHand, components, updates }: WrittenIncident, terms: OpeningTerms, now: number): boolean {
  const [first, ...later] = updates
  if (byHand?.resolvedAt !== null || first === undefined || later.length > 0 || now - first.at > repeatMs) return false
  const { title, level, startedAt } = byHand
  const { stage, text } = first
  // Without `from`, a repeat would begin later than the first try.
  const from = terms.from === null ? null : startedAt
  return isDeepStrictEqual({ title, level, components, stage, text, from }, terms)
}

interface Deps {
  readonly store: Pick<StateStore, 'savePublished' | 'deleteWritten' | 'incident'>
  readonly writtenIncidents: readonly WrittenIncident[]
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  newId(): string
}

export type WrittenIncidents = ReturnType<typeof createWrittenIncidents>

/** Each change is saved, together with its record, before it takes effect. */
export function createWrittenIncidents({ store, writtenIncidents, clock, log, newId }: Deps) {
  const known = new Map(writtenIncidents.map((each) => [each.id, each]))
  const mutex = createSemaphore({ max: 1 })
  const list = () => [...known.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  const dropOldest = () => {
    const over =
      known.size > maxKept
        ? list()
            .filter((each) => !isOpenByHand(each))
            .reverse()
        : []
    const dropped = over.slice(0, known.size - maxKept)
    for (const { id } of dropped) known.delete(id)
    return dropped
  }
  dropOldest()

  const save = async (incident: WrittenIncident, action: ChangeAction, by: Sent): Promise<WrittenIncident> => {
    const change = { action, target: incident.id, after: details.incident(incident) }
    const record = recordOf(by, clock.now(), change)
    await store.savePublished({ written_incidents: [incident] }, record).catch(() => refuse(errors.notSaved))
    known.set(incident.id, incident)
    // Or they would be back after a restart. If this fails, their age ends them.
    for (const { id } of dropOldest()) await store.deleteWritten(id, null).catch(() => {})
    const { stage } = incident.updates.at(-1) as IncidentUpdate
    log.info({ incident: incident.id, stage, address: by.address }, 'incident update saved')
    return incident
  }

  const updateOf = ({ stage, text }: Pick<UpdateTerms, 'stage' | 'text'>, after = 0): IncidentUpdate => ({
    id: newId(),
    stage,
    text,
    // The clock may have been set back.
    at: Math.max(clock.now(), after),
  })

  /** The incident as people wrote about it so far, and whether it is resolved. */
  const current = async (id: string): Promise<readonly [WrittenIncident, isResolved: boolean]> => {
    const own = known.get(id)
    if (own?.byHand) return [own, !isOpenByHand(own)]
    const silence = (await store.incident(id)) ?? refuse(errors.unknownIncident)
    const written = own ?? { id, components: [silence.componentId], byHand: null, updates: [] }
    return [written, silence.resolvedAt !== null]
  }

  return {
    /** Newest first. */
    list,
    find: (id: string): WrittenIncident | undefined => known.get(id),
    /** The incident that is open already, if this is a repeat. */
    open: (terms: OpeningTerms, by: Sent) =>
      mutex.run(async () => {
        const { title, level, components, from, ...said } = terms
        const now = clock.now()
        const startedAt = from ?? now
        const same = list().find((each) => isRepeat(each, terms, now))
        // The audit has every request that was accepted.
        if (same) return save(same, 'open-incident', by)
        if (startedAt > now || now - startedAt > maxBackdatedMs) refuse(errors.badStart)
        if (said.stage === 'resolved' || said.stage === 'postmortem') refuse(errors.badOpening)
        if (list().filter(isOpenByHand).length >= maxOpen) refuse(errors.tooManyIncidents)
        const byHand = { title, level, startedAt, resolvedAt: null }
        return save({ id: newId(), components, byHand, updates: [updateOf(said)] }, 'open-incident', by)
      }),
    update: (id: string, { stage, text, level, components }: UpdateTerms, by: Sent) =>
      mutex.run(async () => {
        const [before, isResolved] = await current(id)
        const { byHand, updates } = before
        const problem = stageProblem(stage, isResolved, byHand !== null)
        if (problem) refuse(problem)
        if (byHand === null && (level ?? components) !== undefined) refuse(errors.notByHand)
        if (updates.length >= maxUpdates) refuse(errors.tooManyUpdates)
        const update = updateOf({ stage, text }, updates.at(-1)?.at)
        const incident: WrittenIncident = {
          id,
          components: components ?? before.components,
          byHand: byHand && {
            ...byHand,
            level: level ?? byHand.level,
            resolvedAt: stage === 'resolved' ? update.at : byHand.resolvedAt,
          },
          updates: [...updates, update],
        }
        return save(incident, 'update-incident', by)
      }),
    /** One by silence loses its updates alone. Returns what was deleted. */
    remove: (id: string, by: Sent): Promise<WrittenIncident> =>
      mutex.run(async () => {
        const incident = known.get(id) ?? refuse(errors.unknownIncident)
        const change = {
          action: 'delete-incident',
          target: id,
          before: details.incident(incident),
          after: null,
        } as const
        await store.deleteWritten(id, recordOf(by, clock.now(), change)).catch(() => refuse(errors.notSaved))
        known.delete(id)
        log.info({ incident: id, address: by.address }, 'incident updates deleted')
        return incident
      }),
    /** Called when the store deletes them. */
    forget(before: number): void {
      for (const each of known.values()) if ((endOf.written_incidents(each) ?? Infinity) < before) known.delete(each.id)
    },
  }
}
