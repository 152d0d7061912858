import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { makeSecret, secretPattern } from '../../src/accounts/key-secret.ts'
import { answerOf } from '../support/people.ts'
import { stores } from '../support/stores.ts'
import { keyStage } from './key-stage.ts'

const [sqlite = assert.fail()] = stores
const name = 'name must be 1 to 64 characters without control characters'
const scopes = 'scopes must be a list of images, upload, store, admin:read'
const expiry =
  'expiresIn must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days, or never'
const limit = 'limitPerMinute must be a whole number from 1 to 100000'

describe('The fields of an API key', () => {
  const { stage, create, somebody } = keyStage(sqlite)

  it('are refused with a text that says what is expected', async () => {
    const person = await somebody()
    const good = { name: 'x', scopes: ['images'] }
    for (const [message, ...bodies] of [
      ['name is required', {}, { scopes: [] }, ...[null, 7, '', ['x']].map((each) => ({ ...good, name: each }))],
      ['scopes is required', { name: 'x' }, ...[null, ''].map((each) => ({ ...good, scopes: each }))],
      [name, ...[' ', 'x'.repeat(65), 'a\0b', 'a\nb', '\ud800'].map((each) => ({ ...good, name: each }))],
      [
        scopes,
        ...[[], ['x'], ['images', 7], 'images', {}, [null], ['__proto__']].map((each) => ({ ...good, scopes: each })),
      ],
      [
        expiry,
        ...[0, -1, 1.5, 315_360_001, '', '0s', '3651d', '30', '30 d', 'soon', true, [], '9999999999s'].map((each) => {
          return { ...good, expiresIn: each }
        }),
      ],
      [limit, ...[0, -1, 1.5, 100_001, '5', '', true].map((each) => ({ ...good, limitPerMinute: each }))],
    ] as const)
      for (const body of bodies)
        assert.deepEqual(answerOf(await create(person, body)), [400, { error: message }], JSON.stringify(body))
    const { id, name: kept } = (await create(person, { ...good, name: '\u{1f98a}'.repeat(64), expiresIn: '3650d' }))
      .body
    assert.equal(kept, '\u{1f98a}'.repeat(64))
    for (const graceSeconds of [-1, 1.5, 86_401, '5', '', true]) {
      const options = { token: person.accessToken, body: { graceSeconds } }
      const reply = await stage.service.request('POST', `/auth/keys/${id}/rotate`, options)
      assert.deepEqual(answerOf(reply), [400, { error: 'graceSeconds must be a whole number from 0 to 86400' }])
    }
    const list = await stage.service.request('GET', '/auth/keys', { token: person.accessToken })
    assert.equal(list.body.keys.length, 1)
  })
})

describe('The secret of an API key', () => {
  it('has a prefix, 32 random characters and their CRC-32 in base 62, as the documents tell scanners', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const seen = new Set<string>()
    const secrets = Array.from({ length: 1_000 }, makeSecret)
    for (const secret of secrets) {
      assert.match(secret, new RegExp(secretPattern))
      const checksum = [...secret.slice(36)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0)
      assert.equal(checksum, crc32(secret.slice(0, 36)))
      for (const digit of secret.slice(4, 36)) seen.add(digit)
    }
    assert.deepEqual([new Set(secrets).size, seen.size], [1_000, 62])
  })
})
