import type { PublicComponent } from '../../config/status-page.ts'
import { array, integer, nullable, number, object, oneOf, string, type TypeOf, timestamp } from '../../http/schema.ts'
import { dayMs, dayOf } from '../../lib/timestamps.ts'
import { badStatuses } from '../../status/periods.ts'
import { type fullSummary, responseMs, type summary } from '../../status/summary.ts'
import { stages } from '../../status/written-incidents.ts'

/** Worst first: nothing masks an outage, and an unknown state is never shown as operational. */
const pageStates = ['outage', 'partial', 'degraded', 'unknown', 'maintenance', 'operational'] as const
export type PageState = (typeof pageStates)[number]
export const isBad = (state: PageState) => badStatuses.some((each) => each === state)

export const badgeDays = ['7', '30', '90'] as const
export type BadgeDays = (typeof badgeDays)[number]

const aTime = { examples: ['2026-06-01T12:00:00.000Z'] }
const id = string({ examples: ['api'] })
const state = oneOf(pageStates, { examples: ['operational'] })
const announcedAt = nullable(
  timestamp({ description: 'When it was announced or last changed; null if the worker does not say', ...aTime }),
)
const percent = nullable(number({ minimum: 0, maximum: 100, examples: [99.95] }))

const updates = array(
  object(
    {
      at: timestamp(aTime),
      stage: oneOf(stages, { examples: ['identified'] }),
      text: string({ examples: ['A disk has failed. We are replacing it.'] }),
    },
    { title: 'PublicIncidentUpdate' },
  ),
  { description: 'What people wrote about it, oldest first' },
)
const status = oneOf(badStatuses, { description: 'Silence is an outage', examples: ['outage'] })

/** The source of the page, its JSON, feed and badges. */
export const statusView = object(
  {
    state: oneOf(pageStates, { description: 'The worst state of all components', examples: ['operational'] }),
    unknownSince: nullable(timestamp({ description: 'Since when the status worker has been unreachable', ...aTime })),
    at: timestamp({ description: 'When the status worker was queried', ...aTime }),
    components: array(
      object(
        {
          id,
          label: string({ examples: ['Website'] }),
          group: nullable(string({ examples: ['Frontend'] })),
          state,
          since: nullable(timestamp({ description: 'Null if unknown, or more than 90 days ago', ...aTime })),
          uptimePercent: object({ days7: percent, days30: percent, days90: percent }, { title: 'UptimeOfDays' }),
          responseMs,
          days: array(
            object({ day: string({ examples: ['2026-06-01'] }), uptimePercent: percent }, { title: 'UptimeOfDay' }),
            { description: 'The last 90 days in UTC, oldest first; null if nothing is known about that day' },
          ),
        },
        { title: 'PublicComponent' },
      ),
    ),
    incidents: array(
      object(
        {
          id: string({ description: 'Its page is `/status/incidents/{id}`', examples: ['api-20260601120000000'] }),
          component: id,
          status,
          startedAt: timestamp(aTime),
          detectedAt: timestamp({ description: 'Later than its start if it began with silence', ...aTime }),
          resolvedAt: nullable(timestamp(aTime)),
          updates,
        },
        { title: 'PublicIncident' },
      ),
      {
        description:
          'Each period of an outage, a partial outage or a degradation, reported or silent: all that last, the worst first, and the newest 200 that ended in the last 90 days',
      },
    ),
    writtenIncidents: array(
      object(
        {
          id: string({ examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'] }),
          title: string({ examples: ['Slow uploads'] }),
          status,
          components: array(id, { description: 'None: the service as a whole' }),
          startedAt: timestamp(aTime),
          resolvedAt: nullable(timestamp(aTime)),
          updates,
        },
        { title: 'PublicWrittenIncident' },
      ),
      {
        description:
          'Incidents that people opened: all that are open, and the newest 50 that ended in the last 90 days. While one is open, the state of its components is at least as bad',
      },
    ),
    maintenance: array(
      object(
        {
          id: string({ examples: ['019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e4'] }),
          components: array(id),
          from: timestamp(aTime),
          until: timestamp(aTime),
          text: nullable(string({ examples: ['Moving to the new disks'] })),
          state: oneOf(['planned', 'active'], { examples: ['active'] }),
          announcedAt,
          revision: integer({ minimum: 0, description: 'How often it was changed', examples: [0] }),
        },
        { title: 'PublicMaintenance' },
      ),
    ),
    announcements: array(
      object(
        {
          text: string({ examples: ['The photographs of the zoo arrive on Monday'] }),
          from: timestamp(aTime),
          until: nullable(timestamp(aTime)),
          state: oneOf(['active', 'over'], { examples: ['active'] }),
          announcedAt,
        },
        { title: 'PublicAnnouncement' },
      ),
    ),
  },
  { title: 'StatusPage' },
)
export type StatusView = TypeOf<typeof statusView>
export type ComponentView = StatusView['components'][number]
export type Summary = TypeOf<typeof fullSummary>
type Day = Summary['components'][number]['days'][number]

const shownDays = 90

/** Rounded down, so that 100 means never down. Null if it was neither up nor down. */
function uptimeOf(days: readonly Day[]): number | null {
  const sumOf = (key: 'upSeconds' | 'downSeconds') => days.reduce((sum, day) => sum + day[key], 0)
  const up = sumOf('upSeconds')
  const all = up + sumOf('downSeconds')
  return all === 0 ? null : Math.floor((up / all) * 10_000) / 100
}

const noResponse = { days7: null, days30: null, days90: null }

export const worstOf = (states: readonly PageState[]): PageState =>
  pageStates.find((each) => states.includes(each)) ?? 'unknown'

/** What a worker of version 0.2 says: silence only. */
export const fromOlderWorker = ({ incidents, ...found }: TypeOf<typeof summary>): Summary => ({
  ...found,
  components: found.components.map((component) => ({ ...component, responseMs: noResponse })),
  periods: incidents.map(({ incidentId: _, resolvedAt: endedAt, ...incident }) => ({
    ...incident,
    status: 'outage',
    detectedAt: incident.startedAt,
    endedAt,
    updates: [],
  })),
  written: [],
  maintenance: found.maintenance.map((window) => ({ ...window, announcedAt: null, revision: 0 })),
  announcements: found.announcements.map((announcement) => ({ ...announcement, announcedAt: null })),
})

/** Component and start: an address that stays, whatever becomes of the incident. */
const idOf = ({ componentId, startedAt }: Summary['periods'][number]) =>
  `${componentId}-${startedAt.replace(/\D/g, '')}`

type Written = Summary['written'][number]

/** An open incident that people wrote makes its components at least as bad as its level. */
function raised(component: ComponentView, open: readonly Written[]): ComponentView {
  const own = open.filter(({ components }) => components.includes(component.id))
  const state = worstOf([component.state, ...own.map(({ level }) => level)])
  if (state === component.state) return component
  return { ...component, state, since: own.find(({ level }) => level === state)?.startedAt ?? null }
}

export function viewOf(components: readonly PublicComponent[], { at, ...found }: Summary): StatusView {
  const now = Date.parse(at)
  const lastDays = Array.from({ length: shownDays }, (_, index) => dayOf(now - (shownDays - 1 - index) * dayMs))
  const open = found.written.filter(({ resolvedAt }) => resolvedAt === null)
  const ofAll = open.filter((each) => each.components.length === 0).map(({ level }) => level)
  const reported = components.map(({ id, label, group }): ComponentView => {
    const own = found.components.find(({ componentId }) => componentId === id)
    const days = (own?.days ?? []).toSorted((a, b) => (a.day < b.day ? -1 : 1))
    const last = (count: number) => uptimeOf(days.filter(({ day }) => lastDays.slice(-count).includes(day)))
    return {
      id,
      label,
      group,
      state: own?.status ?? 'unknown',
      since: own?.since ?? null,
      uptimePercent: { days7: last(7), days30: last(30), days90: last(shownDays) },
      responseMs: own?.responseMs ?? noResponse,
      days: lastDays.map((day) => ({ day, uptimePercent: uptimeOf(days.filter((each) => each.day === day)) })),
    }
  })
  const shown = reported.map((component) => raised(component, open))
  return {
    state: worstOf([...shown.map((each) => each.state), ...ofAll]),
    unknownSince: null,
    at,
    components: shown,
    incidents: found.periods.map(({ componentId, endedAt: resolvedAt, ...period }) => ({
      id: idOf({ ...period, componentId, endedAt: resolvedAt }),
      component: componentId,
      ...period,
      resolvedAt,
    })),
    writtenIncidents: found.written.map(({ level: status, ...incident }) => ({ ...incident, status })),
    maintenance: found.maintenance,
    announcements: found.announcements.map(({ id: _, ...announcement }) => announcement),
  }
}

/** Does not fall back to earlier states. */
export const unknownView = (
  components: readonly PublicComponent[],
  at: string,
  unknownSince: string | null,
): StatusView => ({
  state: 'unknown',
  unknownSince,
  at,
  components: components.map((each) => ({
    ...each,
    state: 'unknown',
    since: null,
    days: [],
    uptimePercent: { days7: null, days30: null, days90: null },
    responseMs: noResponse,
  })),
  incidents: [],
  writtenIncidents: [],
  maintenance: [],
  announcements: [],
})
