import { hash } from 'node:crypto'
import { html } from '../../reference/markup.ts'
import { headlineText } from './headline.ts'
import { durationText, english, fillText, timeText } from './texts/texts.ts'
import type { StatusView } from './view.ts'

interface Entry {
  /** The incident that has a page of its own. */
  readonly incident?: string
  readonly key: readonly unknown[]
  readonly title: string
  readonly text: string
  readonly published: string
  readonly updated: string
}

/** For what has no date of its own. Fixed, because a feed changes only with its entries. */
const noDate = '2026-01-01T00:00:00.000Z'
const titleLength = 80

/** XML allows no such characters, not even escaped. */
const plain = (text: string) => text.toWellFormed().replace(/[\p{Cc}--[\t\n]]|[\ufffe\uffff]/gv, '\ufffd')

const shortened = (text: string) => {
  const [line = ''] = text.split('\n')
  const characters = [...line]
  return characters.length > titleLength ? `${characters.slice(0, titleLength).join('')}…` : line
}

const at = (time: string) => ({ published: time, updated: time })
const earlier = (a: string, b: string) => (a < b ? a : b)
const later = (a: string, b: string) => (a < b ? b : a)

const descending = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1)

const sinceOrLasted = (startedAt: string, resolvedAt: string | null) =>
  resolvedAt === null
    ? `Since ${timeText(startedAt)}.`
    : `It lasted ${durationText(english, startedAt, resolvedAt)}, from ${timeText(startedAt)} until ${timeText(resolvedAt)}.`

/** The newest first. */
const written = (updates: StatusView['incidents'][number]['updates']) =>
  updates
    .map(({ at, stage, text }) => `${english.stages[stage]}, ${timeText(at)}: ${text}`)
    .reverse()
    .join('\n\n')

/** Dated when they were published, and never in the future: the worker's clock may have been set back. */
function entriesOf(view: StatusView): Entry[] {
  const named = (ids: readonly string[]) =>
    view.components.flatMap(({ id, label }) => (ids.includes(id) ? [label] : [])).join(', ')
  const { unknownSince: since } = view
  return [
    ...(since === null
      ? []
      : [
          {
            key: ['unknown', since],
            published: since,
            updated: since,
            title: headlineText(view, english),
            text: 'The status worker cannot be reached.',
          },
        ]),
    ...view.writtenIncidents.map(({ id, title, status, startedAt, resolvedAt, updates }) => ({
      key: ['written', id],
      incident: id,
      published: updates[0]?.at ?? startedAt,
      updated: later(resolvedAt ?? startedAt, updates.at(-1)?.at ?? startedAt),
      title: `${title}: ${english.states[status]}${resolvedAt === null ? '' : ' (ended)'}`,
      text: [written(updates), sinceOrLasted(startedAt, resolvedAt)].filter((part) => part !== '').join('\n\n'),
    })),
    ...view.incidents.map(({ id, component, status, startedAt, detectedAt, resolvedAt, updates }) => ({
      incident: id,
      // An outage has the key that it had in version 0.2.
      key: ['incident', component, startedAt, ...(status === 'outage' ? [] : [status])],
      published: detectedAt,
      updated: later(updates.at(-1)?.at ?? detectedAt, later(resolvedAt ?? detectedAt, detectedAt)),
      title: `${named([component])}: ${english.states[status]}${resolvedAt === null ? '' : ' (ended)'}`,
      text: [written(updates), sinceOrLasted(startedAt, resolvedAt)].filter((part) => part !== '').join('\n\n'),
    })),
    ...view.maintenance.map(({ components, from, until, text, announcedAt }) => ({
      key: ['maintenance', components, from],
      ...at(announcedAt ?? (from <= view.at ? from : noDate)),
      title: fillText(english.maintenanceOf, { names: named(components) }),
      text: `${timeText(from)} until ${timeText(until)}.${text === null ? '' : ` ${text}`}`,
    })),
    ...view.announcements.map(({ text, from, announcedAt }) => ({
      // It may have been planned, or dated back.
      key: ['announcement', from, text],
      ...at(later(from, announcedAt ?? from)),
      title: shortened(text),
      text,
    })),
  ]
    .map((entry) => ({
      ...entry,
      published: earlier(entry.published, view.at),
      updated: earlier(entry.updated, view.at),
    }))
    .sort((a, b) => descending(a.updated, b.updated) || descending(a.published, b.published))
}

export function printFeed(view: StatusView, baseUrl: string, title: string): string {
  const entries = entriesOf(view)
  const page = `${baseUrl}/status`
  const printed = entries.map(
    ({ key, incident, title, text, published, updated }) => html`<entry>
<id>${page}#${hash('sha256', JSON.stringify(key)).slice(0, 32)}</id>
<title>${plain(title)}</title>
<link href="${page}${incident === undefined ? '' : `/incidents/${incident}`}"/>
<published>${published}</published>
<updated>${updated}</updated>
<content type="text">${plain(text)}</content>
</entry>
`,
  )
  return html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>${title}</title>
<author><name>${title}</name></author>
<link rel="self" type="application/atom+xml" href="${baseUrl}/status.atom"/>
<link rel="alternate" type="text/html" href="${page}"/>
<updated>${entries[0]?.updated ?? noDate}</updated>
${printed}</feed>
`.text
}
