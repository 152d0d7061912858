import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRedact, shownUrl } from '../../../src/drivers/status-pages/redact.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const codesOf = (text: string, code: (value: number) => string) =>
  Array.from(text, (sign) => code(sign.charCodeAt(0))).join('')
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')

const writings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in a URL': (secret) => encodeURIComponent(secret),
  'in a URL, in small letters': (secret) => encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
  'in a form': (secret) => new URLSearchParams({ '': secret }).toString().slice(1),
  'in a URL, every byte': (secret) => [...Buffer.from(secret)].map((byte) => `%${hex(byte, 2)}`).join(''),
  'in JSON': (secret) => JSON.stringify(secret),
  'in JSON of PHP': (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
  'in JSON, every sign': (secret) => codesOf(secret, (value) => `\\u${hex(value, 4)}`),
  'in HTML': (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'in HTML, every sign': (secret) => codesOf(secret, (value) => `&#${value};`),
  'in base64': base64,
  'in base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 for URLs, in one': (secret) => encodeURIComponent(base64(secret)),
  'in base64 of more': (secret) => base64(`user:${secret}:x`),
  'in base64 of other more': (secret) => base64(`Bearer ${secret}`),
  'in base64 of one more': (secret) => base64(`.${secret}.`),
}
const secrets = ['0123456789abcdefSECRET', 'a/b+c=d~e&f"g<h\\i %41', 'größe//über&&']

/** A secret is hidden if no more than its edges in base64 are left: less than two signs. */
const left = (text: string) => text.replaceAll('****', '')

describe('Secrets in what is shown', () => {
  for (const [how, write] of Object.entries(writings)) {
    it(`are hidden ${how}`, () => {
      for (const secret of secrets) {
        const redact = createRedact([secret, 'another one'])
        const alone = write('').length
        const written = write(secret)
        const found = redact(`before ${written} between ${written} after`)
        assert.equal(found.split('****').length, 3, found)
        assert.match(found, /^before .* between .* after$/)
        if (!how.includes('base64')) assert.ok(left(redact(written)).length <= alone, redact(written))
        else assert.ok(left(redact(written)).length <= alone + 13, redact(written))
      }
    })
  }

  it('are hidden where the text was cut within them', () => {
    for (const secret of secrets) {
      const redact = createRedact([secret])
      for (const write of ['as it is', 'in a URL, every byte', 'in JSON, every sign', 'in HTML, every sign']) {
        const written = writings[write]?.(secret) ?? ''
        for (let end = 1; end < written.length; end++) {
          const found = redact(`before ${written.slice(0, end)}`, false)
          // What is left of an escape says nothing of a whole sign.
          assert.match(found, /^before ([%\\&][#\w]{0,5})?(\*{4})?$/, `${write} ${end}`)
        }
      }
    }
  })

  it('are hidden where they overlap or are very short', () => {
    assert.equal(createRedact(['abcabc'])('abcabcabc!'), '****!')
    assert.equal(createRedact(['abc', 'abcdef'])('xabcdefx abcx'), 'x****x ****x')
    assert.equal(createRedact(['a'])('banana'), 'b****n****n****')
    assert.equal(createRedact(['a', ''])('é'), 'é')
  })

  it('leave everything else as it is', () => {
    const text = 'ünï &amp; \\u0041 %20 \u{1f600} � {"a":"b\\"c"}\r\n'
    assert.equal(createRedact([])(text), text)
    assert.equal(createRedact(['SECRET'])(text), text)
    assert.equal(createRedact(['SECRET'])(text, false), text)
    assert.equal(createRedact(['SECRET'])(`${text}SECRET${text}`), `${text}****${text}`)
  })
})

describe('An address that is shown', () => {
  it('has no login and no query', () => {
    assert.equal(shownUrl('https://me:SECRET@example.org:8443/a/b?token=SECRET#SECRET'), 'https://example.org:8443/a/b')
  })
})
