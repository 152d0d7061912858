import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  defaultKeyLifetimeMs,
  isExpired,
  isKeyName,
  maxGraceSeconds,
  maxKeyLimit,
  maxKeyNameLength,
  maxKeys,
} from '../../src/accounts/keys.ts'

it('The name of an API key is 1 to 64 characters, not all of them spaces, without control characters', () => {
  for (const name of ['a', ' a ', '💥'.repeat(64), 'Büro 2', 'x'.repeat(64)]) assert.equal(isKeyName(name), true, name)
  for (const name of ['', ' ', '\u3000', 'x'.repeat(65), '💥'.repeat(65), 'a\nb', '\0', 'a\x7f', 'a\x9f', 'a\ud800'])
    assert.equal(isKeyName(name), false, JSON.stringify(name))
})

it('An API key expires at its time, not a millisecond later, and never without one', () => {
  assert.deepEqual([isExpired({ expiresAt: 5 }, 4), isExpired({ expiresAt: 5 }, 5)], [false, true])
  assert.deepEqual([isExpired({ expiresAt: 5 }, 6), isExpired({ expiresAt: null }, 6)], [true, false])
  assert.equal(isExpired({ expiresAt: null }, 0), false)
})

it('API keys have the limits of the documents: 50 keys, a year, 100,000 requests a minute, and a day to change them', () => {
  assert.deepEqual([maxKeys, maxKeyNameLength, maxKeyLimit, maxGraceSeconds], [50, 64, 100_000, 86_400])
  assert.equal(defaultKeyLifetimeMs, Date.parse('2027-06-01') - Date.parse('2026-06-01'))
})
