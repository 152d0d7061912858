import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { openStatusPage, type StatusPageSettings } from '../../../src/drivers/status-pages/vendors.ts'
import { atEnd } from '../../support/at-end.ts'
import { fakeClock } from '../../support/clock.ts'
import { selfSigned } from '../../support/self-signed.ts'
import { describeInFull } from '../../support/size.ts'
import { type SmtpFault, SmtpServer } from '../../support/smtp-server.ts'
import { until } from '../../support/until.ts'
import { noticeOf, worker } from './status-pages.contract.ts'

function opened(port: number, values: Partial<StatusPageSettings> = {}) {
  const page = openStatusPage({
    prefix: 'STATUS_TARGET_OPS',
    kind: 'mail',
    url: `smtp://127.0.0.1:${port}`,
    token: null,
    components: null,
    from: 'Menagerie <status@example.org>',
    to: 'ops@example.org, boss@example.org',
    reminderMs: 3_600_000,
    clock: fakeClock(),
    source: worker,
    timeoutMs: 4_000,
    ...values,
  })
  atEnd(() => page.close())
  return page
}
const failed = (reason: string) => ({ kind: 'failed', reason, retryAfterMs: 0 })
const accepted = { kind: 'accepted' }
const headerOf = (mail: string, name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(mail)?.[1]

describe('Mail', () => {
  it('reports an outage, with a Message-ID that is the same when it is retried', async () => {
    const server = await SmtpServer.start()
    const page = opened(server.port)
    const notice = noticeOf({ source: 'silence', sequence: 7 })
    assert.deepEqual(await page.push(notice), accepted)
    assert.deepEqual(await opened(server.port).push(notice), accepted)
    assert.deepEqual(await page.push({ ...notice, previousStatus: 'outage', repeatedAt: 1 }), accepted)
    assert.deepEqual(await page.push(noticeOf({ status: 'operational', sequence: 9 })), accepted)
    const acknowledged = { ...notice, previousStatus: 'outage', acknowledged: { by: 'mia', at: 2 } } as const
    assert.deepEqual(await page.push(acknowledged), accepted)
    const [first = '', again = '', reminder = '', recovery = '', taken = ''] = server.mails
    assert.equal(headerOf(first, 'Subject'), '[DOWN] api')
    assert.equal(headerOf(first, 'To'), 'ops@example.org, boss@example.org')
    assert.equal(headerOf(first, 'Auto-Submitted'), 'auto-generated')
    assert.equal(headerOf(first, 'Date'), 'Mon, 01 Jun 2026 12:00:00 +0000')
    assert.match(first, /^No heartbeat; it was due at 2026-06-01 11:59:00 UTC\.$/m)
    assert.equal(headerOf(again, 'Message-ID'), headerOf(first, 'Message-ID'))
    assert.equal(new Set([first, reminder, recovery, taken].map((mail) => headerOf(mail, 'Message-ID'))).size, 4)
    assert.deepEqual([headerOf(reminder, 'Subject'), headerOf(recovery, 'Subject')], ['[STILL DOWN] api', '[UP] api'])
    assert.deepEqual(server.complaints, [])
    assert.deepEqual(
      [page.isAlert, page.repeatEveryMs, page.address],
      [true, 3_600_000, `smtp://127.0.0.1:${server.port}`],
    )
  })

  it('names the recipients that were refused, if others were not', async () => {
    const page = opened((await SmtpServer.start()).port, { to: 'nobody@example.org, ops@example.org' })
    const reason = 'recipients refused: nobody@example.org'
    assert.deepEqual(await page.push(noticeOf()), { kind: 'accepted', reason })
    const { reached, error } = await page.probe()
    assert.deepEqual([reached, error], [true, reason])
  })

  it('sends the password only over TLS with a trusted certificate', async () => {
    const { key, cert } = selfSigned()
    const server = await SmtpServer.start({ password: 'SECRET', tls: { key, cert } })
    const page = opened(server.port, { url: `smtp://me@localhost:${server.port}`, token: 'SECRET' })
    assert.deepEqual(await page.push(noticeOf()), failed('not sent: DEPTH_ZERO_SELF_SIGNED_CERT'))
    assert.ok(!server.commands.some((command) => command.startsWith('AUTH')))
    const before = getCACertificates('default')
    setDefaultCACertificates([cert])
    try {
      const trusting = opened(server.port, { token: 'SECRET', url: `smtp://me@127.0.0.1:${server.port}` })
      assert.deepEqual(await trusting.push(noticeOf()), accepted)
      const wrong = opened(server.port, { token: 'wrong', url: `smtp://me@127.0.0.1:${server.port}` })
      assert.deepEqual(await wrong.push(noticeOf()), { kind: 'failed', reason: 'SMTP 535', retryAfterMs: 0 })
    } finally {
      setDefaultCACertificates(before)
    }
    const plain = await SmtpServer.start({ password: 'SECRET' })
    const refused = await opened(plain.port, { url: `smtp://me@127.0.0.1:${plain.port}`, token: 'SECRET' }).push(
      noticeOf(),
    )
    assert.equal(refused.kind, 'failed')
    assert.deepEqual([...server.complaints, ...plain.complaints], [])
    assert.deepEqual([server.mails.length, plain.mails.length], [1, 0])
  })

  it('without a password is encrypted, whatever the certificate; smtps:// still needs a trusted one', async () => {
    const { key, cert } = selfSigned()
    const server = await SmtpServer.start({ tls: { key, cert } })
    assert.deepEqual(await opened(server.port).push(noticeOf()), accepted)
    assert.ok(server.commands.includes('STARTTLS'))
    assert.deepEqual([server.mails.length, server.complaints.length], [1, 0])
    const implicit = createServer({ key, cert })
    implicit.on('tlsClientError', () => {})
    implicit.listen(0, '127.0.0.1')
    atEnd(() => implicit.close())
    await once(implicit, 'listening')
    const { port } = implicit.address() as AddressInfo
    const refused = await opened(port, { url: `smtps://127.0.0.1:${port}` }).push(noticeOf())
    assert.deepEqual(refused, failed('not sent: DEPTH_ZERO_SELF_SIGNED_CERT'))
  })

  const faults: readonly (readonly [string, SmtpFault, object])[] = [
    ['that is busy', { at: 'greeting', reply: '421 busy' }, failed('SMTP 421')],
    ['that refuses every recipient', { at: 'RCPT', reply: '550 nobody' }, failed('SMTP 550')],
    ['that refuses the message', { at: 'end', reply: '554 spam' }, failed('SMTP 554')],
    ['that never greets', { at: 'greeting' }, failed('not sent: TIMEOUT')],
    ['whose greeting never ends', { at: 'drip' }, failed('not sent: TIMEOUT')],
    ['that never answers DATA', { at: 'DATA' }, failed('not sent: TIMEOUT')],
    ['that takes the message and never answers', { at: 'end' }, { kind: 'uncertain', reason: 'no response: TIMEOUT' }],
  ]
  describeInFull('Mail to a server', { concurrency: true }, () => {
    for (const [what, fault, outcome] of faults) {
      it(`${what} has the right outcome in time, and leaves no connection open`, async () => {
        const server = await SmtpServer.start()
        server.fault = fault
        // The time until the message is accepted counts too.
        const page = opened(server.port, 'reply' in fault || fault.at === 'end' ? {} : { timeoutMs: 1_000 })
        assert.deepEqual(await page.push(noticeOf()), outcome)
        await until(() => server.open.size === 0)
      })
    }
  })

  it('fails if nobody listens, and when the target is closed', async () => {
    const server = await SmtpServer.start()
    server.fault = { at: 'greeting' }
    const page = opened(server.port)
    const push = page.push(noticeOf())
    await until(() => server.open.size === 1)
    await page.close()
    assert.deepEqual(await push, failed('not sent: CLOSED'))
    assert.deepEqual(await page.push(noticeOf()), failed('not sent: CLOSED'))
    const { port } = server
    await server.close()
    const gone = await opened(port).push(noticeOf())
    assert.deepEqual(gone, failed('not sent: ECONNREFUSED'))
  })

  it('needs a sender, recipients and the URL of a mail server', () => {
    const missing: readonly (readonly [Partial<StatusPageSettings>, string])[] = [
      [{ from: null }, 'FROM'],
      [{ to: null }, 'TO'],
      ...['ops', ',', 'a@b,', 'a b@c', 'a@b\r\nBcc: c@d', 'Ops <ops>'].map((to) => [{ to }, 'TO'] as const),
      [{ from: 'not an address' }, 'FROM'],
      [{ url: 'https://mail.example.org' }, 'URL'],
      [{ kind: 'gotify', token: 'x' }, 'URL'],
    ]
    for (const [values, row] of missing)
      assert.throws(() => opened(1, values), {
        name: 'BadSetting',
        message: new RegExp(`^STATUS_TARGET_OPS_${row}: expected `),
      })
    assert.doesNotThrow(() => opened(1, { from: 'Ops <ops@localhost>', to: 'a@b , B c <b@c.example>' }))
  })
})
