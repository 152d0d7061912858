import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { acknowledged, acknowledgementOf, withNews, withoutPastMute } from '../../src/status/acknowledgement.ts'
import type { Target } from '../../src/status/publication.ts'
import { heartbeat, published, retryMs, silent } from './component-stage.ts'

const page: Target = { name: 'default', page: 'a page', isAlert: false }
const alert = (name: string): Target => ({ name, page: name, isAlert: true })
const choice = { targets: [page] }
const down = () => published(choice).wait(1_000).happen(heartbeat('outage'))
const rulesWith = (...targets: Target[]) => ({ ...down().rules, targets })

describe('An acknowledgement', () => {
  it('is of the present outage: who took it, when, and which alert channels are to be told', () => {
    const { component, now } = down()
    const taken = acknowledged(component, 'an owl', now, rulesWith(page, alert('mail'), alert('chat')))
    const news = { mail: 'waiting', chat: 'waiting' }
    assert.deepEqual(acknowledgementOf(taken), { by: 'an owl', at: now.wall, downAt: component.downAt, news })
    assert.deepEqual({ ...taken, acknowledgement: null }, { ...component, acknowledgement: null })
    assert.equal(acknowledgementOf(component), null)
  })

  it('is of no other outage, and of none that is over', () => {
    const stage = down()
    const taken = acknowledged(stage.component, 'an owl', stage.now, stage.rules)
    assert.equal(acknowledgementOf({ ...taken, downAt: taken.downAt + 1 }), null)
    assert.equal(acknowledgementOf({ ...taken, lastReportedStatus: 'degraded' }), null)
    assert.notEqual(acknowledgementOf({ ...taken, lastReportedStatus: 'partial' }), null)
    assert.equal(acknowledgementOf({ ...taken, maintenanceId: 'w' }), null)
    const quiet = silent(choice)
    assert.notEqual(acknowledgementOf(acknowledged(quiet.component, 'an owl', quiet.now, quiet.rules)), null)
  })

  it('notes what has become of the message to each channel, until that has been told', () => {
    const { component, now } = down()
    const taken = acknowledged(component, 'an owl', now, rulesWith(alert('mail'), alert('chat')))
    const sending = withNews(taken, 'mail', 'sending')
    assert.deepEqual(sending.acknowledgement, { ...taken.acknowledgement, news: { mail: 'sending', chat: 'waiting' } })
    assert.deepEqual(withNews(sending, 'mail', null).acknowledgement?.news, { chat: 'waiting' })
    assert.deepEqual({ ...sending, acknowledgement: null }, { ...component, acknowledgement: null })
    const over = { ...taken, lastReportedStatus: 'operational' as const }
    assert.equal(withNews(over, 'mail', null), over)
    assert.equal(withNews(component, 'mail', 'sending'), component)
  })
})

describe('A mute', () => {
  it('is over at its time, and not before', () => {
    const { component, now } = down()
    const muted = (until: number) => ({ ...component, mute: { until, by: 'an owl' } })
    for (const ms of [0, -1])
      assert.deepEqual(withoutPastMute(muted(now.wall + ms), now), { ...component, mute: null }, String(ms))
    const later = muted(now.wall + 1)
    assert.equal(withoutPastMute(later, now), later)
    assert.equal(withoutPastMute(component, now), component)
  })

  it('keeps what happens from alert channels, and from no page', () => {
    const stage = published({ targets: [page] })
    const until = stage.wall + retryMs[3]
    stage.happen({ kind: 'mute', mute: { until, by: 'an owl' } }, heartbeat('outage'))
    assert.deepEqual([stage.pushed(), stage.component.mute?.until], [['outage 2'], until])
  })
})
