import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { printFeed } from '../../../src/api/status-page/feed.ts'
import { fromOlderWorker, unknownView, viewOf } from '../../../src/api/status-page/view.ts'
import { noon, type Summary, summaryComponent, summaryOf } from './stage.ts'

const named = [{ id: 'a', label: 'Website', group: null }]
const at = (time: string) => `2026-06-${time}:00.000Z`
const period = (status: Summary['periods'][number]['status'], startedAt: string, endedAt: string | null) => ({
  componentId: 'a',
  status,
  startedAt,
  detectedAt: startedAt,
  endedAt,
  updates: [],
})

/** Title, published and updated of each entry; the date of the feed comes last. */
function datesOf(found: Summary) {
  const text = printFeed(viewOf(named, found), 'https://example.org', 'Status')
  const of = (entry: string, name: string) => new RegExp(`<${name}>(.*?)</${name}>`).exec(entry)?.[1]
  const [head = '', ...entries] = text.split('<entry>')
  const dates = entries.map((entry) => [of(entry, 'title'), of(entry, 'published'), of(entry, 'updated')])
  return { dates, feed: of(head, 'updated'), ids: entries.map((entry) => of(entry, 'id')) }
}

describe('The Atom feed', () => {
  const window = {
    id: 'w',
    components: ['a'],
    until: at('09T00:00'),
    text: null,
    revision: 0,
    state: 'planned' as const,
  }
  const announcement = { id: 'n', until: null, state: 'active' as const }
  const found: Summary = {
    ...summaryOf([summaryComponent('a')], 0),
    periods: [
      { ...period('outage', at('01T10:59'), null), detectedAt: at('01T11:00') },
      period('degraded', at('01T10:50'), at('01T11:00')),
      // The clock was set back after this one.
      period('partial', at('01T10:00'), at('01T12:30')),
    ],
    maintenance: [
      { ...window, from: at('08T00:00'), announcedAt: at('01T09:00') },
      { ...window, from: at('07T00:00'), announcedAt: null },
      { ...window, from: at('01T08:00'), announcedAt: null, state: 'active' },
    ],
    announcements: [
      { ...announcement, text: 'planned', from: at('01T07:00'), announcedAt: at('01T01:00') },
      { ...announcement, text: 'dated back', from: at('01T01:00'), announcedAt: at('01T06:00') },
      { ...announcement, text: 'old worker', from: at('01T05:00'), announcedAt: null },
    ],
  }

  it('dates what it says by when that was published, never in the future', () => {
    const { dates, feed } = datesOf(found)
    assert.deepEqual(dates, [
      ['Website: Partial outage (ended)', at('01T10:00'), noon],
      ['Website: Outage', at('01T11:00'), at('01T11:00')],
      ['Website: Degraded (ended)', at('01T10:50'), at('01T11:00')],
      ['Maintenance of Website', at('01T09:00'), at('01T09:00')],
      ['Maintenance of Website', at('01T08:00'), at('01T08:00')],
      ['planned', at('01T07:00'), at('01T07:00')],
      ['dated back', at('01T06:00'), at('01T06:00')],
      ['old worker', at('01T05:00'), at('01T05:00')],
      // When a worker of version 0.2 does not say it, a fixed date in the past.
      ['Maintenance of Website', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'],
    ])
    assert.equal(feed, noon)
  })

  it('keeps the id of an entry when it ends, and has a different one for each entry', () => {
    const { ids } = datesOf(found)
    assert.equal(new Set(ids).size, ids.length)
    const idOf = (endedAt: string | null) =>
      datesOf({ ...summaryOf([], 0), periods: [period('partial', at('01T10:00'), endedAt)] }).ids
    assert.deepEqual(idOf(null), idOf(at('01T11:00')))
  })

  it('says since when the worker cannot be reached, and has a fixed date while it is empty', () => {
    const text = printFeed(unknownView(named, noon, at('01T11:30')), 'https://example.org', 'Status')
    assert.match(text, /<updated>2026-06-01T11:30:00\.000Z<\/updated>\n<entry>/)
    assert.equal(datesOf(summaryOf([], 0)).feed, '2026-01-01T00:00:00.000Z')
  })
})

describe('A worker of version 0.2', () => {
  it('tells of silence alone', () => {
    const { periods: _, ...older } = { ...summaryOf([summaryComponent('a')], 0) }
    const incidents = [{ incidentId: 'i', componentId: 'a', startedAt: at('01T11:00'), resolvedAt: null }]
    const view = viewOf(named, fromOlderWorker({ ...older, incidents }))
    assert.deepEqual(view.incidents, [
      {
        id: 'a-20260601110000000',
        component: 'a',
        status: 'outage',
        startedAt: at('01T11:00'),
        detectedAt: at('01T11:00'),
        resolvedAt: null,
        updates: [],
      },
    ])
  })
})
