import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { alertOf } from '../../../src/drivers/status-pages/alerts.ts'
import type { Notice } from '../../../src/status/publication.ts'
import { noticeOf } from './status-pages.contract.ts'

const several = (count: number, values: Partial<Notice> = {}) =>
  Array.from({ length: count }, (_, n) => noticeOf({ componentId: `c${n}`, ...values }))

describe('A message about several components', () => {
  it('names each with what happened and when, outages first', () => {
    const up = noticeOf({ componentId: 'web', status: 'operational', previousStatus: 'outage' })
    const still = noticeOf({ componentId: 'queue', status: 'partial', previousStatus: 'partial' })
    const silent = noticeOf({ componentId: 'backup', source: 'silence' })
    assert.deepEqual(alertOf([up, still, silent, noticeOf({ status: 'partial' })]), {
      title: '[DOWN] 2 components, [STILL DOWN] 1 component, [UP] 1 component',
      text: [
        'backup: no heartbeat, due at 2026-06-01T11:59:00Z',
        'api: partial since 2026-06-01T11:59:00Z',
        'queue: partial since 2026-06-01T11:59:00Z',
        'web: up since 2026-06-01T11:59:00Z',
      ].join('\n'),
      isDown: true,
    })
    const over = noticeOf({ status: 'operational', previousStatus: 'operational', downSince: up.reportedAt - 60_000 })
    const from = '2026-06-01T11:58:00'
    assert.deepEqual(alertOf([over]), {
      ...{ title: '[UP] api', isDown: false },
      text: `It was down from ${from}.000Z until 2026-06-01T11:59:00.000Z.`,
    })
    assert.match(alertOf([up, over]).text, RegExp(`\napi: down from ${from}Z until 2026-06-01T11:59:00Z$`))
    assert.equal(alertOf([up, { ...up, componentId: 'api' }]).isDown, false)
  })

  it('names up to 20 and counts the others, in fewer than 2,000 characters', () => {
    const { title, text } = alertOf(several(1_000))
    assert.equal(title, '[DOWN] 1000 components')
    assert.deepEqual([text.split('\n').length, text.split('\n').at(-1)], [21, 'and 980 more'])
    const long = alertOf(several(20).map((each, n) => ({ ...each, componentId: String(n).padEnd(64, 'x') })))
    const [lines, last] = [long.text.split('\n'), long.text.split('\n').at(-1)]
    assert.ok(long.title.length + long.text.length < 1_950)
    assert.equal(last, `and ${20 - lines.length + 1} more`)
    assert.doesNotMatch(alertOf(several(20)).text, /more/)
  })
})
