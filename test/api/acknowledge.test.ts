import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker } from '../status/worker-stage.ts'
import { discordWebhook } from '../support/alert-channels.ts'
import { json, StatusServer } from '../support/status-servers.ts'
import { until } from '../support/until.ts'
import { stage } from './admin-status/stage.ts'

/** A worker whose outages are told to a chat, and the API over it. */
async function acknowledgeStage() {
  const texts: string[] = []
  const shown = { set: (_: string, text: string) => texts.push(text) } as unknown as Map<string, string>
  const chat = await StatusServer.open(discordWebhook('SECRET0123', shown))
  const worker = await openWorker({
    env: {
      STATUS_TARGETS: 'chat',
      STATUS_TARGET_CHAT_KIND: 'discord',
      STATUS_GROUP_SECONDS: '0',
      BASE_URL: 'https://zoo.test/app',
      STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/SECRET0123`,
    },
  })
  /** The path of the link in the alert of a new outage. */
  const linkOf = async (id: string): Promise<string> => {
    await worker.beat(id, 'outage')
    let path = ''
    await until(() => {
      const text = texts.find((each) => each.includes(`] ${id}`)) ?? ''
      path = /https:\/\/zoo\.test\/app(\/acknowledge\/[\w-]{43})$/.exec(text)?.[1] ?? ''
      return path !== ''
    })
    return path
  }
  return { texts, worker, linkOf, ...(await stage([worker.url])) }
}

describe('The link in an alert', () => {
  it('shows a page with one button and changes nothing; the button acknowledges, for the channel', async () => {
    const { worker, service, linkOf, texts, audited } = await acknowledgeStage()
    const path = await linkOf('db')
    const token = path.split('/').at(-1) ?? ''
    for (const method of ['GET', 'GET', 'HEAD']) {
      const { status, text, headers } = await service.request(method, path, { headers: { Host: 'evil.test' } })
      assert.equal(status, 200)
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(headers.get('referrer-policy'), 'no-referrer')
      assert.match(headers.get('content-security-policy') ?? '', /form-action 'self'/)
      if (method === 'HEAD') continue
      assert.deepEqual([text.split('<form').length, text.split('<button').length], [2, 2])
      assert.ok(!text.includes(token) && !text.includes('evil.test'))
    }
    const shown = async () => (await worker.ask('GET', '/components?componentId=db')).body.components[0].acknowledgement
    assert.equal(await shown(), null)

    const done = await service.request('POST', path, {
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    assert.deepEqual([done.status, /By the link sent to chat/.test(done.text)], [200, true])
    assert.equal((await shown()).by, 'the link sent to chat')
    await until(() => texts.some((text) => text.includes('Acknowledged by the link sent to chat')))
    const event = { outcome: 'success', actor: null, target: 'db', after: { by: 'the link sent to chat' } }
    assert.deepEqual(await audited('acknowledge', 1), [event])
    for (const method of ['GET', 'POST']) {
      const again = await service.request(method, path)
      assert.deepEqual([again.status, /acknowledged/.test(again.text), /<form/.test(again.text)], [200, true, false])
    }
    assert.equal((await audited('acknowledge', 1)).length, 1)

    await worker.beat('db')
    for (const method of ['GET', 'POST']) assert.equal((await service.request(method, path)).status, 404)
    // Neither log has the token.
    const lines = JSON.stringify([service.logged(), worker.logged()])
    assert.ok(lines.includes('/acknowledge/:token') && !lines.includes(token))
    await service.close()
    await worker.close()
  })

  it('that nobody sent is 404, whatever it is, and counts in the global limit', async () => {
    const { service, worker } = await acknowledgeStage()
    const left = async (path: string) => {
      const { status, headers } = await service.request('GET', path)
      assert.equal(status, 404)
      return Number(headers.get('x-ratelimit-remaining'))
    }
    const first = await left(`/acknowledge/${'x'.repeat(43)}`)
    for (const token of ['x', 'x'.repeat(44), '%00', 'constructor', `${'x'.repeat(42)}%0a`])
      assert.ok((await left(`/acknowledge/${token}`)) < first)
    assert.equal((await service.request('POST', '/acknowledge/x')).status, 404)
    await service.close()
    await worker.close()
  })

  it('says so if the worker is away, refuses, or does not say what it did', async () => {
    const path = `/acknowledge/${'x'.repeat(43)}`
    const worker = await StatusServer.open(() => json(200, {}))
    const { service } = await stage([worker.url])
    const reply = (status: number, error: string) =>
      ({ kind: 'reply', reply: json(status, { ok: false, error }) }) as const
    for (const [fault, method, status, message] of [
      [{ kind: 'reset' }, 'GET', 503, 'Status worker is unavailable'],
      [reply(500, 'x'), 'GET', 503, 'Status worker is unavailable'],
      [{ kind: 'close' }, 'POST', 504, /may have done this/],
      [reply(503, 'State could not be saved, please try again'), 'POST', 503, /could not be saved/],
      [reply(503, 'Standing by: this worker is not the leader'), 'POST', 503, /Standing by/],
      [reply(403, 'Changes are allowed only from addresses in STATUS_ADMIN_ALLOW'), 'POST', 503, /STATUS_ADMIN_ALLOW/],
    ] as const) {
      worker.fault = fault
      const found = await service.request(method, path)
      assert.equal(found.status, status, `${method} ${message}`)
      assert.match(found.body.message, RegExp(message))
      const page = await service.request(method, path, { headers: { Accept: 'text/html,*/*;q=0.8' } })
      assert.deepEqual([page.status, page.headers.get('content-type')], [status, 'text/html; charset=utf-8'])
      const isForbidden = String(message).includes('ADMIN_ALLOW')
      assert.match(page.text, isForbidden ? /<h1>Not allowed<\/h1>/ : /<h1>Not at the moment<\/h1>/)
      // A stranger need not know the settings.
      assert.match(page.text, isForbidden ? /Tell whoever operates it/ : RegExp(message))
    }
    worker.fault = reply(409, 'Component is not down')
    assert.equal((await service.request('POST', path)).status, 404)
    await service.close()
    await worker.close()
    const { service: alone } = await stage(['http://127.0.0.1:1'])
    assert.equal((await alone.request('POST', path)).status, 503)
    await alone.close()
  })
})
