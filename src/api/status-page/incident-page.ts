import { html, type Markup } from '../../reference/markup.ts'
import { type FrameSpec, printFrame, section } from './frame.ts'
import {
  affects,
  incidentItem,
  openIncidentsOf,
  pastIncidentsOf,
  type ShownIncident,
  sinceOrLasted,
  titleOf,
  updateItem,
} from './incidents.ts'
import { fillText, type Texts } from './texts/texts.ts'
import type { StatusView } from './view.ts'

const back = ({ root = '', texts }: FrameSpec): Markup => html`<p><a href="${root}status">${texts.back}</a></p>`

/** Announced maintenance ends what was seen of an outage, and nobody knows whether it is over. */
const isUnderMaintenance = ({ components }: StatusView, { title, components: [id], resolvedAt }: ShownIncident) =>
  title === null &&
  components.some((each) => each.id === id && each.state === 'maintenance' && each.since === resolvedAt)

export function printIncidentPage(view: StatusView, spec: FrameSpec, incident: ShownIncident): string {
  const { texts } = spec
  const title = titleOf(view, texts, incident)
  const tone = incident.resolvedAt === null ? incident.status : 'operational'
  const ended = isUnderMaintenance(view, incident) ? texts.states.maintenance : texts.stages.resolved
  const updates = incident.updates.map((update) => updateItem(texts, update)).reverse()
  const main = html`<section class="overall is-${tone}">
<h1>${title}: ${incident.resolvedAt === null ? texts.states[incident.status] : ended}</h1>
${affects(view, texts, incident)}
<p>${sinceOrLasted(view, texts, incident)}</p>
</section>
${section(texts.updates, updates) ?? html`<p class="note">${texts.noUpdates}</p>`}
${back(spec)}`
  return printFrame(spec, { title, main })
}

export function printUnknownIncidentPage({ unknownSince }: StatusView, spec: FrameSpec): string {
  const { texts, root = '' } = spec
  const title = unknownSince === null ? texts.unknownIncident : texts.headlines.unknown
  const main = html`<h1>${title}</h1>
<p><a href="${root}status/history">${texts.history}</a></p>
${back(spec)}`
  return printFrame(spec, { title, main })
}

const monthText = ({ language }: Texts, month: string) =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString(language, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Every incident, by the month in which it began. */
export function printHistoryPage(view: StatusView, spec: FrameSpec): string {
  const { texts, root } = spec
  const all = [...openIncidentsOf(view), ...pastIncidentsOf(view)]
  const months = [...Map.groupBy(all, ({ startedAt }) => startedAt.slice(0, 7))].sort(([a], [b]) => (a < b ? 1 : -1))
  const none = view.unknownSince === null ? texts.noIncidents : texts.headlines.unknown
  const main = html`<h1>${texts.history}</h1>
${months.map(([month, incidents]) =>
  section(
    fillText(texts.historyOf, { month: monthText(texts, month) }),
    incidents.map((incident) => incidentItem(view, texts, incident, root)),
  ),
)}
${months.length === 0 && html`<p class="note">${none}</p>`}
${back(spec)}`
  return printFrame(spec, { title: texts.history, main })
}
