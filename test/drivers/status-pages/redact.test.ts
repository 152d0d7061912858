import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRedact, shownUrl } from '../../../src/drivers/status-pages/redact.ts'
import { assertProperty } from '../../support/seed.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const codesOf = (text: string, code: (value: number) => string) =>
  Array.from(text, (sign) => code(sign.charCodeAt(0))).join('')
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
const inLines = (text: string, end: string, length = 8) =>
  text.replace(new RegExp(`.{${length}}(?=.)`, 'g'), `$&${end}`)
const inText = (text: string) => JSON.stringify(text).slice(1, -1)

const nameOf: Readonly<Record<string, string>> = {
  ...{ '!': 'excl', '"': 'quot', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp', "'": 'apos', '(': 'lpar' },
  ...{ ')': 'rpar', '*': 'ast', '+': 'plus', ',': 'comma', '-': 'hyphen', '.': 'period', '/': 'sol', ':': 'colon' },
  ...{ ';': 'semi', '<': 'lt', '=': 'equals', '>': 'gt', '?': 'quest', '@': 'commat', '[': 'lsqb', '\\': 'bsol' },
  ...{ ']': 'rsqb', '^': 'Hat', _: 'lowbar', '`': 'grave', '{': 'lcub', '|': 'vert', '}': 'rcub' },
}
const inNames = (text: string) => Array.from(text, (sign) => (nameOf[sign] ? `&${nameOf[sign]};` : sign)).join('')
const inMail = (text: string) =>
  [...Buffer.from(text)]
    .map((byte) => (byte === 61 || byte > 126 ? `=${hex(byte, 2).toUpperCase()}` : String.fromCharCode(byte)))
    .join('')

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
  'in HTML, by name': inNames,
  'in HTML, by numbers without an end': (secret) => codesOf(secret, (value) => `&#${value}`),
  'in JavaScript': (secret) =>
    codesOf(secret, (value) => (value < 128 ? `\\x${hex(value, 2)}` : `\\u${hex(value, 4)}`)),
  'in JavaScript, with braces': (secret) => codesOf(secret, (value) => `\\u{${hex(value, 2)}}`),
  'in JSON in JSON': (secret) => inText(inText(secret)),
  'in JSON of PHP in JSON': (secret) => inText(inText(secret).replaceAll('/', '\\/')),
  'in JSON in JSON, every sign': (secret) => codesOf(secret, (value) => `\\\\u${hex(value, 4)}`),
  'in JSON in JSON, every sign in capitals': (secret) =>
    codesOf(secret, (value) => `\\\\u${hex(value, 4).toUpperCase()}`),
  'in a URL in a URL': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in a URL in a URL in a URL': (secret) => encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  'in JSON of PHP in a URL': (secret) => encodeURIComponent(inText(secret).replaceAll('/', '\\/')),
  'in a mail': inMail,
  'in a mail, every byte': (secret) => [...Buffer.from(secret)].map((byte) => `=${hex(byte, 2)}`).join(''),
  'in a mail, in lines': (secret) => inLines(inMail(secret), '=\n', 7),
  'in a mail, in lines of DOS': (secret) => inLines(inMail(secret), '=\r\n', 7),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
  'in hex, in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'in base64': base64,
  'in base64 in lines': (secret) => inLines(base64(secret), '\n'),
  'in base64 in lines of DOS': (secret) => inLines(base64(secret), '\r\n'),
  'in base64 in lines, in JSON': (secret) => inText(inLines(base64(secret), '\n')),
  'in base64 in lines of DOS, in JSON in JSON': (secret) => inText(inText(inLines(base64(secret), '\r\n'))),
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
        assert.match(found, /^before .* between .* after$/s)
        if (!how.includes('base64')) assert.ok(left(redact(written)).length <= alone, redact(written))
        else assert.ok(left(redact(written)).length <= alone + 13, redact(written))
      }
    })
  }

  for (const length of [64, 76]) {
    it(`are hidden in base64 with lines of ${length}, wherever a line ends in them`, () => {
      for (let before = 0; before < 60; before++) {
        const all = base64(`${'.'.repeat(before)}${secrets[0]}${'.'.repeat(80)}`)
        const found = createRedact([String(secrets[0])])(inLines(all, '\r\n', length))
        assert.equal(found.split('****').length, 2, found)
        assert.ok(!found.includes('NTY3') && !/U0VDU|NFQ1J|TRUNS/.test(found.replaceAll('\r\n', '')), found)
      }
    })
  }

  it('are hidden whatever they are, in up to three escapes in one another', () => {
    const ways = [encodeURIComponent, inText, inNames, inMail, (text: string) => inText(text).replaceAll('/', '\\/')]
    const secret = fc.string({ minLength: 12, maxLength: 40, unit: 'grapheme-ascii' })
    const layers = fc.array(fc.constantFrom(...ways), { maxLength: 3 })
    assertProperty(
      fc.property(secret, layers, (text, writes) => {
        const written = writes.reduce((sofar, write) => write(sofar), text)
        assert.equal(createRedact([text])(`<${written}>`), '<****>')
      }),
      { seed: 1, numRuns: 3_000 },
    )
  })

  it('are hidden where the text was cut within them', () => {
    const cutWritings = [
      'as it is',
      'in a URL, every byte',
      'in JSON, every sign',
      'in HTML, every sign',
      'in a mail, every byte',
    ]
    for (const secret of secrets) {
      const redact = createRedact([secret])
      for (const write of cutWritings) {
        const written = writings[write]?.(secret) ?? ''
        for (let end = 1; end < written.length; end++) {
          const found = redact(`before ${written.slice(0, end)}`, false)
          // What is left of an escape says nothing of a whole sign.
          assert.match(found, /^before ([%\\&=][#\w]{0,5})?(\*{4})?$/, `${write} ${end}`)
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

  it('leave what is around them as it is, whatever it looks like', () => {
    const around = '&amp;\\\\u0041%2541=3D=\n&#47;\\x41 '
    const found = createRedact(['SECRET/1'])(`${around}SECRET%252F1${around}SECRET\\\\/1`)
    assert.equal(found, `${around}****${around}****`)
    for (const isWhole of [true, false]) {
      const lines = `\n${base64('SECRET')}\n\nSECRET\r\n.`
      assert.equal(createRedact(['SECRET', 'SECRETS'])(lines, isWhole), '\n****\n\n****\r\n.')
    }
  })

  it('leave 64 KiB of nothing but escapes as it is', () => {
    const pieces = [
      '\\',
      '%',
      '%25',
      '&',
      '&amp;',
      '&#',
      '&#38',
      '=',
      '=\n',
      '%5C',
      '&#x5c;',
      '\\x5c\\',
      '%=\n2=\n5',
      '\n',
      '=25',
    ]
    const redact = createRedact(['SECRET', '\\%25&amp;==a'])
    for (const text of [...pieces.map((piece) => piece.repeat(65_536 / piece.length)), `%${'=\n'.repeat(32_000)}`])
      for (const isWhole of [true, false]) assert.equal(redact(`${text}!`, isWhole), `${text}!`)
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
