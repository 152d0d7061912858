import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { hashOfSecret, makeSecret, readSecret, secretPattern } from '../../src/accounts/key-secret.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** Independent of the code: the remainders of the CRC-32, the last digit first. */
function withChecksum(text: string): string {
  let rest = BigInt(crc32(text))
  const found: string[] = []
  for (; found.length < 6; rest /= 62n) found.unshift(digits[Number(rest % 62n)] as string)
  return text + found.join('')
}
const secret = withChecksum(`mng_${digits.slice(0, 32)}`)

describe('The secret of an API key', () => {
  it('is the prefix, 32 characters in base 62 and their checksum, and never the same twice', () => {
    const made = Array.from({ length: 200 }, makeSecret)
    assert.equal(new Set(made).size, made.length)
    for (const each of made) {
      assert.match(each, /^mng_[0-9A-Za-z]{38}$/)
      assert.equal(each, withChecksum(each.slice(0, 36)))
    }
  })

  it('is random: at each place every character may stand, all of them equally often', () => {
    const texts = Array.from({ length: 2_000 }, () => makeSecret().slice(4, 36))
    for (let at = 0; at < 32; at++) assert.equal(new Set(texts.map((text) => text[at])).size, 62, String(at))
    // Chance gets none of them this far from a 62nd once in 10 million runs: six standard deviations.
    for (const digit of digits) {
      const count = texts.join('').split(digit).length - 1
      assert.ok(Math.abs(count - 64_000 / 62) < 193, `${digit} ${count}`)
    }
  })

  it('has a pattern for scanners that no other text matches', () => {
    assert.equal(secretPattern, '^mng_[0-9A-Za-z]{38}$')
  })

  it('is known by its SHA-256 alone', () => {
    assert.equal(hashOfSecret(secret), hashOf(secret))
    assert.equal(hashOfSecret(secret).length, 43)
  })

  it('is read from an Authorization header, in any case of the scheme, which may be doubled', () => {
    for (const header of [
      `Bearer ${secret}`,
      `bearer ${secret}`,
      `BEARER   ${secret}`,
      `Bearer Bearer ${secret}`,
      `bearer  bearer  ${secret}`,
      `  Bearer ${secret} `,
    ])
      assert.equal(readSecret(header), hashOf(secret), header)
  })

  it('is refused without a query if it was cut, changed or made up', () => {
    const another = withChecksum(`mng_${digits.slice(1, 33)}`)
    assert.notEqual(secret.slice(-6), another.slice(-6))
    const forms = [secret.slice(0, -1), `${secret}0`, `mng_${secret}`, secret.toLowerCase(), 'mng_', `${secret}!`]
    const sums = [secret.slice(0, -6) + another.slice(-6), `${secret.slice(0, 35)}_${secret.slice(36)}`]
    for (const wrong of [...forms, ...sums]) assert.equal(readSecret(`Bearer ${wrong}`), null, wrong)
  })

  it('is in no other header: those are left to the login token', () => {
    for (const header of ['', 'Bearer', 'Bearer abc', `Bearer x${secret}`, `Basic ${secret}`, `x Bearer ${secret}`])
      assert.equal(readSecret(header), undefined, header)
    for (const header of [
      secret,
      `Bearer${secret}`,
      `Bearer a ${secret}`,
      `Bearer ${secret} a`,
      `BearerBearer ${secret}`,
    ])
      assert.equal(readSecret(header), undefined, header)
  })
})
