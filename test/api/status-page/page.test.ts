import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { printFeed } from '../../../src/api/status-page/feed.ts'
import { printStatusPage } from '../../../src/api/status-page/page.ts'
import { unknownView, viewOf } from '../../../src/api/status-page/view.ts'
import { publicComponents } from '../../../src/config/status-page.ts'
import { hostile, noon, summaryComponent, summaryOf } from './stage.ts'

const named = (...ids: readonly string[]) => ids.map((id) => ({ id, label: `The ${id}`, group: null }))

describe('The status page', () => {
  it('shows the worst state of all, and never green while one is unknown', () => {
    for (const [states, overall] of [
      [['operational', 'operational'], 'operational'],
      [['operational', 'maintenance'], 'maintenance'],
      [['maintenance', 'degraded'], 'degraded'],
      [['degraded', 'partial'], 'partial'],
      [['outage', 'maintenance'], 'outage'],
      [['operational'], 'unknown'],
      [['maintenance'], 'unknown'],
      [['outage'], 'outage'],
    ] as const) {
      const found = summaryOf(states.map((state, index) => summaryComponent(`c${index}`, state)))
      assert.equal(viewOf(named('c0', 'c1'), found).state, overall, String(states))
    }
    assert.equal(viewOf([], summaryOf([])).state, 'unknown')
  })

  it('rounds uptimes down, so that 100 % means never down, and shows no uptime without data', () => {
    const component = { ...summaryComponent('a'), days: [{ day: '2026-06-01', upSeconds: 1e9, downSeconds: 1 }] }
    const [first, second] = viewOf(named('a', 'b'), summaryOf([component])).components
    assert.deepEqual(first?.uptimePercent, { days7: 99.99, days30: 99.99, days90: 99.99 })
    assert.deepEqual([first?.days.length, first?.days[0]?.uptimePercent], [90, null])
    assert.deepEqual(second?.uptimePercent, { days7: null, days30: null, days90: null })
  })

  it('stays under 30 kB with the maximum number of components and texts, however hostile', () => {
    const ids = Array.from({ length: 30 }, (_, index) => `c${index}`)
    const components = ids.map((id) => ({ id, label: `'"&<>`.repeat(8), group: `<${id}>` }))
    const found = summaryOf(ids.map((id) => summaryComponent(id)))
    const long = { text: `'`.repeat(500) }
    const many = {
      ...found,
      maintenance: Array.from({ length: 20 }, () => ({ ...summaryOf([]).maintenance[0], ...long, components: ids })),
      announcements: Array.from({ length: 20 }, () => ({ ...summaryOf([]).announcements[0], ...long })),
    } as typeof found
    const page = printStatusPage(viewOf(components, many))
    assert.ok(Buffer.byteLength(page) < 30_000, String(Buffer.byteLength(page)))
    assert.equal(page.match(/<h3>/g)?.length, 30)
  })

  it('shows hostile texts as text, and no id that was not named public; so does its feed', () => {
    const view = viewOf(named('a'), summaryOf([summaryComponent('a')]))
    for (const text of [printStatusPage(view), printFeed(view, 'https://example.org')]) {
      assert.doesNotMatch(text, /<img|<script|-id\b/)
      assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt; \u202egnp.exe \'so\' "so" &amp;'), text)
    }
    assert.ok(JSON.stringify(view).includes(JSON.stringify(hostile)))
  })

  it('has a tooltip for each bar, and an alternative text that names the worst days', () => {
    const component = summaryComponent('a')
    const days = component.days.map((day, index) => ({ ...day, downSeconds: index === 3 ? 86_400 : 0 }))
    const page = printStatusPage(viewOf(named('a'), summaryOf([{ ...component, days }])))
    assert.equal(page.match(/<path class="\w+" d="[^"]+"><title>2026-\d\d-\d\d: \d+(\.\d+)? %<\/title>/g)?.length, 90)
    assert.match(page, /90 days: 98\.\d+\u00a0%/)
    assert.match(
      page,
      /role="img" aria-label="Uptime of The a in 90 days: 98\.\d+ %\. Below 100 %: 2026-03-07 48\.\d+ %\."/,
    )
  })

  it('shows nothing from memory while the worker cannot be reached', () => {
    const page = printStatusPage(unknownView(named('a'), noon, '2026-06-01T11:00:00.000Z'))
    assert.match(page, /<h1>Status unknown since 2026-06-01 11:00 UTC<\/h1>/)
    assert.doesNotMatch(page, /operational|100 %|<svg class="bars"/i)
  })
})

describe('STATUS_PAGE_COMPONENTS', () => {
  it('names components with label and group, each once', () => {
    assert.deepEqual(publicComponents.read(' api = Website/Frontend , db=Große Datenbank / Storage, jobs=Jobs,x.y-z'), [
      { id: 'api', label: 'Website', group: 'Frontend' },
      { id: 'db', label: 'Große Datenbank', group: 'Storage' },
      { id: 'jobs', label: 'Jobs', group: null },
      { id: 'x.y-z', label: 'x.y-z', group: null },
    ])
    for (const text of [
      ...[
        '',
        ',',
        'api,',
        'api=',
        'api=/',
        'api=Website/',
        'api=/Frontend',
        'api=a/b/c',
        'a b=c',
        'api=a=b',
        '__proto__',
      ],
      ...['api=a,api=b', `api=${'x'.repeat(41)}`, 'api=a\u202eb', 'api=a\u0000b', 'api=a\nb'],
      Array.from({ length: 31 }, (_, index) => `c${index}`).join(','),
    ])
      assert.equal(publicComponents.read(text), undefined, JSON.stringify(text))
  })
})
