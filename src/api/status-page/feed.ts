import { hash } from 'node:crypto'
import { html } from '../../reference/markup.ts'
import { durationText, headlineOf, timeText } from './texts.ts'
import type { StatusView } from './view.ts'

interface Entry {
  readonly key: readonly unknown[]
  readonly title: string
  readonly text: string
  readonly published: string
  readonly updated: string
}

/** The date of a feed without entries, fixed because a feed changes only with its entries. */
const noEntry = '2026-01-01T00:00:00.000Z'
const titleLength = 80

/** XML allows no such characters, not even escaped. */
const plain = (text: string) => text.toWellFormed().replace(/[\p{Cc}--[\t\n]]|[\ufffe\uffff]/gv, '\ufffd')

const shortened = (text: string) => {
  const [line = ''] = text.split('\n')
  const characters = [...line]
  return characters.length > titleLength ? `${characters.slice(0, titleLength).join('')}…` : line
}

function entriesOf(view: StatusView): Entry[] {
  const named = (ids: readonly string[]) =>
    view.components.flatMap(({ id, label }) => (ids.includes(id) ? [label] : [])).join(', ')
  const { unknownSince: since } = view
  return [
    ...(since === null
      ? []
      : [
          {
            ...{ key: ['unknown', since], published: since, updated: since },
            ...{ title: headlineOf(view), text: 'The status worker cannot be reached.' },
          },
        ]),
    ...view.incidents.map(({ component, startedAt, resolvedAt }) => ({
      ...{ key: ['incident', component, startedAt], published: startedAt, updated: resolvedAt ?? startedAt },
      title: `${named([component])} ${resolvedAt === null ? 'does not respond' : 'responds again'}`,
      text:
        resolvedAt === null
          ? `Since ${timeText(startedAt)}.`
          : `It did not respond for ${durationText(startedAt, resolvedAt)}, from ${timeText(startedAt)} until ${timeText(resolvedAt)}.`,
    })),
    ...view.maintenance.map(({ components, from, until, text }) => ({
      // The maintenance may have been announced long before it begins; when is not known here.
      ...{ key: ['maintenance', components, from], published: from, updated: from },
      title: `Maintenance of ${named(components)}`,
      text: `${timeText(from)} until ${timeText(until)}.${text === null ? '' : ` ${text}`}`,
    })),
    ...view.announcements.map(({ text, from }) => ({
      ...{ key: ['announcement', from, text], published: from, updated: from },
      ...{ title: shortened(text), text },
    })),
  ].sort((a, b) => (a.updated < b.updated ? 1 : -1))
}

export function printFeed(view: StatusView, baseUrl: string): string {
  const entries = entriesOf(view)
  const page = `${baseUrl}/status`
  const printed = entries.map(
    ({ key, title, text, published, updated }) => html`<entry>
<id>${page}#${hash('sha256', JSON.stringify(key)).slice(0, 32)}</id>
<title>${plain(title)}</title>
<link href="${page}"/>
<published>${published}</published>
<updated>${updated}</updated>
<content type="text">${plain(text)}</content>
</entry>
`,
  )
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>Status</title>
<author><name>Status</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl}/status.atom"/>
<link rel="alternate" type="text/html" href="${page}"/>
<updated>${entries[0]?.updated ?? noEntry}</updated>
${printed}</feed>
`.text
}
