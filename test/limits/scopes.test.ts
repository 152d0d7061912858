import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import {
  createScopes,
  maxUndelayed,
  routeLimits,
  scopeNames,
  scopeOfKey,
  setScopes,
  whatIsLimited,
} from '../../src/limits/scopes.ts'

describe('The scopes of rate limits', () => {
  it('count requests or failures, each by whom the contract says', () => {
    const scopes = createScopes(rateLimitsOf(readConfig({})))
    assert.deepEqual(
      Object.values(scopes).map(({ name, by, counts, max, windowMs }) => [name, by, counts, max, windowMs]),
      [
        ['global', 'address', 'requests', 1_000, 120_000],
        ['auth', 'address', 'requests', 50, 900_000],
        ['register', 'address', 'requests', 3, 3_600_000],
        ['login_address', 'address', 'failures', 8, 900_000],
        ['login_name', 'name', 'failures', 5, 900_000],
        ['embed_link', 'link', 'requests', 600, 60_000],
        ['embed_address', 'address', 'requests', 120, 60_000],
        ['report', 'user', 'requests', 10, 3_600_000],
        ['session', 'session', 'requests', 600, 60_000],
      ],
    )
    assert.deepEqual([setScopes, scopeNames], [Object.keys(scopes), [...Object.keys(scopes), 'key']])
  })

  it('stand behind the limits that routes name', () => {
    assert.deepEqual(routeLimits, {
      auth: ['auth'],
      me: ['auth'],
      register: ['auth', 'register'],
      login: ['auth', 'login_address', 'login_name'],
      password: ['auth', 'login_name'],
      passwordAgain: ['auth', 'login_address', 'login_name'],
      adminPasswordAgain: ['login_address', 'login_name'],
      embed: ['embed_link', 'embed_address'],
      report: ['report'],
    })
  })

  it('count the requests of an API key in minutes, without a delay', () => {
    const slow = null
    assert.deepEqual(scopeOfKey(7), { name: 'key', by: 'name', counts: 'requests', max: 7, windowMs: 60_000, slow })
  })

  it('delay from the setting on, and never later than they refuse', () => {
    const limit = { max: 5, windowMs: 1_000 }
    const slow = (after: number) => ({ after, stepMs: 1, capMs: 1 })
    assert.deepEqual(
      [null, slow(0), slow(3), slow(9)].map((each) => maxUndelayed({ ...limit, slow: each })),
      [5, 0, 3, 5],
    )
  })

  it('have a text for people, each its own', () => {
    const texts = scopeNames.map((name) => whatIsLimited[name])
    assert.equal(new Set(texts).size, scopeNames.length)
    for (const text of texts) assert.match(text, /^(Requests|Registrations|Failed logins|Reports) .*\b(per|to)\b/)
  })
})
