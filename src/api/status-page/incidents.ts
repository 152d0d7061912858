import { html, type Markup } from '../../reference/markup.ts'
import { freeText } from './frame.ts'
import { durationText, fill, fillText, type Texts, time } from './texts/texts.ts'
import { type StatusView, worstOf } from './view.ts'

type View = StatusView['writtenIncidents'][number]
type Period = StatusView['incidents'][number]

/** An incident of either kind, as the pages show it. */
export interface ShownIncident extends Omit<View, 'title'> {
  /** Null if nobody opened it: its component and state say it all. */
  readonly title: string | null
}

/** The newest first, those that people opened before the others. */
const ofBothKinds = ({ writtenIncidents, incidents }: StatusView): ShownIncident[] => [
  ...writtenIncidents,
  ...incidents.map(({ component, detectedAt: _, ...incident }) => ({
    ...incident,
    title: null,
    components: [component],
  })),
]

/** Whether somebody opened this incident about it while it lasted, at least as bad, and not resolved before its end. */
function covers(written: View, { component, status, updates, startedAt, resolvedAt }: Period): boolean {
  const wasUnderWay = startedAt <= written.startedAt && (resolvedAt === null || written.startedAt < resolvedAt)
  const lastsAsLong = written.resolvedAt === null || (resolvedAt !== null && resolvedAt <= written.resolvedAt)
  const isAsBad = worstOf([written.status, status]) === written.status
  return written.components.includes(component) && wasUnderWay && lastsAsLong && isAsBad && updates.length === 0
}

/** A visitor reads of an outage once. */
function listed({ writtenIncidents, incidents, ...view }: StatusView): ShownIncident[] {
  const uncovered = incidents.filter((each) => !writtenIncidents.some((written) => covers(written, each)))
  return ofBothKinds({ ...view, writtenIncidents, incidents: uncovered })
}

export const openIncidentsOf = (view: StatusView): ShownIncident[] =>
  listed(view).filter(({ resolvedAt }) => resolvedAt === null)

export const pastIncidentsOf = (view: StatusView): ShownIncident[] =>
  listed(view)
    .filter(({ resolvedAt }) => resolvedAt !== null)
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : a.startedAt > b.startedAt ? -1 : 0))

export const findIncident = (view: StatusView, id: string): ShownIncident | undefined =>
  ofBothKinds(view).find((each) => each.id === id)

const maxNames = 5

export function namesOf(view: StatusView, texts: Texts, ids: readonly string[]): string {
  const all = view.components.filter(({ id }) => ids.includes(id)).map(({ label }) => label)
  const names = all.slice(0, maxNames).join(', ')
  return all.length > maxNames ? fillText(texts.andMore, { names, count: all.length - maxNames }) : names
}

export const titleOf = (view: StatusView, texts: Texts, { title, components }: ShownIncident): string =>
  title ?? namesOf(view, texts, components)

export const period = (from: string, until: string | null, texts: Texts): Markup =>
  until === null ? time(from) : fill(texts.fromUntil, { from: time(from), until: time(until) })

export const affects = (view: StatusView, texts: Texts, { title, components }: ShownIncident): Markup | null =>
  title === null || components.length === 0
    ? null
    : html`<p class="note">${fillText(texts.affects, { components: namesOf(view, texts, components) })}</p>`

export const updateItem = (texts: Texts, { at, stage, text }: View['updates'][number]): Markup =>
  html`<p><strong>${texts.stages[stage]}</strong> <span class="note">${time(at)}</span></p>${freeText(text)}`

export function sinceOrLasted(
  view: StatusView,
  texts: Texts,
  { status, startedAt, resolvedAt }: ShownIncident,
): Markup {
  if (resolvedAt === null)
    return fill(texts.sinceFor, { time: time(startedAt), duration: durationText(texts, startedAt, view.at) })
  const duration = durationText(texts, startedAt, resolvedAt)
  return html`${fillText(texts.lasted, { state: texts.states[status], duration })}, ${period(startedAt, resolvedAt, texts)}`
}

/** With a link to its page, and what was written last. */
export function incidentItem(view: StatusView, texts: Texts, incident: ShownIncident, root = ''): Markup {
  const { id, status, startedAt, resolvedAt, updates } = incident
  const link = html`<strong><a href="${root}status/incidents/${id}">${titleOf(view, texts, incident)}</a></strong>`
  if (resolvedAt !== null) {
    const state = texts.states[status]
    const lasted = fillText(texts.lasted, { state, duration: durationText(texts, startedAt, resolvedAt) })
    return html`<p>${link}: ${lasted}</p><p class="note">${period(startedAt, resolvedAt, texts)}</p>`
  }
  const last = updates.at(-1)
  return html`<p>${link}: <span class="state is-${status}">${texts.states[status]}</span></p>${affects(view, texts, incident)}<p class="note">${sinceOrLasted(view, texts, incident)}</p>${last && updateItem(texts, last)}`
}
