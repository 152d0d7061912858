import { hash } from 'node:crypto'
import { headlineText } from './headline.ts'
import { namesOf, openIncidentsOf, type ShownIncident, titleOf } from './incidents.ts'
import type { ComponentState, Indicator, StatuspageComponent, StatuspageSummary } from './statuspage-schemas.ts'
import { english, fillText } from './texts/texts.ts'
import { type ComponentView, type PageState, type StatusView, worstOf } from './view.ts'

/** Statuspage has no unknown state: operational would be a lie, so it is degraded, and the description says why. */
const states: Readonly<Record<PageState, ComponentState>> = {
  outage: 'major_outage',
  partial: 'partial_outage',
  degraded: 'degraded_performance',
  unknown: 'degraded_performance',
  maintenance: 'under_maintenance',
  operational: 'operational',
}

const impacts = { outage: 'critical', partial: 'major', degraded: 'minor' } as const

type Overall = readonly [Indicator, string]

/** As Statuspage words and weighs them: when everything has this state, and when something has. Worst first. */
const overalls: readonly { readonly state: PageState; readonly all: Overall; readonly some: Overall }[] = [
  { state: 'outage', all: ['critical', 'Major System Outage'], some: ['major', 'Partial System Outage'] },
  { state: 'partial', all: ['major', 'Partial System Outage'], some: ['minor', 'Minor Service Outage'] },
  { state: 'degraded', all: ['minor', 'Degraded System Service'], some: ['minor', 'Partially Degraded Service'] },
]

function overallOf(view: StatusView): Overall {
  const { components, state } = view
  if (state === 'unknown') return [components.length === 0 ? 'none' : 'minor', headlineText(view, english)]
  const isOfAll = openIncidentsOf(view).some((each) => each.components.length === 0 && each.status === state)
  const isEverywhere = isOfAll || components.every((each) => each.state === state)
  const found = overalls.find((each) => each.state === state)
  if (found) return isEverywhere ? found.all : found.some
  return state === 'maintenance' ? ['maintenance', 'Service Under Maintenance'] : ['none', 'All Systems Operational']
}

const idOf = (text: string) => hash('sha256', text).slice(0, 12)
const latest = (times: readonly string[]) => times.reduce((a, b) => (a < b ? b : a))
const earliest = (times: readonly string[]) => times.reduce((a, b) => (a < b ? a : b))

interface Spec {
  readonly title: string
  readonly baseUrl: string
}

const constant = { showcase: true, start_date: null, only_show_if_degraded: false } as const

function componentOf(view: StatusView, component: ComponentView, pageId: string): StatuspageComponent {
  const { id, label: name, state, since, days } = component
  const first = days.find(({ uptimePercent }) => uptimePercent !== null) ?? days[0]
  const firstDay = first ? `${first.day}T00:00:00.000Z` : view.at
  const updated_at = since ?? firstDay
  return {
    id,
    name,
    status: states[state],
    created_at: earliest([firstDay, updated_at]),
    updated_at,
    position: 1,
    description: state === 'unknown' ? english.states.unknown : null,
    ...constant,
    group_id: null,
    page_id: pageId,
    group: false,
  }
}

function groupOf(name: string, members: readonly StatuspageComponent[], state: PageState): StatuspageComponent {
  return {
    ...(members[0] as StatuspageComponent),
    // No component has such an id.
    id: `_${idOf(name)}`,
    name,
    status: states[state],
    description: null,
    group: true,
    created_at: earliest(members.map(({ created_at }) => created_at)),
    updated_at: latest(members.map(({ updated_at }) => updated_at)),
  }
}

/** In the order of the page. A group stands before its members, which count their positions anew. */
function componentsOf(view: StatusView, pageId: string): StatuspageComponent[] {
  let position = 0
  const groups = Map.groupBy(view.components, ({ id, group }) =>
    group === null ? `component ${id}` : `group ${group}`,
  )
  return [...groups.values()].flatMap((all) => {
    position++
    const members = all.map((each) => componentOf(view, each, pageId))
    const name = all[0]?.group ?? null
    if (name === null) return members.map((each) => ({ ...each, position }))
    const group = { ...groupOf(name, members, worstOf(all.map(({ state }) => state))), position }
    return [group, ...members.map((each, index) => ({ ...each, position: index + 1, group_id: group.id }))]
  })
}

const updateOf = <T extends string>(incidentId: string, number: number, at: string, status: T, body: string) => ({
  id: `${incidentId}-${number}`,
  incident_id: incidentId,
  status,
  body,
  created_at: at,
  updated_at: at,
  display_at: at,
})

interface Shared extends Spec {
  readonly pageId: string
  readonly components: readonly StatuspageComponent[]
}

function incidentOf(view: StatusView, incident: ShownIncident, { pageId, baseUrl, components }: Shared) {
  const { id, status, startedAt, updates } = incident
  const written = updates.map(({ at, stage, text }, index) => updateOf(id, index + 1, at, stage, text)).reverse()
  const unwritten = updateOf(id, 0, startedAt, 'investigating' as const, english.states[status])
  const last = written[0] ?? unwritten
  return {
    id,
    name: titleOf(view, english, incident),
    status: last.status,
    impact: impacts[status],
    created_at: startedAt,
    updated_at: latest([startedAt, last.created_at]),
    started_at: startedAt,
    monitoring_at: written.find((each) => each.status === 'monitoring')?.created_at ?? null,
    resolved_at: null,
    shortlink: `${baseUrl}/status/incidents/${id}`,
    page_id: pageId,
    incident_updates: written.length > 0 ? written : [unwritten],
    components: components.filter((each) => incident.components.includes(each.id)),
  }
}

function maintenanceOf(
  view: StatusView,
  { id, components: ids, from, until, text, state, announcedAt }: StatusView['maintenance'][number],
  { pageId, baseUrl, components }: Shared,
) {
  const created_at = announcedAt ?? earliest([from, view.at])
  const status = state === 'active' ? ('in_progress' as const) : ('scheduled' as const)
  const updated_at = state === 'active' ? latest([created_at, from]) : created_at
  const name = fillText(english.maintenanceOf, { names: namesOf(view, english, ids) })
  return {
    id,
    name,
    status,
    impact: 'maintenance' as const,
    created_at,
    updated_at,
    started_at: from,
    monitoring_at: null,
    resolved_at: null,
    shortlink: `${baseUrl}/status`,
    page_id: pageId,
    scheduled_for: from,
    scheduled_until: until,
    incident_updates: [updateOf(id, 0, created_at, status, text ?? name)],
    components: components.filter((each) => ids.includes(each.id)),
  }
}

export function statuspageOf(view: StatusView, spec: Spec): StatuspageSummary {
  const url = `${spec.baseUrl}/status`
  const pageId = idOf(url)
  const components = componentsOf(view, pageId)
  const shared = { ...spec, pageId, components }
  const incidents = openIncidentsOf(view).map((each) => incidentOf(view, each, shared))
  const scheduled_maintenances = view.maintenance.map((each) => maintenanceOf(view, each, shared))
  const changes = [...components, ...incidents, ...scheduled_maintenances].map(({ updated_at }) => updated_at)
  const turns = [...view.incidents, ...view.writtenIncidents].flatMap(({ startedAt, resolvedAt }) =>
    resolvedAt === null ? startedAt : [startedAt, resolvedAt],
  )
  const updated_at = changes.length + turns.length > 0 ? latest([...changes, ...turns]) : view.at
  const [indicator, description] = overallOf(view)
  return {
    page: { id: pageId, name: spec.title, url, time_zone: 'Etc/UTC', updated_at },
    components,
    incidents,
    scheduled_maintenances,
    status: { indicator, description },
  }
}
