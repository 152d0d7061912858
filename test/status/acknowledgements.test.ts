import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Notice } from '../../src/status/publication.ts'
import type { Outcome } from '../../src/status/status-page.ts'
import { discordWebhook } from '../support/alert-channels.ts'
import { StatusServer } from '../support/status-servers.ts'
import { stores } from '../support/stores.ts'
import { drivenWorker, sender, settled } from './driven-worker.ts'
import { openWorker, until } from './worker-stage.ts'

const accepted = { kind: 'accepted' } as const
const uncertain = { kind: 'uncertain', reason: 'no response: TIMEOUT' } as const
const repeatEveryMs = 30_000
const refusalOf = (act: Promise<unknown>) =>
  act.then(
    () => null,
    ({ refusal }) => refusal.message as string,
  )

const briefly = ({ componentId, status, previousStatus, acknowledged, mayRepeat }: Notice) =>
  `${componentId} ${acknowledged ? `taken by ${acknowledged.by}` : status === previousStatus ? 'reminder' : status}${mayRepeat ? ' again?' : ''}`

/** `told` answers what is sent within that time, and returns it. */
async function stage() {
  const driven = await drivenWorker({ isAlert: true, repeatEveryMs, groupMs: 1_000 })
  const { messages, pass, answer, worker } = driven
  const told = async (ms: number, outcome: Outcome = accepted) => {
    for (let passed = 0; passed < ms; passed += 250) {
      await pass(250)
      answer(outcome)
      await settled()
    }
    return messages.splice(0).flat().map(briefly)
  }
  const { acts } = worker
  const acknowledge = (id: string, by = 'mia') => acts.acknowledge(id, by, sender)
  const mute = (id: string, ms: number) => acts.mute(id, driven.clock.now() + ms, 'mia', sender)
  return { ...driven, told, acknowledge, mute, unmute: (id: string) => acts.unmute(id, sender) }
}

describe('An acknowledged outage', () => {
  it('is no longer reminded of, and the channel is told once who took it; the next outage is a new one', async () => {
    const { beat, told, acknowledge, worker, end } = await stage()
    assert.equal(await refusalOf(acknowledge('a')), 'Unknown component')
    await beat('a', 'operational')
    assert.equal(await refusalOf(acknowledge('a')), 'Component is not down')
    await beat('a', 'partial')
    assert.deepEqual(await told(2_000), ['a partial'])
    await acknowledge('a')
    assert.equal(await refusalOf(acknowledge('a', 'noa')), 'Outage is already acknowledged')
    assert.deepEqual(await told(50_000), ['a taken by mia'])
    assert.deepEqual(
      worker.deliveries('default').map(({ isAcknowledgement, isReminder }) => [isAcknowledgement, isReminder]),
      [
        [true, false],
        [false, false],
      ],
    )
    await beat('a', 'outage')
    assert.deepEqual(await told(40_000), ['a outage'])
    await beat('a', 'operational')
    assert.deepEqual(await told(2_000), ['a operational'])
    await beat('a', 'outage')
    assert.deepEqual(await told(40_000), ['a outage', 'a reminder'])
    await end()
  })

  it('is told at once, however soon after another outage of the component, and whatever became of that message', async () => {
    const { beat, told, pass, answer, acknowledge, end } = await stage()
    await beat('a', 'outage')
    await told(2_000)
    await acknowledge('a')
    assert.deepEqual(await told(2_000), ['a taken by mia'])
    await beat('a', 'operational')
    await beat('a', 'outage')
    await told(2_000)
    await acknowledge('a', 'noa')
    // In flight, while that outage ends as well.
    await pass(1_500)
    await settled()
    await beat('a', 'operational')
    await beat('a', 'partial')
    await acknowledge('a', 'kim')
    answer(accepted)
    await settled()
    assert.deepEqual(await told(4_000), ['a taken by noa', 'a partial', 'a taken by kim'])
    await end()
  })

  it('is told once the channel has got the outage itself, and not after it is over', async () => {
    const { beat, told, acknowledge, end } = await stage()
    for (const id of ['a', 'b']) await beat(id, 'outage')
    await acknowledge('a')
    assert.deepEqual(await told(2_000), ['a outage', 'b outage'])
    assert.deepEqual(await told(3_000), ['a taken by mia'])
    await acknowledge('b')
    await beat('b', 'operational')
    assert.deepEqual(await told(5_000), ['b operational'])
    await end()
  })

  it('is told again if the message may not have arrived, marked as a possible repetition', async () => {
    const { beat, told, acknowledge, end } = await stage()
    await beat('a', 'outage')
    await told(2_000)
    await acknowledge('a')
    assert.deepEqual(await told(2_000, { kind: 'failed', reason: 'HTTP 500', retryAfterMs: 0 }), ['a taken by mia'])
    assert.deepEqual(await told(62_000, uncertain), ['a taken by mia'])
    assert.deepEqual(await told(62_000), ['a taken by mia again?'])
    assert.deepEqual(await told(62_000), [])
    await end()
  })

  it('is saved before the reply, or refused', async () => {
    const { beat, told, acknowledge, disk, store, end } = await stage()
    await beat('a', 'outage')
    await told(2_000)
    disk.isFullOnce = true
    assert.equal(await refusalOf(acknowledge('a')), 'State could not be saved, please try again')
    assert.deepEqual(await told(2_000), [])
    await acknowledge('a')
    const [saved] = await store.load()
    assert.deepEqual([saved?.acknowledgement?.by, saved?.acknowledgement?.news], ['mia', { default: 'waiting' }])
    const [record] = await store.audit(null, 10)
    assert.deepEqual([record?.action, record?.target, record?.after], ['acknowledge', 'a', { by: 'mia' }])
    await end()
  })
})

describe('A muted component', () => {
  it('sends no alerts until then, and then what still holds', async () => {
    const { beat, told, mute, end } = await stage()
    for (const id of ['a', 'b', 'c']) await beat(id, 'operational')
    await beat('c', 'outage')
    assert.deepEqual(await told(2_000), ['c outage'])
    for (const id of ['a', 'b', 'c']) await mute(id, 50_000)
    await beat('a', 'outage')
    await beat('b', 'outage')
    await beat('b', 'operational')
    await beat('c', 'operational')
    assert.deepEqual(await told(45_000), [])
    assert.deepEqual((await told(20_000)).sort(), ['a outage', 'c operational'])
    await end()
  })

  it('has no time at which what failed is sent again: it is, once it is unmuted', async () => {
    const { beat, told, mute, unmute, worker, end } = await stage()
    const retryAt = () => worker.components().map((each) => worker.details(each).targets[0]?.retryAt)
    await beat('a', 'outage')
    await told(2_000, { kind: 'failed', reason: 'HTTP 500', retryAfterMs: 0 })
    assert.notEqual(retryAt()[0], null)
    await mute('a', 1_000_000)
    assert.deepEqual(retryAt(), [null])
    await unmute('a')
    assert.deepEqual(await told(2_000), ['a outage'])
    await end()
  })

  it('can be unmuted before', async () => {
    const { beat, told, mute, unmute, worker, end } = await stage()
    await beat('a', 'operational')
    assert.equal(await refusalOf(unmute('a')), 'Component is not muted')
    await mute('a', 1_000_000)
    await beat('a', 'outage')
    assert.deepEqual(await told(40_000), [])
    assert.equal(worker.unpublished(), 0)
    await unmute('a')
    assert.deepEqual(await told(2_000), ['a outage'])
    await end()
  })
})

for (const store of stores)
  describe(`With the state on ${store.name}, the worker`, { skip: store.skip }, () => {
    it('keeps acknowledgements, mutes and links over a restart, and shows them', async () => {
      const place = await store.make()
      const texts: string[] = []
      const shown = { set: (_: string, text: string) => texts.push(text) } as unknown as Map<string, string>
      const chat = await StatusServer.open(discordWebhook('SECRET0123', shown))
      const env = {
        STATUS_TARGETS: 'chat',
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_GROUP_SECONDS: '0',
        BASE_URL: 'https://zoo.test',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/SECRET0123`,
      }
      let worker = await openWorker({ place, env })
      const by = { by: 'mia' }
      const later = new Date(Date.now() + 3_600_000).toISOString()
      for (const id of ['a', 'b']) await worker.beat(id, 'outage')
      await until(() => texts.length === 2)
      const [hashOfA = '', hashOfB = ''] = await Promise.all(
        ['a', 'b'].map(async (id) => {
          const text = texts.find((each) => each.includes(`] ${id}`)) ?? ''
          const [, token = ''] = /https:\/\/zoo\.test\/acknowledge\/([\w-]{43})$/.exec(text) ?? []
          const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token))
          return Buffer.from(bytes).toString('hex')
        }),
      )
      const outage = { componentId: 'a', status: 'outage', target: 'chat', acknowledgement: null }
      const { since: _, ok: __, ...found } = (await worker.ask('GET', `/links/${hashOfA}`)).body
      assert.deepEqual(found, outage)
      assert.equal((await worker.ask('PUT', '/components/b/mute', { ...by, until: later })).body.mute.until, later)
      await worker.close()

      worker = await openWorker({ place, env })
      const byLink = await worker.ask('POST', `/links/${hashOfA}`)
      assert.equal(byLink.body.acknowledgement.by, 'the link sent to chat')
      assert.equal((await worker.ask('POST', `/links/${hashOfA}`)).body.error, 'Outage is already acknowledged')
      await until(() => texts.some((text) => text.includes('Acknowledged by the link sent to chat')))
      const [a, b] = (await worker.ask('GET', '/components')).body.components
      assert.deepEqual(
        [a.acknowledgement.by, a.mute, b.acknowledgement, b.mute.by],
        ['the link sent to chat', null, null, 'mia'],
      )
      const metrics = (await worker.ask('GET', '/metrics')).text
      assert.match(metrics, /^menagerie_status_muted 1$/m)
      assert.match(metrics, /^menagerie_status_acknowledged 1$/m)
      assert.equal((await worker.ask('DELETE', '/components/b/mute')).body.mute, null)
      for (const id of ['a', 'b']) await worker.beat(id)
      // A link is good for one outage.
      for (const id of ['a', 'b']) await worker.beat(id, 'outage')
      for (const hash of [hashOfA, hashOfB, '0'.repeat(64), 'x%00', '%00'])
        for (const method of ['GET', 'POST']) assert.equal((await worker.ask(method, `/links/${hash}`)).status, 404)
      assert.equal((await worker.ask('POST', '/components/b/acknowledge', by)).status, 200)
      await worker.close()
      await place.drop()
    })
  })

describe('The worker', () => {
  it('refuses who, and until when, if they make no sense', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: '127.0.0.1' } })
    await worker.beat('a')
    const badBy = 'by must be a string of 1 to 100 characters'
    const badUntil = 'until must be an ISO 8601 timestamp with a time zone, at most 31 days from now'
    const at = (ms: number) => new Date(Date.now() + ms).toISOString()
    for (const body of [undefined, {}, { by: '' }, { by: 7 }, { by: 'a\nb' }, { by: 'x'.repeat(101) }])
      assert.deepEqual((await worker.ask('POST', '/components/a/acknowledge', body)).body, { ok: false, error: badBy })
    for (const until of [undefined, 'soon', at(-1_000), at(32 * 86_400_000)])
      assert.equal((await worker.ask('PUT', '/components/a/mute', { by: 'a', until })).body.error, badUntil)
    assert.equal((await worker.ask('DELETE', '/components/a/mute')).body.error, 'Component is not muted')
    assert.equal((await worker.ask('POST', '/components/x/acknowledge', { by: 'a' })).status, 404)
    await worker.close()
  })
})
