import { BadSetting } from '../../config/parser.ts'
import type { Announcement } from '../../status/announcements.ts'
import type { ChangeRecord } from '../../status/audit.ts'
import type { Component, Moment } from '../../status/component.ts'
import type { Maintenance } from '../../status/maintenance.ts'
import type { Publication } from '../../status/publication.ts'
import type { Changes, Page, StateMeta, StateStore, UptimeRange } from '../../status/state-store.ts'
import { maxRecords, uptimeStates } from '../../status/statuses.ts'

/** Deadlines may have fractions of a millisecond; stored times do not. */
export const wholeMs = (ms: number): number => Math.round(ms)

/** Null if a row is missing. */
export function metaFrom(rows: readonly { readonly name: string; readonly value: string }[]): StateMeta | null {
  const { source, retired_sequence } = Object.fromEntries(rows.map(({ name, value }) => [name, value]))
  const retiredSequence = Number(retired_sequence)
  return source === undefined || !Number.isInteger(retiredSequence) ? null : { source, retiredSequence }
}

export const metaText = 'SELECT name, value FROM status_meta'

/** Changes as rows; each id occurs once. */
export interface Rows {
  readonly components: readonly { readonly id: string; readonly state: string }[]
  readonly incidents: readonly IncidentRow[]
  readonly resolved: readonly { readonly id: string; readonly at: number }[]
  readonly transitions: readonly TransitionRow[]
  readonly audited: readonly AuditRow[]
}

export interface AuditRow {
  readonly id: string
  readonly at: number
  readonly outcome: string
  readonly record: string
}

interface IncidentRow {
  readonly id: string
  readonly component_id: string
  readonly started_at: number
  readonly detected_at: number
  /** Not null if it was opened and resolved between two saves. */
  readonly resolved_at: number | null
  readonly last_reported_status: string
  readonly message: string | null
}

interface TransitionRow {
  readonly component_id: string
  readonly at: number
  readonly from_status: string | null
  readonly to_status: string
  readonly cause: string
  readonly message: string | null
}

export function rowsOf({ components, opened, resolved, moved, audited }: Changes): Rows {
  const endOf = new Map<string, number>()
  for (const { incidentId, at } of resolved) if (!endOf.has(incidentId)) endOf.set(incidentId, wholeMs(at))
  const newest = new Map(components.map((component) => [component.id, component]))
  const incidents = new Map(
    opened.map(({ componentId, incident }) => [
      incident.id,
      {
        id: incident.id,
        component_id: componentId,
        started_at: wholeMs(incident.startedAt),
        detected_at: wholeMs(incident.detectedAt),
        resolved_at: endOf.get(incident.id) ?? null,
        last_reported_status: incident.lastReportedStatus,
        message: incident.message,
      },
    ]),
  )
  return {
    components: [...newest.values()].map((component) => ({ id: component.id, state: written(component) })),
    incidents: [...incidents.values()],
    resolved: [...endOf].map(([id, at]) => ({ id, at })),
    transitions: moved.map(({ componentId, transition: { at, from, to, cause, message } }) => ({
      component_id: componentId,
      at: wholeMs(at),
      from_status: from,
      to_status: to,
      cause,
      message,
    })),
    audited: audited.map(auditRowOf),
  }
}

export const auditRowOf = (record: ChangeRecord): AuditRow => ({
  ...{ id: record.id, at: wholeMs(record.at), outcome: record.outcome },
  record: JSON.stringify(record),
})

export const readRecord = ({ record }: { readonly record: string }): ChangeRecord => JSON.parse(record)

export const readAnnouncement = ({ state }: { readonly state: string }): Announcement => JSON.parse(state)
export const readMaintenance = ({ state }: { readonly state: string }): Maintenance => JSON.parse(state)

const monotonicTimes = new Set(['deadline', 'monotonic', 'reassertAt', 'upSince'] satisfies (
  | keyof Component
  | keyof Moment
  | keyof Publication
)[] as string[])

/** Times on the monotonic clock mean nothing to another process. */
const written = (component: Component): string =>
  JSON.stringify(component, (key, value) =>
    typeof value !== 'number' ? value : monotonicTimes.has(key) ? 0 : wholeMs(value),
  )

export function readComponent({ id, state }: { readonly id: string; readonly state: string }): Component {
  try {
    const stored = JSON.parse(state)
    const known = {
      retiredAs: null,
      instances: [],
      ...('publications' in stored ? stored : from01(stored)),
    }
    const { lastHeartbeatAt, aliveAt = 0 } = known
    const component: Component = {
      ...known,
      // Version 0.2, which changes none of these, may have had the state meanwhile.
      ...(aliveAt < lastHeartbeatAt && { aliveAt: lastHeartbeatAt, changedAt: lastHeartbeatAt, upAt: lastHeartbeatAt }),
      publications: known.publications.map(from02),
    }
    const { lastReportedStatus, publications } = component
    if (
      component.id === id &&
      typeof lastReportedStatus === 'string' &&
      publications.every(({ sequence }) => Number.isInteger(sequence))
    )
      return component
  } catch {}
  throw new BadSetting(`the state of the component ${id} cannot be read; restore it from a backup`)
}

/** From version 0.2, which forgot at a restart when to retry. */
function from02(publication: Publication): Publication {
  const { push } = publication
  if (push.kind === 'waiting' && push.notice === undefined) return { ...publication, push: { kind: 'idle' } }
  if (push.kind !== 'unknown' || push.failedAt !== undefined) return publication
  const { kind, notice } = push
  const failedAt = { wall: 0, monotonic: 0 }
  return { ...publication, push: { kind, notice, failures: 0, failedAt, waitMs: 0, heartbeatWaitMs: 0 } }
}

/** From version 0.1, which had one target and kept its push in fields of the component. */
function from01(stored: Record<string, unknown>): Component {
  const { page, publishedStatus, pushed, sequence, isInDoubt, isPushing, ...rest } = stored
  const { hasFailed: _, notBefore: __, repeatAt: ___, ...component } = rest
  const isUnknown = pushed !== null && (isInDoubt || isPushing)
  const push = isUnknown ? { kind: 'unknown', notice: pushed } : { kind: 'idle' }
  const schedule = { timeoutMs: null, graceMs: null, maintenanceTimeoutMs: null }
  const publication = { target: 'default', page: page || null, publishedStatus, sequence, reassertAt: null, push }
  return {
    ...component,
    message: null,
    maintenanceId: null,
    schedule,
    publications: [publication],
  } as unknown as Component
}

interface Query {
  readonly text: string
  readonly values: (string | number)[]
}

/** Newest first in order of insertion, whatever the clock said. `place(n)` is the placeholder of the n-th value. */
function pageQuery(
  from: string,
  { before = null, limit }: Page,
  conditions: readonly Condition[],
  place: (n: number) => string,
): Query {
  const all = before === null ? conditions : [...conditions, { text: 'number <', value: before }]
  const values: (string | number)[] = []
  const texts = all.map(({ text, value }) => (value === undefined ? text : `${text} ${place(values.push(value))}`))
  const where = texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : ''
  return { text: `${from} ${where} ORDER BY number DESC LIMIT ${place(values.push(limit))}`, values }
}

interface Condition {
  readonly text: string
  readonly value?: string | number
}

export function incidentsQuery(which: Parameters<StateStore['incidents']>[0], place: (n: number) => string): Query {
  const { componentId, isOpen } = which
  const conditions: Condition[] = []
  if (componentId !== null) conditions.push({ text: 'component_id =', value: componentId })
  if (isOpen !== null) conditions.push({ text: `resolved_at IS ${isOpen ? '' : 'NOT '}NULL` })
  const from = `SELECT number, id, component_id AS "componentId", started_at AS "startedAt", detected_at AS "detectedAt",
    resolved_at AS "resolvedAt", last_reported_status AS "lastReportedStatus", message FROM status_incidents`
  return pageQuery(from, which, conditions, place)
}

/** Inserts what `from` selects, or adds it to the existing rows. */
export const addUptimeText = (
  from: string,
) => `INSERT INTO status_uptime (component_id, day, ${uptimeStates.join(', ')})
  ${from} ON CONFLICT (component_id, day) DO UPDATE SET
  ${uptimeStates.map((state) => `${state} = status_uptime.${state} + excluded.${state}`).join(', ')}`

export function uptimeQuery(
  { first, last, fromDay, untilDay, isDaily }: UptimeRange,
  place: (n: number) => string,
): Query {
  const text = `SELECT component_id AS "componentId", min(day) AS day,
    ${uptimeStates.map((state) => `CAST(sum(${state}) AS bigint) AS ${state}`).join(', ')} FROM status_uptime
    WHERE component_id >= ${place(1)} AND component_id <= ${place(2)} AND day >= ${place(3)} AND day <= ${place(4)}
    GROUP BY component_id${isDaily ? ', day' : ''}`
  return { text, values: [first, last, fromDay, untilDay] }
}

/** Not the newest transition of a component before that time, which began the status that it had at that time. */
export const isForgotten = (before: string) => `moved.at < ${before} AND EXISTS (
  SELECT 1 FROM status_transitions AS later
  WHERE later.component_id = moved.component_id AND later.number > moved.number AND later.at < ${before}
)`

export function transitionsQuery(componentId: string, page: Page, place: (n: number) => string): Query {
  const from = 'SELECT number, at, from_status AS "from", to_status AS "to", cause, message FROM status_transitions'
  return pageQuery(from, page, [{ text: 'component_id =', value: componentId }], place)
}

export const auditQuery = (after: string | null, limit: number, place: (n: number) => string): Query => ({
  text: `SELECT record FROM status_audit
    WHERE number > coalesce((SELECT number FROM status_audit WHERE id = ${place(1)}), 0)
    ORDER BY number LIMIT ${place(2)}`,
  values: [after ?? '', limit],
})

/** Deletes the oldest records of this outcome beyond `maxRecords`. */
export const trimAuditQuery = (outcome: string, place: (n: number) => string): Query => ({
  text: `DELETE FROM status_audit WHERE outcome = ${place(1)} AND number <= (SELECT number FROM status_audit
    WHERE outcome = ${place(2)} ORDER BY number DESC LIMIT 1 OFFSET ${maxRecords})`,
  values: [outcome, outcome],
})
