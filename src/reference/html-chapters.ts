import { lowerFirst } from './anchors.ts'
import { highlight } from './highlight.ts'
import { anchor, errorList, later } from './html-route.ts'
import { html, type Markup, words } from './markup.ts'
import type { Reference, SettingView } from './model.ts'

export function errorChapter(model: Reference): Markup {
  return html`${chapterHead(model.ids.errors, 'Errors')}
<p>${words(model.openings.errors)}</p>
<dl class="shapes">
${model.shapes.map(({ body, use }) => html`<div><dt><code class="json">${highlight(body, 'json')}</code></dt><dd>${words(use)}</dd></div>\n`)}</dl>
${model.anywhere.map(
  ({
    id,
    service,
    errors,
  }) => html`<header class="part-head"><h3 id="${id}">On any path: ${lowerFirst(service.title)}</h3></header>
${later(errorList(errors))}
`,
)}
${model.sharedErrors.map(
  ({ id, title, errors }) => html`<header class="part-head"><h3 id="${id}">${title}</h3></header>
${later(errorList(errors))}
`,
)}`
}

export function limitChapter({ ids, limits }: Reference): Markup {
  return html`${chapterHead(ids.limits, 'Limits')}
<dl class="limits">
${limits.map(({ what, value, beyond }) => html`<div><dt>${words(what)}</dt><dd><strong>${value}</strong><span class="note">Beyond: ${words(beyond)}</span></dd></div>\n`)}</dl>
`
}

export function settingChapter({ ids, openings, settings }: Reference): Markup {
  return html`${chapterHead(ids.settings, 'Settings')}
<p>${words(openings.settings)}</p>
${settings.map(
  ({ id, title, settings: rows }) => html`<header class="part-head"><h3 id="${id}">${title}${anchor(id)}</h3></header>
${later(html`<dl class="settings">
${rows.map(settingRow)}</dl>`)}
`,
)}`
}

function settingRow(setting: SettingView): Markup {
  return html`<div id="${setting.name}"><dt><code>${breakable(setting.name, '_')}</code>${setting.secret && html` <span class="chip chip-key">secret</span>`}</dt>
<dd><p>${words(setting.help)}</p><p class="note">Default: ${defaultOf(setting)}. Format: ${words(setting.format.expected)}.${setting.secret && html` <code>${setting.name}_FILE</code> reads it from a file.`}</p></dd></div>
`
}

/** Allows line breaks after each `mark`. */
export const breakable = (text: string, mark: string) =>
  text.split(mark).map((part, index) => html`${index > 0 && html`${mark}<wbr>`}${part}`)

function defaultOf(setting: SettingView): string | Markup {
  if (setting.shownDefault !== undefined) return setting.shownDefault
  return setting.default === null ? 'unset' : html`<code>${setting.default}</code>`
}

export const chapterHead = (id: string, title: string) =>
  html`<h2 id="${id}">${title}${anchor(id)}</h2>
`
