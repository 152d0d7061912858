import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { alertOf, type Style } from '../../../src/drivers/status-pages/alerts.ts'
import { inDiscord, plain } from '../../../src/drivers/status-pages/escape.ts'
import type { Notice } from '../../../src/status/publication.ts'
import { noticeOf } from './status-pages.contract.ts'

const several = (count: number, values: Partial<Notice> = {}) =>
  Array.from({ length: count }, (_, n) => noticeOf({ componentId: `c${n}`, ...values }))

const style: Style = {
  names: { labelOf: (id) => (id === 'api' ? 'Website' : id), linkOf: () => null },
  escapeText: plain,
  template: null,
  hasButtons: false,
}
const base = 'https://zoo.example.org'
const linked: Style = { ...style, names: { ...style.names, linkOf: () => `${base}/status` } }
const told = (values: Partial<Notice>, as: Style = style) => alertOf([noticeOf(values)], as).text
const at = '2026-06-01 11:59:00 UTC'
const { reportedAt } = noticeOf()

describe('A message about one component', () => {
  it('has its label, what happened, the message of the heartbeat, and since when', () => {
    const outage = alertOf([noticeOf({ message: 'exit code 3' })], style)
    assert.deepEqual(outage, {
      title: '[DOWN] Website',
      isDown: true,
      links: [],
      text: `It reported outage at ${at}. Message: exit code 3`,
    })
    assert.equal(
      told({ source: 'silence', message: 'copied 3 of 9' }),
      `No heartbeat; it was due at ${at}. Last message: copied 3 of 9`,
    )
    assert.equal(told({ previousStatus: 'outage' }), `Its status has been outage since ${at}.`)
  })

  it('of an outage that was reported and then became silent has the report, its beginning, and the silence', () => {
    const silentSince = reportedAt + 10_000
    const values = { previousStatus: 'outage', message: 'exit code 5: broken', silentSince } as const
    assert.equal(
      told(values),
      `Down since ${at}. No further heartbeat; it was due at 2026-06-01 11:59:10 UTC. Message: exit code 5: broken`,
    )
    assert.match(
      alertOf([noticeOf(values), noticeOf({ componentId: 'db' })], style).text,
      /^Website: down since 2026-06-01 11:59:00 UTC, no further heartbeat, due at 2026-06-01 11:59:10 UTC; exit code 5: broken$/m,
    )
  })

  it('of a run that did not end in time says so, and nothing of a heartbeat', () => {
    const lostRun = 'The run of 2026-06-01 11:58:48 UTC did not end within 12 s'
    const lost = { source: 'silence', message: lostRun, lostRun } as const
    const acknowledged = { by: 'mia', at: reportedAt }
    const reported = { lostRun, message: 'exit code 5', silentSince: reportedAt + 10_000 }
    assert.equal(told(lost), `${lostRun}.`)
    assert.equal(told({ ...lost, previousStatus: 'outage' }), `${lostRun}.`)
    assert.equal(told({ ...lost, acknowledged }), `Acknowledged by mia at ${at}; outage since ${at}. ${lostRun}.`)
    assert.equal(told(reported), `Down since ${at}. ${lostRun}. Message: exit code 5`)
    const linesOf = (...values: Partial<Notice>[]) => alertOf(values.map(noticeOf), style).text.split('\n')
    const since = 'since 2026-06-01 11:59:00 UTC'
    const run = 'the run of 2026-06-01 11:58:48 UTC did not end within 12 s'
    assert.deepEqual(linesOf(lost, { ...lost, acknowledged }, reported), [
      `Website: outage ${since}, ${run}`,
      `Website: down ${since}, ${run}; exit code 5`,
      `Website: acknowledged by mia, outage ${since}, ${run}`,
    ])
    assert.equal(told(lost, { ...style, template: ['longrun: ', { field: 'message' }] }), `longrun: ${lostRun}`)
  })

  it('of a recovery has for how long it was down', () => {
    const downSince = reportedAt - 3_900_000
    const { title, text, isDown } = alertOf([noticeOf({ status: 'operational', downSince })], style)
    assert.deepEqual([title, isDown], ['[UP] Website', false])
    assert.equal(text, `Up again since ${at}. It was down for 1 h 5 min, since 2026-06-01 10:54:00 UTC.`)
    assert.match(told({ status: 'operational', downSince: reportedAt + 5_000 }), /down for 0 s/)
  })

  it('says that it may be a repetition', () => {
    assert.match(told({ mayRepeat: true }), /Possibly repeated/)
    assert.match(alertOf(several(2, { mayRepeat: true }), style).text, /c0: .*\(possibly repeated\)\n/)
  })

  it('has links of BASE_URL alone: to the page, and one that acknowledges', () => {
    const acknowledgeUrl = `${base}/acknowledge/abc`
    const { links } = alertOf([noticeOf({ acknowledgeUrl })], linked)
    assert.deepEqual(links, [
      { name: 'Details', url: `${base}/status` },
      { name: 'Acknowledge', url: acknowledgeUrl },
    ])
    assert.match(told({ acknowledgeUrl }, linked), RegExp(`\nDetails: ${base}/status\nAcknowledge: ${acknowledgeUrl}$`))
    assert.doesNotMatch(told({ acknowledgeUrl }, { ...linked, hasButtons: true }), /http/)
  })

  it('has the message on one line, shortened, without characters that turn its direction', () => {
    const text = told({ message: `a\n[UP] api\u202e\u0000${'x'.repeat(500)}` })
    assert.match(text, /Message: a \[UP\] api x+…$/)
    assert.ok(text.length < 400)
  })
})

describe('A message about several components', () => {
  it('names each with what happened and when, outages first', () => {
    const up = noticeOf({ componentId: 'web', status: 'operational', previousStatus: 'outage' })
    const still = noticeOf({ componentId: 'queue', status: 'partial', previousStatus: 'partial' })
    const silent = noticeOf({ componentId: 'backup', source: 'silence', message: 'exit code 1' })
    const taken = noticeOf({ componentId: 'db', acknowledged: { by: 'mia', at: reportedAt } })
    const { links: _, ...message } = alertOf([up, still, taken, silent, noticeOf({ status: 'partial' })], style)
    assert.deepEqual(message, {
      title: '[DOWN] 2 components, [STILL DOWN] 1 component, [ACKNOWLEDGED] 1 component, [UP] 1 component',
      text: [
        'backup: no heartbeat, due at 2026-06-01 11:59:00 UTC; exit code 1',
        'Website: partial since 2026-06-01 11:59:00 UTC',
        'queue: partial since 2026-06-01 11:59:00 UTC',
        'db: acknowledged by mia, outage since 2026-06-01 11:59:00 UTC',
        'web: up since 2026-06-01 11:59:00 UTC',
      ].join('\n'),
      isDown: true,
    })
    const over = noticeOf({ status: 'operational', downSince: reportedAt - 60_000 })
    assert.match(alertOf([up, over], style).text, /\nWebsite: up since 2026-06-01 11:59:00 UTC, down for 1 min$/)
    assert.equal(alertOf([up, { ...up, componentId: 'api' }], style).isDown, false)
  })

  it('names up to 20 and counts the others, in fewer than 2,000 characters, links and escapes included', () => {
    const { title, text } = alertOf(several(1_000), style)
    assert.equal(title, '[DOWN] 1000 components')
    assert.deepEqual([text.split('\n').length, text.split('\n').at(-1)], [21, 'and 980 more'])
    const hostile = { message: '*_'.repeat(100), acknowledgeUrl: `${base}/acknowledge/${'x'.repeat(43)}` }
    for (const count of [5, 20]) {
      const notices = several(count, count === 5 ? hostile : { message: hostile.message }).map((each, n) => ({
        ...each,
        componentId: String(n).padEnd(64, '_'),
      }))
      const long = alertOf(notices, { ...linked, escapeText: inDiscord })
      assert.ok(long.title.length + long.text.length < 1_950, `${long.text.length}`)
      assert.match(long.text, /\nand \d+ more/)
      assert.equal(long.links.length, count === 5 ? 6 : 1)
    }
    assert.doesNotMatch(alertOf(several(20), style).text, /more/)
  })
})
