import { BadSetting } from '../../config/parser.ts'
import type { ChangeRecord } from '../../status/audit.ts'
import type { Component, Moment } from '../../status/component.ts'
import type { Link } from '../../status/links.ts'
import type { Publication } from '../../status/publication.ts'
import type { RanRun } from '../../status/runs.ts'
import type { Changes, StateMeta } from '../../status/state-store.ts'

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
export function rowsOf({ components, opened, resolved, moved }: Omit<Changes, 'audited'>) {
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
        // Not null if it was opened and resolved between two saves.
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
  }
}

/** The newest of each run; what it was sent before stays unless it has a body of its own. */
export function runRowsOf(ran: Changes['ran'] & {}) {
  const rows = new Map<string, { readonly id: string; component_id: string; run: string; body: string | null }>()
  for (const { componentId, run } of ran) {
    const { body, ...rest } = run
    const { id } = rest
    rows.set(id, { id, component_id: componentId, run: JSON.stringify(rest), body: body ?? rows.get(id)?.body ?? null })
  }
  return [...rows.values()]
}

export const readRun = ({ run, body }: { readonly run: string; readonly body: string | null }): RanRun => ({
  ...JSON.parse(run),
  body,
})

export const auditRowOf = (record: ChangeRecord) => ({
  id: record.id,
  at: wholeMs(record.at),
  outcome: record.outcome,
  record: JSON.stringify(record),
})

export const linkRowOf = ({ hash, componentId, downAt, target, until }: Link) => ({
  hash,
  component_id: componentId,
  target,
  down_at: wholeMs(downAt),
  until_at: wholeMs(until),
})

export const readRecord = ({ record }: { readonly record: string }): ChangeRecord => JSON.parse(record)

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
      runs: [],
      lastRun: null,
      exitCode: null,
      ...('publications' in stored ? stored : from01(stored)),
    }
    const { lastHeartbeatAt, aliveAt = 0 } = known
    const since = {
      aliveAt: lastHeartbeatAt,
      changedAt: lastHeartbeatAt,
      upAt: lastHeartbeatAt,
      downAt: lastHeartbeatAt,
    }
    const component: Component = {
      ...known,
      // Version 0.2, which changes none of these, may have had the state meanwhile.
      ...(aliveAt < lastHeartbeatAt && since),
      schedule: { cron: null, maxRunMs: null, ...known.schedule },
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
