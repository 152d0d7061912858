import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { discordWebhook } from '../support/alert-channels.ts'
import { fakeClock } from '../support/clock.ts'
import { SmtpServer } from '../support/smtp-server.ts'
import { StatusServer } from '../support/status-servers.ts'
import { nativeService, webhookReceiver } from '../support/status-vendors.ts'
import { drivenWorker, settled } from './driven-worker.ts'
import { openWorker, until } from './worker-stage.ts'

const secret = 'SECRET0123456789'

/** A target of each kind, and what arrived there. */
async function stage() {
  const clock = fakeClock()
  const shown = new Map<string, string>()
  const [page, chat, hook, mail] = await Promise.all([
    StatusServer.open(nativeService(secret, new Map())),
    StatusServer.open(discordWebhook(secret, shown)),
    StatusServer.open(webhookReceiver(secret, shown, clock.now)),
    SmtpServer.start(),
  ])
  const env = {
    STATUS_SERVICE_KIND: 'native',
    STATUS_SERVICE_URL: page.url,
    STATUS_SERVICE_TOKEN: secret,
    STATUS_TARGETS: 'chat, hook, mail',
    STATUS_TARGET_CHAT_KIND: 'discord',
    STATUS_TARGET_CHAT_REMINDER: '1h',
    STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/${secret}`,
    STATUS_TARGET_HOOK_KIND: 'webhook',
    STATUS_TARGET_HOOK_URL: `${hook.url}/hooks/a?key=${secret}`,
    STATUS_TARGET_HOOK_TOKEN: secret,
    STATUS_TARGET_MAIL_KIND: 'mail',
    STATUS_TARGET_MAIL_URL: `smtp://127.0.0.1:${mail.port}`,
    STATUS_TARGET_MAIL_FROM: 'status@example.org',
    STATUS_TARGET_MAIL_TO: 'ops@example.org',
  }
  const worker = await openWorker({ env, overrides: { clock } })
  const targets = async () => (await worker.ask('GET', '/targets')).body.targets
  const target = async (name: string) => (await targets()).find((each: { target: string }) => each.target === name)
  const ask = (name: string) => worker.ask('POST', `/targets/${name}/test`)
  return {
    clock,
    shown,
    page,
    chat,
    hook,
    mail,
    worker,
    targets,
    target,
    ask,
    /** On a busy machine a target may take longer than the second that the request waits for it. */
    async test(name: string) {
      const reply = await ask(name)
      if (reply.body.test?.outcome !== 'sending') return reply
      await until(async () => (await target(name)).lastTest.outcome !== 'sending', `the test of ${name} to end`)
      return { ...reply, body: { ...reply.body, test: (await target(name)).lastTest } }
    },
  }
}

describe('A test of a target', () => {
  it('sends one message to a chat, mail address or webhook, and a request that changes nothing to a page', async () => {
    const { shown, page, chat, hook, mail, worker, test, targets } = await stage()
    for (const name of ['default', 'chat', 'hook', 'mail']) {
      const { status, body } = await test(name)
      const at = '2026-06-01T12:00:00.000Z'
      const expected = { ok: true, target: name, test: { at, outcome: 'accepted', reason: null } }
      assert.deepEqual([status, body], [200, expected], name)
    }
    assert.deepEqual(
      [page, chat, hook].map(({ asked }) => asked.map(({ method }) => method)),
      [['GET'], ['POST'], ['POST']],
    )
    assert.deepEqual(
      [shown.get('channel'), mail.mails.length],
      ['**\\[TEST\\]** Alerts from Menagerie arrive here.', 1],
    )
    assert.match(mail.mails[0] ?? '', /^Subject: \[TEST\]$/m)
    assert.equal(shown.get('test'), '2026-06-01T12:00:00.000Z')
    assert.deepEqual(
      [page, chat, hook, mail].flatMap(({ complaints }) => complaints),
      [],
    )
    const listed = await targets()
    assert.deepEqual(
      listed.map(({ target, kind, isAlert, reminderSeconds, lastPushes, lastTest }: Record<string, unknown>) => [
        ...[target, kind, isAlert, reminderSeconds, lastPushes],
        (lastTest as { outcome: string }).outcome,
      ]),
      [
        ['default', 'native', false, null, [], 'accepted'],
        ['chat', 'discord', true, 3600, [], 'accepted'],
        ['hook', 'webhook', false, null, [], 'accepted'],
        ['mail', 'mail', true, null, [], 'accepted'],
      ],
    )
    assert.doesNotMatch(JSON.stringify([listed, worker.logged()]), /SECRET/)
    await worker.close()
  })

  it('reports why it failed, without a secret, and is logged with the address of the caller', async () => {
    const { page, chat, worker, test } = await stage()
    page.fault = { kind: 'reply', reply: { status: 401, body: secret } }
    chat.fault = { kind: 'reset' }
    const [refused, reset] = [await test('default'), await test('chat')]
    assert.deepEqual(refused.body.test.reason, 'HTTP 401')
    assert.deepEqual([refused.body.test.outcome, reset.body.test.outcome], ['failed', 'uncertain'])
    const lines = worker.logged().filter(({ msg }) => msg === 'target tested')
    assert.deepEqual(
      lines.map(({ target, address, outcome }) => [target, address, outcome]),
      [
        ['default', '127.0.0.1', 'failed'],
        ['chat', '127.0.0.1', 'uncertain'],
      ],
    )
    assert.doesNotMatch(refused.text + reset.text, /SECRET/)
    await worker.close()
  })

  it('runs at most once in 10 s for each target, even if many requests arrive at once; an unknown target is 404', async () => {
    const { clock, chat, worker, test } = await stage()
    const statuses = (await Promise.all(Array.from({ length: 5 }, () => test('chat')))).map(({ status }) => status)
    assert.deepEqual([statuses.sort(), chat.asked.length], [[200, 429, 429, 429, 429], 1])
    clock.advance(9_001)
    const early = await test('chat')
    assert.deepEqual(early.body, { ok: false, error: 'Target was tested less than 10 s ago' })
    assert.equal(early.headers.get('retry-after'), '1')
    clock.advance(999)
    assert.equal((await test('chat')).status, 200)
    for (const name of ['none', '__proto__', 'CHAT', '%00']) {
      const { status, body } = await test(name)
      assert.deepEqual([status, body], [404, { ok: false, error: 'Unknown target' }], name)
    }
    await worker.close()
  })

  it('that takes longer than a second is `sending`, and GET /targets shows how it ends', async () => {
    const { chat, worker, ask, target } = await stage()
    chat.fault = { kind: 'silent' }
    assert.equal((await ask('chat')).body.test.outcome, 'sending')
    assert.equal((await target('chat')).lastTest.outcome, 'sending')
    chat.drop()
    await until(async () => (await target('chat')).lastTest.outcome === 'uncertain')
    assert.equal((await target('chat')).lastTest.reason, 'no response: ECONNRESET')
    await worker.close()
  })

  it('is refused to callers that may not use the worker', async () => {
    const { chat, worker } = await stage()
    for (const headers of [{ Host: 'evil.example' }, { Origin: 'https://page.example' }] as Record<string, string>[])
      assert.equal((await worker.ask('POST', '/targets/chat/test', undefined, headers)).status, 403)
    assert.equal(chat.asked.length, 0)
    await worker.close()
  })
})

describe('The last pushes of a target', () => {
  it('are those of all components, the newest 20 first, with the reminders of an alert channel', async () => {
    const { worker, beat, answer, pass, end } = await drivenWorker({ isAlert: true, repeatEveryMs: 30_000 })
    for (const id of ['a', 'b']) {
      await beat(id)
      await beat(id, 'outage')
      await settled()
      answer({ kind: 'accepted' })
      await settled()
    }
    await pass(30_000)
    answer({ kind: 'failed', reason: 'HTTP 500', retryAfterMs: 0 })
    await settled()
    answer({ kind: 'accepted' })
    await settled()
    assert.deepEqual(
      worker.deliveries('default').map((each) => [each.componentId, each.status, each.outcome, each.isReminder]),
      [
        ['b', 'outage', 'accepted', true],
        ['a', 'outage', 'failed', true],
        ['b', 'outage', 'accepted', false],
        ['a', 'outage', 'accepted', false],
      ],
    )
    const [component] = worker.components()
    assert.ok(component)
    const [target] = worker.details(component).targets
    assert.deepEqual(
      target?.lastPushes.map(({ isReminder, reason }) => [isReminder, reason]),
      [
        [true, 'HTTP 500'],
        [false, null],
      ],
    )
    for (let passed = 0; passed < 20; passed++) {
      await pass(30_000)
      for (const _ of ['a', 'b']) {
        answer({ kind: 'accepted' })
        await settled()
      }
      for (const id of ['a', 'b']) await beat(id, 'outage')
    }
    assert.equal(worker.deliveries('default').length, 20)
    assert.deepEqual(worker.deliveries('none'), [])
    await end()
  })
})
