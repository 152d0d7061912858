import { html, type Markup } from '../../reference/markup.ts'
import { type BarSize, legend, uptimeBars } from './bars.ts'
import { type FrameSpec, freeText, printFrame, section } from './frame.ts'
import { headlineMarkup, headlineText, isOfAll, toneOf } from './headline.ts'
import { incidentItem, namesOf, openIncidentsOf, pastIncidentsOf, period } from './incidents.ts'
import { durationText, fill, fillText, millisecondsText, percentText, type Texts, time } from './texts/texts.ts'
import { type ComponentView, isBad, type StatusView } from './view.ts'

interface Size extends BarSize {
  readonly maxComponents: number
  /** Max announcements, and max maintenance windows. */
  readonly texts: number
  readonly incidents: number
}

/** For the browser's sake. */
const maxBytes = 400_000
/** Over the wire: 40 kB with the head of the response. */
const maxCompressedBytes = 39_000

/** The first size that keeps the page small is used. */
const sizes: readonly Size[] = [
  { maxComponents: 40, daysPerBar: 1, hasTooltips: true, texts: 10, incidents: 50 },
  { maxComponents: Infinity, daysPerBar: 1, hasTooltips: false, texts: 10, incidents: 30 },
  { maxComponents: Infinity, daysPerBar: 1, hasTooltips: false, texts: 5, incidents: 15 },
  { maxComponents: Infinity, daysPerBar: 3, hasTooltips: false, texts: 3, incidents: 10 },
  { maxComponents: Infinity, daysPerBar: 0, hasTooltips: false, texts: 1, incidents: 3 },
]

/** `compress` is the least that clients get: a client without any coding gets the text. */
export async function printStatusPage(
  view: StatusView,
  spec: FrameSpec,
  compress: (text: string) => Promise<Uint8Array>,
): Promise<string> {
  let text = ''
  for (const size of sizes) {
    if (view.components.length > size.maxComponents) continue
    text = printed(view, spec, size)
    if (Buffer.byteLength(text) <= maxBytes && (await compress(text)).length <= maxCompressedBytes) break
  }
  return text
}

function printed(view: StatusView, spec: FrameSpec, size: Size): string {
  const { texts, settings } = spec
  const hasBars = size.daysPerBar > 0 && view.components.some(({ days }) => days.length > 0)
  const groups = Map.groupBy(view.components, ({ group }) => group ?? texts.components)
  const main = html`<section class="overall is-${toneOf(view)}">
<h1>${headlineMarkup(view, texts)}</h1>
${settings.description !== null && html`<p>${settings.description}</p>`}
${overview(view, texts)}
</section>
${openIncidents(view, texts, size)}
${announcements(view, texts, size)}
${maintenance(view, texts, size)}
${hasBars && legend(texts)}
${[...groups].map(([group, all]) => groupSection(view, texts, { group, all, size }))}
${history(view, texts, size)}`
  return printFrame(spec, { title: headlineText(view, texts), main })
}

function overview({ unknownSince, state, components, writtenIncidents, at }: StatusView, texts: Texts): Markup {
  if (unknownSince !== null) return html`<p>${fill(texts.workerAway, { time: time(at) })}</p>`
  if (components.length === 0) return html`<p>${texts.noComponents}</p>`
  // What is bad, or else what the headline says.
  const affected = components.filter((each) => (isBad(state) ? isBad(each.state) : each.state === state)).length
  const share = writtenIncidents.some(isOfAll)
    ? texts.allAffected
    : state !== 'operational' && fillText(texts.affected, { count: affected, all: components.length })
  return html`<p>${share !== false && `${share} `}${fill(texts.asOf, { time: time(at) })}</p>`
}

const announcements = (view: StatusView, texts: Texts, size: Size) =>
  section(
    texts.announcements,
    view.announcements
      .filter(({ state }) => state === 'active')
      .slice(0, size.texts)
      .map(({ text, from, until }) => html`${freeText(text)}<p class="note">${period(from, until, texts)}</p>`),
  )

const openIncidents = (view: StatusView, texts: Texts, { incidents }: Size) =>
  section(
    texts.openIncidents,
    openIncidentsOf(view)
      .slice(0, incidents)
      .map((incident) => incidentItem(view, texts, incident)),
  )

/** Windows that say the same, as those of recurring maintenance do, are one entry with the earliest time. */
function maintenance(view: StatusView, texts: Texts, size: Size): Markup | null {
  const notices = Map.groupBy(view.maintenance, ({ components, text, state }) =>
    JSON.stringify([components, text, state]),
  )
  return section(
    texts.maintenance,
    [...notices.values()].slice(0, size.texts).map((windows) => {
      const [first] = windows.toSorted((a, b) => (a.from < b.from ? -1 : 1)) as [(typeof windows)[number]]
      const { components, from, until, text, state } = first
      const more = windows.length > 1 && ` ${fillText(texts.andMoreTimes, { count: windows.length - 1 })}`
      return html`<p><strong>${namesOf(view, texts, components)}</strong>: ${state === 'active' ? texts.inProgress : texts.planned}</p>${text !== null && freeText(text)}<p class="note">${period(from, until, texts)}${more}</p>`
    }),
  )
}

interface Group {
  readonly group: string
  readonly all: readonly ComponentView[]
  readonly size: Size
}

const groupSection = (view: StatusView, texts: Texts, { group, all, size }: Group): Markup => html`<section>
<h2>${group}</h2>
<ul class="components">
${all.map((component) => componentItem(component, view, texts, size))}</ul>
</section>`

const onOneLine = (text: string) => text.replaceAll(' ', '\u00a0')

function componentItem(component: ComponentView, { at, unknownSince }: StatusView, texts: Texts, size: Size): Markup {
  const { label, state, since, uptimePercent, responseMs } = component
  const shown = (
    { days7, days30, days90 }: ComponentView['uptimePercent'],
    textOf: (texts: Texts, value: number | null) => string,
  ) => {
    const [first, second, third] = [days7, days30, days90].map((each) => onOneLine(textOf(texts, each)))
    return fillText(texts.ofDays, { days7: first ?? '', days30: second ?? '', days90: third ?? '' })
  }
  const responses =
    responseMs.days90 !== null && fillText(texts.responses, { times: shown(responseMs, millisecondsText) })
  const lasting = since !== null && fillText(texts.forDuration, { duration: durationText(texts, since, at) })
  const away = unknownSince !== null && fill(texts.since, { time: time(unknownSince) })
  return html`<li>
<div class="component-head"><h3>${label}</h3><p class="state is-${state}">${texts.states[state]}${[lasting, away].map((note) => note !== false && html` <span class="note">${note}</span>`)}</p></div>
${uptimeBars(component, size, texts)}
${component.days.length > 0 && html`<p class="note">${shown(uptimePercent, percentText)}</p>`}
${responses !== false && html`<p class="note">${responses}</p>`}
</li>
`
}

function history(view: StatusView, texts: Texts, { incidents }: Size): Markup | null {
  if (view.unknownSince !== null || view.components.length === 0) return null
  const past = pastIncidentsOf(view).slice(0, incidents)
  const all = html`<p class="note"><a href="status/history">${texts.history}</a></p>`
  if (past.length > 0)
    return html`${section(
      texts.pastIncidents,
      past.map((incident) => incidentItem(view, texts, incident)),
    )}
${all}`
  return html`<section>
<h2>${texts.pastIncidents}</h2>
<p class="note">${texts.noIncidents}</p>
</section>
${all}`
}
