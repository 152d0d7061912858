import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseTemplate, templateFields } from '../../../src/drivers/status-pages/template.ts'
import { openStatusPage, type StatusPageSettings } from '../../../src/drivers/status-pages/vendors.ts'
import { atEnd } from '../../support/at-end.ts'
import { fakeClock } from '../../support/clock.ts'
import { SmtpServer } from '../../support/smtp-server.ts'
import { StatusServer } from '../../support/status-servers.ts'
import { noticeOf, worker } from './status-pages.contract.ts'

const hostile = `"}, <b>@everyone & <!channel> [x](http://evil.test) {{label}}`

function opened(values: Partial<StatusPageSettings>) {
  const page = openStatusPage({
    prefix: 'STATUS_TARGET_OPS',
    kind: null,
    url: null,
    token: null,
    components: null,
    clock: fakeClock(),
    source: worker,
    names: { labelOf: () => 'Web "é"', linkOf: () => 'https://zoo.test/a_b' },
    ...values,
  })
  atEnd(() => page.close())
  return page
}

/** The body of what is sent. */
async function sentBy(kind: StatusPageSettings['kind'], path: string, template: string, isTest = false) {
  const server = await StatusServer.open(() => ({ status: 200 }))
  const page = opened({ kind, url: `${server.url}${path}`, token: '123:x', to: '1', template })
  if (isTest) await page.test()
  else await page.push(noticeOf({ message: hostile, acknowledgeUrl: 'https://zoo.test/acknowledge/x' }))
  const { body = '', headers } = server.asked[0] ?? {}
  return { body, headers }
}

describe('A template', () => {
  it('of a webhook is JSON, whatever the message says', async () => {
    const { body } = await sentBy('webhook', '/hook', '{"text": "{{ title }}: {{message}}", "url": "{{link}}"}')
    const { text, url, ...others } = JSON.parse(body)
    assert.deepEqual([url, others], ['https://zoo.test/a_b', {}])
    // An invisible character keeps the receiver from notifying anyone.
    assert.equal(text.replaceAll('\u2060', ''), `[DOWN] Web "é": ${hostile}`)
    assert.doesNotMatch(text, /@everyone|<!channel/)
  })

  it('of a chat replaces the whole text, and what the message says has no markup and mentions nobody', async () => {
    const template = '<https://runbook.test|Runbook> {{message}} {{link}}'
    const slack = JSON.parse((await sentBy('slack', '/services/T/B/x', template)).body).text
    assert.match(slack, /^<https:\/\/runbook\.test\|Runbook> "}, &lt;b&gt;@everyone &amp; &lt;!channel&gt; /)
    const discord = JSON.parse((await sentBy('discord', '/api/webhooks/1/x', template)).body)
    assert.match(discord.content, /\\\[x\\\]\\\(http:\/\/evil\.test\\\) .* https:\/\/zoo\.test\/a_b$/)
    assert.deepEqual(discord.allowed_mentions, { parse: [] })
    const { text, ...telegram } = JSON.parse((await sentBy('telegram', '', template)).body)
    assert.doesNotMatch(text, /@everyone/)
    assert.equal('parse_mode' in telegram, false)
  })

  it('of ntfy, gotify and Teams is the text; their titles stay, also in a header', async () => {
    const ntfy = await sentBy('ntfy', '/topic', '{{label}} is {{status}}')
    assert.equal(ntfy.body, 'Web "é" is outage')
    const words = String(ntfy.headers?.title).split(' ')
    const title = words.map((word) => Buffer.from(/^=\?UTF-8\?B\?(.*)\?=$/.exec(word)?.[1] ?? '', 'base64').toString())
    assert.equal(title.join(''), '[DOWN] Web "é"')
    const teams = await sentBy('teams', '/x?sig=123456789', '{{message}}')
    const [{ content }] = JSON.parse(teams.body).attachments
    assert.equal(content.body[1].inlines[0].text, hostile)
    assert.deepEqual(content.actions[1], {
      type: 'Action.OpenUrl',
      title: 'Acknowledge',
      url: 'https://zoo.test/acknowledge/x',
    })
  })

  it('of mail is HTML if it begins with <, beside our own text; a label adds no header', async () => {
    const server = await SmtpServer.start()
    const mail = { kind: 'mail', url: `smtp://127.0.0.1:${server.port}`, from: 'a@zoo.test', to: 'b@zoo.test' } as const
    const names = { labelOf: () => 'Web\r\nBcc: evil@zoo.test', linkOf: () => null }
    const page = opened({ ...mail, names, template: '<p>{{message}}</p>' })
    assert.deepEqual(await page.push(noticeOf({ message: hostile })), { kind: 'accepted' })
    assert.deepEqual(await opened({ ...mail, template: '{{message}}' }).push(noticeOf({ message: 'x' })), {
      kind: 'accepted',
    })
    const [html = '', text = ''] = server.mails
    assert.match(html, /^<p>&quot;}, &lt;b&gt;@everyone &amp; &lt;!channel&gt;/m)
    assert.match(html, /^It reported outage at /m)
    assert.doesNotMatch(html, /^Bcc:/m)
    assert.match(text, /\n\nx$/)
    assert.doesNotMatch(text, /multipart/)
  })

  it('whose text is too long for a channel is replaced by our own, since a cut could end within markup', async () => {
    const long = `{{message}} ${'<https://runbook.test|Runbook> '.repeat(60)}`
    const { text } = JSON.parse((await sentBy('slack', '/services/T/B/x', long)).body)
    assert.match(text, /^\[DOWN\] Web "é": It reported outage at [^<]*\nhttps:\/\/zoo\.test\/a_b\n.*\/acknowledge\/x$/)
  })

  it('is filled with an example by a test', async () => {
    const { body } = await sentBy('webhook', '/hook', '{"text": "{{title}} {{component}} {{message}}"}', true)
    assert.deepEqual(JSON.parse(body), { text: '[TEST] example exit code 1' })
    const chat = await sentBy('slack', '/services/T/B/x', '{{title}} {{status}}', true)
    assert.equal(JSON.parse(chat.body).text, '[TEST] outage')
  })

  it('names fields and does nothing else', () => {
    assert.deepEqual(parseTemplate('a {{ label }}{{status}} }} { {b}'), [
      ...['a ', { field: 'label' }, '', { field: 'status' }, ' }} { {b}'],
    ])
    for (const name of Object.keys(templateFields)) assert.notEqual(typeof parseTemplate(`{{${name}}}`), 'string')
    for (const bad of ['{{', '{{label', '{{labels}}', '{{}}', '{{constructor}}', '{{label.x}}', 'x'.repeat(2_001)])
      assert.equal(typeof parseTemplate(bad), 'string', bad)
  })

  it('that cannot be used stops the start, with one line that names the variable', () => {
    const start = { kind: 'slack', url: 'https://hooks.test/services/T/B/x' } as const
    const bad: readonly (readonly [Partial<StatusPageSettings>, RegExp])[] = [
      [{ ...start, template: 'Down: {{compnent}}' }, /one of title, .* at character 7, got "compnent"$/],
      [{ ...start, template: 'Down: {{component' }, /}} after the {{ at character 7, got none$/],
      [{ kind: 'webhook', url: 'https://a.test/', token: 'x', template: '{"a": {{label}}}' }, /JSON with fields only/],
      [{ kind: 'native', url: 'https://a.test/', template: '{{label}}' }, /none: native has no text$/],
    ]
    for (const [values, expected] of bad)
      assert.throws(
        () => opened(values),
        ({ name, message }: Error) =>
          name === 'BadSetting' && /^STATUS_TARGET_OPS_TEMPLATE: expected .*$/.test(message) && expected.test(message),
      )
  })
})
