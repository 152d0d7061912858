import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import type { Ask, Standing } from '../../src/limits/counters.ts'
import { decide } from '../../src/limits/decide.ts'
import { createScopes, type ScopeName } from '../../src/limits/scopes.ts'

const scopes = createScopes(rateLimitsOf(readConfig({})))

type Case = readonly [ScopeName, Ask['act'], count: number, endsAt?: number, taken?: boolean]

const verdictOf = (...cases: readonly Case[]) =>
  decide(
    cases.map(([name, act]) => ({ scope: scopes[name], act })),
    cases.map(([, , count, endsAt = 0, taken = false]): Standing => ({ count, pending: 0, endsAt, taken })),
  )

describe('A verdict', () => {
  it('admits the last one that a limit allows, and refuses the one after it', () => {
    const last = verdictOf(['global', 'add', 1000])
    assert.deepEqual([last?.refusedBy, last?.remaining], [null, 0])
    assert.equal(verdictOf(['global', 'add', 1001])?.refusedBy, scopes.global)
  })

  it('delays by the numbers of the contract, each step and no more than the cap', () => {
    const delays = (name: ScopeName, counts: readonly number[]) =>
      counts.map((count) => verdictOf([name, 'add', count])?.delayMs)
    assert.deepEqual(delays('auth', [1, 10, 11, 12, 19, 20, 21, 50]), [0, 0, 500, 1000, 4500, 5000, 5000, 5000])
    assert.deepEqual(delays('register', [1, 2, 3]), [0, 5000, 10_000])
    assert.deepEqual(delays('global', [1, 1000]), [0, 0])
  })

  it('delays by the longest of those that apply, and what is refused not at all', () => {
    assert.equal(verdictOf(['global', 'add', 12], ['auth', 'add', 11], ['register', 'add', 3])?.delayMs, 10_000)
    assert.equal(verdictOf(['global', 'add', 12], ['auth', 'add', 51], ['register', 'add', 3])?.delayMs, 0)
  })

  it('tells of the scope with the fewest left', () => {
    const { told, remaining, endsAt } = verdictOf(['global', 'add', 990, 7], ['auth', 'add', 30, 9]) ?? {}
    assert.deepEqual([told, remaining, endsAt], [scopes.global, 10, 7])
  })

  it('tells of the scope that refuses, of several the one that does so longest', () => {
    const cases: Case[] = [
      ['global', 'add', 1001, 5],
      ['auth', 'add', 51, 9],
      ['register', 'add', 4, 7],
    ]
    for (const order of [cases, cases.toReversed(), [cases[1], cases[0], cases[2]] as Case[]]) {
      const verdict = verdictOf(...order)
      assert.deepEqual(
        [verdict?.refusedBy, verdict?.told, verdict?.remaining, verdict?.endsAt],
        [scopes.auth, scopes.auth, 0, 9],
      )
    }
  })

  it('refuses a guess only where all places are used, and not where they are taken', () => {
    assert.equal(verdictOf(['login_address', 'take', 8])?.refusedBy, scopes.login_address)
    assert.equal(verdictOf(['login_address', 'take', 7])?.refusedBy, null)
    assert.equal(verdictOf(['login_address', 'take', 7, 0, true])?.remaining, 1)
  })

  it('is none where nothing is counted, and overlooks what was only looked at', () => {
    assert.equal(verdictOf(), null)
    assert.equal(verdictOf(['register', 'look', 9], ['login_name', 'look', 9]), null)
  })
})
