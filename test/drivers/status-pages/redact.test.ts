import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createRedact, shownUrl } from '../../../src/drivers/status-pages/redact.ts'
import { assertProperty } from '../../support/seed.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')
const swapCase = (text: string) =>
  text.replace(/[a-zA-Z]/g, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
const upper = (text: string) => text.toUpperCase()
const escaped = (text: string) =>
  text.replace(/./gsu, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  )
const secrets = ['0123456789abcdefSECRET', 'a/b+c=d~e&f"g<h\\i %41', 'größe//über&&']

const forms: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'plain, in the other case': swapCase,
  URL: encodeURIComponent,
  'URL, with lower-case digits': (secret) => encodeURIComponent(secret).replace(/%../g, (sign) => sign.toLowerCase()),
  form: (secret) => new URLSearchParams({ '': secret }).toString().slice(1),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON of PHP': (secret) => JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'JSON, with every character escaped': (secret) => escaped(secret),
  'JSON, with every character escaped in upper case': (secret) => escaped(swapCase(secret)).replace(/[a-f]/g, upper),
  'JSON, with every second character escaped': (secret) =>
    secret.replace(/(.)(.)/gsu, (_, first, second) => JSON.stringify(first).slice(1, -1) + escaped(second)),
  'JSON in JSON': (secret) => JSON.stringify(`"${escaped(secret)}"`).slice(3, -3),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex, with upper-case digits': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  base64,
  'base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'base64, at offset 0': (secret) => base64(`Bearer:  ${secret}:x`),
  'base64, at offset 1': (secret) => base64(`.${secret}.`),
  'base64, at offset 2': (secret) => base64(`..${secret}`),
}

const escapes: Readonly<Record<string, (secret: string) => string>> = {
  HTML: (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'base64 in lines': (secret) => base64(`...${secret}`).replace(/.{12}/g, '$&\r\n'),
  'the second half, escaped': (secret) => `<${escaped(secret.slice(-8))}`,
  'two halves': (secret) => `${secret.slice(0, 8)}\n${secret.slice(8)}`,
}

describe('A secret in a response', () => {
  for (const [form, write] of Object.entries(forms)) {
    it(`is masked: ${form}`, () => {
      for (const secret of secrets) {
        const shown = createRedact([secret, 'another one'])(`before ${write(secret)} between ${write(secret)} after`)
        assert.match(shown ?? '', /^before .{0,16}\*{4}.{0,4} between .{0,16}\*{4}.{0,4} after$/)
      }
    })
  }

  for (const [writing, write] of Object.entries(escapes)) {
    it(`is masked, or the whole response is withheld: ${writing}`, () => {
      for (const secret of secrets) {
        const shown = createRedact([secret])(`before ${write(secret)} after`)
        assert.ok(shown === null || /^before \*{4} after$/.test(shown), String(shown))
      }
    })
  }

  it('never passes with 8 consecutive characters, in upper or lower case, wherever the response was cut', () => {
    const text = fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
    assertProperty(
      fc.property(text, fc.nat(), fc.nat(), fc.boolean(), (secret, from, length, isSwapped) => {
        const start = from % (secret.length - 7)
        const piece = secret.slice(start, start + 8 + (length % (secret.length - start - 7)))
        const sent = isSwapped ? swapCase(piece) : piece
        const redact = createRedact([secret])
        for (const text of [sent, escaped(sent)]) {
          const shown = redact(`before ${text}`)
          const read = shown?.replace(/\\u(....)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
          assert.ok(!read?.toLowerCase().includes(piece.slice(0, 8).toLowerCase()), String(shown))
        }
      }),
      { seed: 1, numRuns: 3_000 },
    )
  })

  it('passes with its first 7 characters if the response was cut after them', () => {
    assert.equal(createRedact(['0123456789'])('<0123456'), '<0123456')
    assert.equal(createRedact(['0123456789'])('<01234567'), null)
  })

  it('is masked if it overlaps another one, or is shorter than 8 characters', () => {
    assert.equal(createRedact(['abcabc'])('abcabcabc!'), '****abc!')
    assert.equal(createRedact(['abc', 'abcdef'])('xabcdefx aBcx'), 'x****x ****x')
    assert.equal(createRedact(['a', ''])('banana é'), 'b****n****n**** é')
  })

  it('is all that is masked: everything else stays, even 64 KiB of escapes', () => {
    const text = 'ünï &amp; \\u0041 %20 \u{1f600} � {"a":"b\\"c"}\r\n'
    assert.equal(createRedact([])(text), text)
    assert.equal(createRedact(['SECRET'])(`${text}SECRET${text}`), `${text}****${text}`)
    for (const piece of ['\\', '\\u0053', '\\\\u0053\\u0045', '%25', '&#38', '=\n'])
      assert.equal(createRedact(['SECRET0123'])(piece.repeat(16_384)), piece.repeat(16_384))
  })
})

describe('A URL that is shown', () => {
  it('has no credentials, query or fragment', () => {
    assert.equal(shownUrl('https://me:SECRET@example.org:8443/a/b?token=SECRET#SECRET'), 'https://example.org:8443/a/b')
  })
})
