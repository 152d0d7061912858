import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { printFeed } from '../../../src/api/status-page/feed.ts'
import { headlineText } from '../../../src/api/status-page/headline.ts'
import { printHistoryPage, printIncidentPage } from '../../../src/api/status-page/incident-page.ts'
import { findIncident } from '../../../src/api/status-page/incidents.ts'
import { joined } from '../../../src/api/status-page/join-summaries.ts'
import { printStatusPage } from '../../../src/api/status-page/page.ts'
import { statuspageOf } from '../../../src/api/status-page/statuspage.ts'
import { english } from '../../../src/api/status-page/texts/english.ts'
import { german } from '../../../src/api/status-page/texts/german.ts'
import { textsFor } from '../../../src/api/status-page/texts/texts.ts'
import { type StatusView, type Summary, unknownView, viewOf } from '../../../src/api/status-page/view.ts'
import { publicComponents } from '../../../src/config/status-page.ts'
import { hostile, noon, summaryComponent, summaryOf } from './stage.ts'

const named = (...ids: readonly string[]) => ids.map((id) => ({ id, label: `The ${id}`, group: null }))
const settings = { title: null, description: null, link: null, color: null, logo: null }
const spec = { settings, texts: english, integrity: 'sha256-x' }
const compress = async (text: string) => gzipSync(text)
const print = (view: StatusView, more: object = {}) => printStatusPage(view, { ...spec, ...more }, compress)

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

  it('shows response times in the words of the language, and none that nobody sent', async () => {
    const known = { ...summaryComponent('a'), responseMs: { days7: 4.5, days30: 120.4, days90: 1_234 } }
    const view = viewOf(named('a', 'b'), summaryOf([known, summaryComponent('b')]))
    assert.deepEqual(view.components[0]?.responseMs, known.responseMs)
    for (const [texts, shown] of [
      [
        english,
        'Response time: 7\u00a0days:\u00a04.5\u00a0ms · 30\u00a0days:\u00a0120\u00a0ms · 90\u00a0days:\u00a01234\u00a0ms',
      ],
      [
        german,
        'Antwortzeit: 7\u00a0Tage:\u00a04,5\u00a0ms · 30\u00a0Tage:\u00a0120\u00a0ms · 90\u00a0Tage:\u00a01234\u00a0ms',
      ],
    ] as const) {
      const page = await print(view, { texts })
      assert.equal(page.split(shown).length, 2, shown)
      assert.equal(page.split(shown.slice(0, 8)).length, 2)
    }
  })

  it('shows windows that say the same as one entry, with the earliest time and the number of the others', async () => {
    const [window] = summaryOf([summaryComponent('a')]).maintenance
    const at = (day: number) => ({ ...window, id: `${day}`, from: `2026-07-0${day}T03:00:00.000Z`, text: 'Weekly' })
    const windows = [at(2), at(1), at(3), { ...at(4), text: 'Once' }] as (typeof window & object)[]
    const found = { ...summaryOf([summaryComponent('a')]), maintenance: windows }
    for (const [texts, more] of [
      [english, '(and 2 more)'],
      [german, '(und 2 weitere)'],
    ] as const) {
      const page = await print(viewOf(named('a'), found), { texts })
      assert.deepEqual(page.match(/2026-07-0\dT03/g), ['2026-07-01T03', '2026-07-04T03'])
      assert.equal(page.split(more).length, 2)
      assert.equal(page.split('Weekly').length, 2)
    }
  })

  it('says by its headline how much is concerned', () => {
    for (const [states, headline] of [
      [['operational', 'operational'], 'All systems operational'],
      [['outage', 'operational'], 'Partial outage'],
      [['outage', 'outage'], 'Major outage'],
      [['outage'], 'Partial outage'],
      [['partial', 'operational'], 'Partial outage'],
      [['partial', 'partial'], 'Partial outage'],
      [['degraded', 'operational'], 'Degraded performance'],
      [['maintenance', 'operational'], 'Partly under maintenance'],
      [['maintenance', 'maintenance'], 'Under maintenance'],
      [['operational'], 'Some states are unknown'],
      [[], 'The state is unknown'],
    ] as const) {
      const found = summaryOf(states.map((state, index) => summaryComponent(`c${index}`, state)))
      assert.equal(headlineText(viewOf(named('c0', 'c1'), found), english), headline, String(states))
    }
    assert.equal(headlineText(viewOf([], summaryOf([])), english), 'No component is public')
  })

  const worst = (count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `c${index}`)
    const components = ids.map((id) => ({ id, label: `'"&<>`.repeat(8), group: `<${id}>` }))
    const found = summaryOf(ids.map((id, index) => summaryComponent(id, 'operational', index)))
    // As many different characters as fit, so that nothing compresses well.
    const long = (from: number) => ({
      text: String.fromCodePoint(
        ...Array.from({ length: 500 }, (_, at) => 0x4e00 + (((from * 500 + at) * 37) % 20_000)),
      ),
    })
    const many = {
      ...found,
      maintenance: Array.from({ length: 20 }, (_, at) => ({
        ...summaryOf([]).maintenance[0],
        ...long(at),
        components: ids,
      })),
      announcements: Array.from({ length: 20 }, (_, at) => ({ ...summaryOf([]).announcements[0], ...long(20 + at) })),
    } as typeof found
    return viewOf(components, many)
  }

  it('takes at most 40 kB over the wire, with up to 200 components and the longest texts', async () => {
    for (const count of [30, 100, 200]) {
      const page = await print(worst(count))
      assert.ok(gzipSync(page).length <= 39_000, `${count}: ${gzipSync(page).length}`)
      assert.ok(Buffer.byteLength(page) <= 400_000, `${count}: ${Buffer.byteLength(page)}`)
      assert.equal(page.match(/<h3>/g)?.length, count)
      if (count === 100) assert.match(page, /class="some" d="(M\d+ 0\.25H\d+V1H\d+){70,}"/, 'a bar for each day')
    }
    const days = await print(viewOf(named('a', 'b'), summaryOf([summaryComponent('a'), summaryComponent('b')])))
    assert.equal(days.match(/<path class="\w+" d="[^"]+"><title>/g)?.length, 180, 'with tooltips where there is room')
  })

  it('is joined from summaries of some components each', () => {
    const parts = [summaryOf([summaryComponent('a')]), summaryOf([summaryComponent('b')])]
    const whole = summaryOf([summaryComponent('a'), summaryComponent('b')])
    const { periods } = joined(parts)
    assert.deepEqual({ ...joined(parts), periods: [] }, { ...whole, periods: [] })
    assert.deepEqual(
      periods.map(({ componentId, status }) => [componentId, status]),
      [...['a', 'b'].map((id) => [id, 'outage']), ...['a', 'b'].map((id) => [id, 'degraded'])],
    )
  })

  it('says how many components are affected, or the service as a whole', async () => {
    const found = summaryOf([summaryComponent('a', 'outage'), summaryComponent('b')])
    const [incident] = found.written
    assert.ok(incident)
    const ofAll = { ...found, written: [{ ...incident, components: [], resolvedAt: null }] }
    for (const [texts, share, whole] of [
      [english, 'Components affected: 1 of 2.', 'The service as a whole is affected.'],
      [german, 'Betroffene Komponenten: 1 von 2.', 'Der Dienst als Ganzes ist betroffen.'],
    ] as const) {
      const [some, all] = [
        await print(viewOf(named('a', 'b'), found), { texts }),
        await print(viewOf(named('a', 'b'), ofAll), { texts }),
      ]
      assert.deepEqual([some.includes(share), some.includes(whole)], [true, false])
      assert.deepEqual([all.includes(share), all.includes(whole)], [false, true])
    }
  })

  it('lists an outage once, if somebody opened an incident about it that is as bad and lasted as long', async () => {
    const [first] = summaryOf([]).written
    assert.ok(first)
    const [four, five, six, seven] = [4, 5, 6, 7].map((hour) => `2026-06-01T0${hour}:00:00.000Z`)
    const updates = [{ at: five, stage: 'identified', text: 'A disk' }]
    const listed = async (outage: readonly unknown[], opened: readonly unknown[], written = {}, period = {}) => {
      const [startedAt, endedAt] = outage
      const own = { componentId: 'a', status: 'partial', detectedAt: startedAt, startedAt, endedAt, updates: [] }
      const [from, resolvedAt] = opened
      const about = { ...first, components: ['a', 'b'], level: 'partial', startedAt: from, resolvedAt }
      const view = viewOf(named('a', 'b'), {
        ...summaryOf([summaryComponent('a')]),
        periods: [{ ...own, ...period }],
        written: [{ ...about, ...written }],
      } as never)
      const id = view.incidents[0]?.id as string
      assert.ok(findIncident(view, id), 'its address stays')
      const isLasting = endedAt === null
      const onPage = (await print(view)).includes(`status/incidents/${id}"`)
      const inHistory = printHistoryPage(view, spec).includes(`status/incidents/${id}"`)
      const { incidents, page } = statuspageOf(view, { title: 'x', baseUrl: 'http://x' })
      assert.equal(inHistory, onPage)
      assert.equal(
        incidents.some((each) => each.id === id),
        onPage && isLasting,
      )
      assert.ok(page.updated_at >= String(endedAt ?? startedAt), 'whether it is listed or not')
      return onPage
    }
    assert.equal(await listed([four, null], [five, null]), false)
    assert.equal(await listed([four, six], [five, null]), false)
    assert.equal(await listed([four, six], [five, seven]), false)
    assert.equal(await listed([four, null], [five, null], { level: 'outage' }), false)
    assert.equal(await listed([five, null], [four, null]), true, 'began later')
    assert.equal(await listed([four, five], [six, null]), true, 'was over before')
    assert.equal(await listed([four, null], [five, six]), true, 'lasts, and the incident is resolved')
    assert.equal(await listed([four, seven], [five, six]), true, 'lasted longer than the incident')
    assert.equal(await listed([four, null], [five, null], { level: 'degraded' }), true, 'is worse')
    assert.equal(await listed([four, null], [five, null], {}, { updates }), true, 'has updates of its own')
    assert.equal(await listed([four, null], [five, null], { components: ['b'] }), true, 'of another component')
    assert.equal(await listed([four, null], [five, null], { components: [] }), true, 'of the service as a whole')
  })

  it('counts only what is bad as affected while something is, and else what the headline says', async () => {
    const shareOf = async (...states: Summary['components'][number]['status'][]) => {
      const found = summaryOf(states.map((state, index) => summaryComponent(`c${index}`, state)))
      const view = viewOf(named(...states.map((_, index) => `c${index}`)), { ...found, written: [] })
      return /Components affected: ([^.]+)/.exec(await print(view))?.[1]
    }
    assert.equal(await shareOf('outage', 'maintenance', 'operational', 'degraded'), '2 of 4')
    assert.equal(await shareOf('maintenance', 'operational', 'operational'), '1 of 3')
    assert.equal(await shareOf('operational', 'operational'), undefined)
  })

  it('says of an outage that announced maintenance ended that it is under maintenance, not resolved', () => {
    const found = summaryOf([summaryComponent('a', 'maintenance')])
    const endedAt = found.components[0]?.since as string
    const period = { componentId: 'a', status: 'outage', startedAt: endedAt, detectedAt: endedAt, endedAt, updates: [] }
    const headingOf = (components: Summary['components']) => {
      const view = viewOf(named('a'), { ...found, components, written: [], periods: [period as never] })
      const [incident] = view.incidents
      const shown = findIncident(view, incident?.id as string)
      return /<h1>([^<]+)/.exec(printIncidentPage(view, spec, shown as never))?.[1]
    }
    assert.match(String(headingOf(found.components)), /: Maintenance$/i)
    assert.match(String(headingOf([summaryComponent('a')])), /: Resolved$/)
  })

  it('is in the language that its visitor prefers, without a word of another', async () => {
    for (const [header, texts] of [
      [undefined, english],
      ['', english],
      ['de', german],
      ['de-AT,de;q=0.9,en;q=0.8', german],
      ['en-GB, de', english],
      ['fr, de;q=0.5, en;q=0.4', german],
      ['de;q=0, en;q=0', english],
      ['DE_de;q=1', english],
      [`${'x'.repeat(8_000)},de;q=0.1`, german],
    ] as const)
      assert.equal(textsFor(header).language, texts.language, String(header).slice(0, 50))
    const view = viewOf(named('a', 'b'), summaryOf([summaryComponent('a', 'outage'), summaryComponent('b')]))
    const page = await print(view, { texts: german })
    assert.match(page, /<html lang="de">/)
    assert.match(page, /<h1>Teilausfall<\/h1>/)
    assert.match(page, /90\u00a0Tage:\u00a0\d+,\d+\u00a0%/)
    const words = (text: string) => [...text.matchAll(/\p{L}{4,}/gu)].map(([word]) => word)
    const known = new Set(words(JSON.stringify(german)))
    const onlyEnglish = words(JSON.stringify(english)).filter((word) => !known.has(word))
    const shown = new Set(words(page.replace(/<[^>]*>/g, ' ')))
    assert.deepEqual(
      onlyEnglish.filter((word) => shown.has(word)),
      [],
    )
  })

  it('shows hostile texts as text, and no id that was not named public; so does its feed', async () => {
    const view = viewOf(named('a'), summaryOf([summaryComponent('a')]))
    for (const text of [await print(view), printFeed(view, 'https://example.org', 'Status')]) {
      assert.doesNotMatch(text, /<img|<script(?! src="status\.js")|-id\b/)
      assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt; \u202egnp.exe \'so\' "so" &amp;'), text)
    }
    assert.ok(JSON.stringify(view).includes(JSON.stringify(hostile)))
  })

  it('has a tooltip for each bar, and an alternative text that names the worst days', async () => {
    const component = summaryComponent('a')
    const days = component.days.map((day, index) => ({ ...day, downSeconds: index === 3 ? 86_400 : 0 }))
    const page = await print(viewOf(named('a'), summaryOf([{ ...component, days }])))
    assert.equal(page.match(/<path class="\w+" d="[^"]+"><title>2026-\d\d-\d\d: \d+(\.\d+)? %<\/title>/g)?.length, 90)
    assert.match(page, /90\u00a0days:\u00a098\.\d+\u00a0%/)
    assert.match(
      page,
      /role="img" aria-label="Uptime of The a in 90 days: 98\.\d+ %\. Below 100 %: 2026-03-07 48\.\d+ %\."/,
    )
  })

  it('shows nothing from memory while the worker cannot be reached', async () => {
    const page = await print(unknownView(named('a'), noon, '2026-06-01T11:00:00.000Z'))
    assert.match(
      page,
      /<h1>Status unknown since <time datetime="2026-06-01T11:00:00\.000Z">2026-06-01 11:00 UTC<\/time><\/h1>/,
    )
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
      Array.from({ length: 201 }, (_, index) => `c${index}`).join(','),
    ])
      assert.equal(publicComponents.read(text), undefined, JSON.stringify(text))
  })
})
