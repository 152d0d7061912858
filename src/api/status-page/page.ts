import { mark } from '../../reference/mark.ts'
import { html, type Markup } from '../../reference/markup.ts'
import { pageHead } from '../../reference/page-head.ts'
import { type BarSize, legend, uptimeBars } from './bars.ts'
import { durationText, headlineOf, percentText, stateNames, timeText } from './texts.ts'
import type { ComponentView, StatusView } from './view.ts'

interface Size extends BarSize {
  /** Max announcements, and max maintenance windows. */
  readonly texts: number
  readonly incidents: number
}

const maxBytes = 29_000

/** The first size that keeps the page small is used. */
const sizes: readonly Size[] = [
  { daysPerBar: 1, isMerged: false, texts: 10, incidents: 50 },
  { daysPerBar: 1, isMerged: true, texts: 10, incidents: 30 },
  { daysPerBar: 3, isMerged: true, texts: 5, incidents: 20 },
  { daysPerBar: 9, isMerged: true, texts: 3, incidents: 10 },
  { daysPerBar: 0, isMerged: true, texts: 1, incidents: 3 },
]

/** Complete without script. Links are relative, so that a proxy may serve it under any path. */
export function printStatusPage(view: StatusView): string {
  let text = ''
  for (const size of sizes) {
    text = printed(view, size)
    if (Buffer.byteLength(text) <= maxBytes) break
  }
  return text
}

function printed(view: StatusView, size: Size): string {
  const headline = headlineOf(view)
  return html`${pageHead(`${headline} · Status`, 'Status, incidents and uptime of this service.', 'status.css')}
<link rel="alternate" type="application/atom+xml" title="Incidents and announcements" href="status.atom">
<link rel="alternate" type="application/json" href="status.json">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="status">${mark}<span>Status</span></a>
<p class="top-links"><a href="status.atom">Atom</a> <a href="status.json">JSON</a> <a href="docs">Reference</a></p>
</header>
<main id="main" tabindex="-1">
<section class="overall is-${view.state}">
<h1>${headline}</h1>
${overview(view)}
</section>
${announcements(view, size)}
${openIncidents(view, size)}
${maintenance(view, size)}
${size.daysPerBar > 0 && view.components.some(({ days }) => days.length > 0) && legend()}
${[...Map.groupBy(view.components, ({ group }) => group ?? 'Components')].map(([group, all]) => groupSection(view, group, all, size))}
${history(view, size)}
</main>
<footer class="foot"><p>Times and days are in UTC. An uptime is the share of the time in which the state was known, without maintenance.</p></footer>
</body>
</html>
`.text
}

const time = (at: string) => html`<time datetime="${at}">${timeText(at)}</time>`

function overview({ unknownSince, components, at }: StatusView): Markup {
  if (unknownSince !== null)
    return html`<p>The status worker cannot be reached, so nothing is known of any component. Last tried: ${time(at)}.</p>`
  return components.length === 0 ? html`<p>No component is published here yet.</p>` : html`<p>As of ${time(at)}.</p>`
}

function section(title: string, items: readonly Markup[]): Markup | null {
  if (items.length === 0) return null
  return html`<section>
<h2>${title}</h2>
<ul class="entries">
${items.map((item) => html`<li>${item}</li>\n`)}</ul>
</section>`
}

/** Isolated in its own direction, whatever direction marks it contains. */
const freeText = (text: string) => html`<p class="text" dir="auto">${text}</p>`

const announcements = (view: StatusView, { texts }: Size) =>
  section(
    'Announcements',
    view.announcements
      .filter(({ state }) => state === 'active')
      .slice(0, texts)
      .map(
        ({ text, from, until }) =>
          html`${freeText(text)}<p class="note">${time(from)}${until !== null && html` until ${time(until)}`}</p>`,
      ),
  )

const maxNames = 5

function namesOf(view: StatusView, ids: readonly string[]): string {
  const names = view.components.filter(({ id }) => ids.includes(id)).map(({ label }) => label)
  const others = names.length > maxNames ? ` and ${names.length - maxNames} more` : ''
  return names.slice(0, maxNames).join(', ') + others
}

const openIncidents = (view: StatusView, { incidents }: Size) =>
  section(
    'Open incidents',
    view.incidents
      .filter(({ resolvedAt }) => resolvedAt === null)
      .slice(0, incidents)
      .map(
        ({ component, status, startedAt }) =>
          html`<p><strong>${namesOf(view, [component])}</strong>: <span class="state is-${status}">${stateNames[status]}</span></p><p class="note">Since ${time(startedAt)}, for ${durationText(startedAt, view.at)}</p>`,
      ),
  )

const maintenance = (view: StatusView, { texts }: Size) =>
  section(
    'Maintenance',
    view.maintenance
      .slice(0, texts)
      .map(
        ({ components, from, until, text, state }) =>
          html`<p><strong>${namesOf(view, components)}</strong>: ${state === 'active' ? 'in progress' : 'planned'}</p>${text !== null && freeText(text)}<p class="note">${time(from)} until ${time(until)}</p>`,
      ),
  )

function groupSection(view: StatusView, group: string, components: readonly ComponentView[], size: Size): Markup {
  return html`<section>
<h2>${group}</h2>
<ul class="components">
${components.map((component) => componentItem(view, component, size))}</ul>
</section>
`
}

const onOneLine = (percent: number | null) => percentText(percent).replace(' ', '\u00a0')

function componentItem({ at, unknownSince }: StatusView, component: ComponentView, size: Size): Markup {
  const { label, state, since, uptimePercent } = component
  const [days7, days30, days90] = [uptimePercent.days7, uptimePercent.days30, uptimePercent.days90].map(onOneLine)
  return html`<li>
<div class="component-head"><h3>${label}</h3><p class="state is-${state}">${stateNames[state]}${since !== null && html` <span class="note">for ${durationText(since, at)}</span>`}${unknownSince !== null && html` <span class="note">since ${time(unknownSince)}</span>`}</p></div>
${uptimeBars(component, size)}
${component.days.length > 0 && html`<p class="note">7 days: ${days7} · 30 days: ${days30} · 90 days: ${days90}</p>`}
</li>
`
}

function history(view: StatusView, { incidents }: Size): Markup | null {
  if (view.unknownSince !== null || view.components.length === 0) return null
  const past = view.incidents.flatMap(({ component, status, startedAt, resolvedAt }) =>
    resolvedAt === null
      ? []
      : [
          html`<p><strong>${namesOf(view, [component])}</strong>: ${stateNames[status]} for ${durationText(startedAt, resolvedAt)}</p><p class="note">${time(startedAt)} until ${time(resolvedAt)}</p>`,
        ],
  )
  if (past.length > 0) return section('Past incidents', past.slice(0, incidents))
  return html`<section>
<h2>Past incidents</h2>
<p class="note">None in the last 90 days.</p>
</section>`
}
