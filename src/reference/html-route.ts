import { STATUS_CODES } from '../http/node-http.ts'
import { highlight } from './highlight.ts'
import { html, type Markup, words } from './markup.ts'
import type { ReplyView, RouteView } from './model.ts'
import { aboutField, type FieldRow } from './rows.ts'
import { callOf } from './samples/call.ts'
import type { Sample } from './samples/samples.ts'
import { ownErrors, type SharedError, type SharedErrors } from './shared-errors.ts'

/** `isHere`: served at the page's address. */
export function routeArticle(view: RouteView, isHere: boolean, groups: readonly SharedErrors[]): Markup {
  const { route } = view
  const head = html`<h3 id="${view.id}">${methodBadge(route.method)} <span class="path">${view.path}</span>${anchor(view.id)}</h3><p class="route-summary">${words(route.summary)}</p>`
  // Without line breaks, each of which would be a node.
  return html`<article class="route" aria-labelledby="${view.id}"${isHere && tryData(view)}><header class="route-head">${head}</header>${later(routeBody(view, groups))}</article>
`
}

/** To a browser without script, part of the page; to one with script, text until it is opened (script/later.js). */
export const later = (content: Markup) => html`<div class="later"><noscript>${content}</noscript></div>`

/** The call comes first on a narrow window, too; a wide one has all examples on the right. */
function routeBody(view: RouteView, groups: readonly SharedErrors[]): Markup {
  const { route, access } = view
  return html`<div class="route-columns">
<div class="route-about">
${route.description && html`<p>${words(route.description)}</p>`}
<p class="access"><span class="label">Access</span> <span class="${access.needsToken ? 'chip chip-key' : 'chip'}">${words(access.label)}</span>${access.needsToken && html` <span class="note">token required</span>`}</p>
</div>
<div class="route-code">
${view.samples.map(sampleBlock)}
${view.replies.map(replyExample)}
</div>
<div class="route-text">
${view.limits.length > 0 && html`<h4>Limits</h4><ul>${view.limits.map(({ what, value }) => html`<li>${words(what)}: ${value}</li>`)}</ul>`}
${fieldList('Path', '', view.params, 'path')}
${fieldList('Query', '', view.query, 'query')}
${fieldList('Body', `JSON, at most ${view.bodyLimit}`, view.body, 'body')}
${route.upload && html`<h4>Body <small>${route.upload.types}</small></h4><p>${words(route.upload.description)}</p>`}
${view.replies.map(replyFields)}
${routeErrors(view, groups)}
</div>
</div>`
}

function routeErrors(view: RouteView, groups: readonly SharedErrors[]): Markup | null {
  if (view.errors.length === 0) return null
  const { own, shared } = ownErrors(view, groups)
  const links = shared.map(({ id, label }) => html`, <a href="#${id}">${label}</a>`)
  return html`<h4>Errors <small>in addition to those of <a href="#errors">any path</a>${links}</small></h4>${own.length > 0 && errorList(own)}`
}

/** For the script. */
function tryData({ route, access }: RouteView): Markup | null {
  if (route.method !== 'GET') return null
  const [example] = callOf(route, '').url.split('?')
  return html` data-try${example !== route.path && html`="${example}"`}${access.needsToken && html` data-token`}`
}

export const methodBadge = (method: string) =>
  html`<span class="method method-${method.toLowerCase()}">${method}</span>`

/** Stands in the heading that says where it leads. */
export const anchor = (id: string) => html` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`

const codeBlock = (title: string | Markup, code: string, language: string) =>
  html`<figure class="code"><figcaption>${title}</figcaption><pre><code>${highlight(code, language)}</code></pre></figure>
`

/** Only the language chosen at the top of the page is shown; without the style sheet, every one. */
function sampleBlock({ title, codes }: Sample): Markup {
  const [first] = codes
  if (codes.length === 1 && first) return codeBlock(words(title), first.code, first.language)
  return html`<figure class="code samples"><figcaption>${words(title)}</figcaption>
${codes.map(
  ({ language, code }) => html`<pre class="in-${language}"><code>${highlight(code, language)}</code></pre>
`,
)}</figure>
`
}

const statusPill = (status: number) => html`<span class="status status-${String(status).slice(0, 1)}">${status}</span>`

/** With the whole body, or only the message if each route has it in a shape of its own. */
export function errorList(errors: readonly SharedError[]): Markup {
  return html`<ul class="errors">
${errors.map((error) => html`<li>${statusPill(error.status)}<div><code class="json">${error.envelope === null ? error.message : error.body}</code>${whenOf(error)}</div></li>\n`)}</ul>`
}

function whenOf({ when, headers }: SharedError): Markup | null {
  const sent = Object.entries(headers).map(([name, value]) => html` <code>${name}: ${value}</code>`)
  if (!when && sent.length === 0) return null
  return html`<p class="note">${when && html`When ${words(when)}. `}${sent.length > 0 && html`Sent with${sent}`}</p>`
}

function fieldList(title: string, note: string, rows: readonly FieldRow[], source: string): Markup | null {
  if (rows.length === 0) return null
  return html`<h4>${title}${note && html` <small>${note}</small>`}</h4>${fieldRows(rows, source)}`
}

function fieldRows(rows: readonly FieldRow[], source: string | null = null): Markup {
  return html`<ul class="fields"${source !== null && html` data-in="${source}"`}>
${rows.map((row) => html`<li${source !== null && row.values.length > 0 && html` data-values="${row.values.join(', ')}"`}><p class="field-head"><code>${row.name}</code> <span class="type">${row.type}</span>${presence(row, source !== null)}</p>${about(row)}</li>\n`)}</ul>`
}

function presence({ required }: FieldRow, isInput: boolean): Markup | null {
  if (isInput && required) return html` <span class="required">required</span>`
  return required ? null : html` <span class="optional">optional</span>`
}

function about(row: FieldRow): Markup | null {
  const text = aboutField(row)
  return text === '' ? null : html`<p class="note">${words(text)}</p>`
}

function replyFields(reply: ReplyView): Markup {
  const { spec, types, rows } = reply
  const notes = [spec.description, spec.schema ? '' : types.join(', ')].filter((text) => text).join(', ')
  return html`<h4>Reply ${statusPill(spec.status)} <small>${words(notes || statusText(spec.status))}</small></h4>
${rows.length > 0 && fieldRows(rows)}
`
}

function replyExample({ spec, example }: ReplyView): Markup | null {
  if (!spec.schema) return null
  const title = html`Reply ${statusPill(spec.status)} ${statusText(spec.status)}`
  return codeBlock(title, JSON.stringify(example, null, 2), 'json')
}

const statusText = (status: number) => STATUS_CODES[status] ?? ''
