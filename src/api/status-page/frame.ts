import { mark } from '../../reference/mark.ts'
import { html, type Markup } from '../../reference/markup.ts'
import { pageHead } from '../../reference/page-head.ts'
import type { PageSettings } from './page-settings.ts'
import type { Texts } from './texts/texts.ts'

export interface FrameSpec {
  readonly settings: PageSettings
  readonly texts: Texts
  /** Of the script that shows times in the visitor's time zone. */
  readonly integrity: string
  /** Leads from the page to the root of the service: links are relative, so that a proxy may serve it under any path. */
  readonly root?: string
}

/** What all pages of the status have around their content. Complete without script. */
export function printFrame(
  { settings, texts, integrity, root = '' }: FrameSpec,
  { title, main }: { readonly title: string; readonly main: Markup },
): string {
  const name = settings.title ?? texts.title
  return html`${pageHead(`${title} · ${name}`, settings.description ?? texts.about, 'status.css', { root, language: texts.language })}
<link rel="alternate" type="application/atom+xml" title="${texts.feedTitle}" href="${root}status.atom">
<link rel="alternate" type="text/calendar" title="${texts.maintenance}" href="${root}status/maintenance.ics">
<link rel="alternate" type="application/json" href="${root}status.json">
<script src="${root}status.js" integrity="${integrity}" defer></script>
</head>
<body>
<a class="skip" href="#main">${texts.skip}</a>
<header class="top${settings.color !== null && ' is-branded'}">
<a class="brand" href="${settings.link ?? `${root}status`}">${settings.logo === null ? mark : html`<img src="${root}status/logo" alt="" height="28">`}<span>${name}</span></a>
<p class="top-links"><a href="${root}status.atom">Atom</a> <a href="${root}status.json">JSON</a> <a href="${root}status/maintenance.ics">${texts.calendar}</a> <a href="${root}docs">${texts.reference}</a></p>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer class="foot"><p><span data-zone="${texts.timesInZone}">${texts.timesInUtc}</span> ${texts.aboutUptime}</p></footer>
</body>
</html>
`.text
}

/** Of free text, isolated in its own direction, whatever direction marks it contains. */
export const freeText = (text: string): Markup => html`<p class="text" dir="auto">${text}</p>`

export function section(title: string, items: readonly Markup[]): Markup | null {
  if (items.length === 0) return null
  return html`<section>
<h2>${title}</h2>
<ul class="entries">
${items.map((item) => html`<li>${item}</li>\n`)}</ul>
</section>`
}
