import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import type { CounterOp, CounterState } from '../../src/limits/counters.ts'
import { decide } from '../../src/limits/decide.ts'
import { createScopes, type SetScope } from '../../src/limits/scopes.ts'

const scopes = createScopes(rateLimitsOf(readConfig({})))

type Case = readonly [SetScope, CounterOp['act'], count: number, endsAt?: number, reserved?: boolean]

const decisionOf = (...cases: readonly Case[]) =>
  decide(
    cases.map(([name, act]) => ({ scope: scopes[name], act })),
    cases.map(([, , count, endsAt = 0, reserved = false]): CounterState => ({ count, pending: 0, endsAt, reserved })),
  )

describe('A decision', () => {
  it('admits the last request within a limit, and refuses the next', () => {
    const last = decisionOf(['global', 'count', 1000])
    assert.deepEqual([last?.refusedBy, last?.remaining], [null, 0])
    assert.equal(decisionOf(['global', 'count', 1001])?.refusedBy, scopes.global)
  })

  it('delays by the steps and caps of the contract', () => {
    const delays = (name: SetScope, counts: readonly number[]) =>
      counts.map((count) => decisionOf([name, 'count', count])?.delayMs)
    assert.deepEqual(delays('auth', [1, 10, 11, 12, 19, 20, 21, 50]), [0, 0, 500, 1000, 4500, 5000, 5000, 5000])
    assert.deepEqual(delays('register', [1, 2, 3]), [0, 5000, 10_000])
    assert.deepEqual(delays('global', [1, 1000]), [0, 0])
  })

  it('delays only what is counted, and nothing that has no delay', () => {
    assert.equal(decisionOf(['register', 'peek', 3], ['global', 'count', 1])?.delayMs, 0)
    assert.equal(decisionOf(['register', 'reserve', 2])?.delayMs, 0)
    assert.equal(decisionOf(['login_name', 'count', 4])?.delayMs, 0)
  })

  it('has an end from the beginning on, also on a clock that has just started', () => {
    for (const endsAt of [0, 1, -1]) assert.equal(decisionOf(['global', 'count', 1001, endsAt])?.endsAt, endsAt)
    const tied = decisionOf(['global', 'count', 1001, 5], ['auth', 'count', 51, 5])
    assert.deepEqual([tied?.shown, tied?.refusedBy], [scopes.global, scopes.global])
  })

  it('shows the first of several scopes with as few requests left', () => {
    assert.equal(decisionOf(['global', 'count', 990], ['auth', 'count', 40])?.shown, scopes.global)
    assert.equal(decisionOf(['auth', 'count', 40], ['global', 'count', 990])?.shown, scopes.auth)
  })

  it('shows a scope that refuses before one that admits, whichever comes first', () => {
    for (const order of [
      [
        ['auth', 'count', 51, 3],
        ['global', 'count', 999, 9],
      ],
      [
        ['global', 'count', 999, 9],
        ['auth', 'count', 51, 3],
      ],
    ] as const)
      assert.deepEqual([decisionOf(...order)?.shown, decisionOf(...order)?.endsAt], [scopes.auth, 3])
  })

  it('applies the longest delay, and none to a refused request', () => {
    assert.equal(decisionOf(['global', 'count', 12], ['auth', 'count', 11], ['register', 'count', 3])?.delayMs, 10_000)
    assert.equal(decisionOf(['global', 'count', 12], ['auth', 'count', 51], ['register', 'count', 3])?.delayMs, 0)
  })

  it('shows the scope with the fewest requests left', () => {
    const { shown, remaining, endsAt } = decisionOf(['global', 'count', 990, 7], ['auth', 'count', 30, 9]) ?? {}
    assert.deepEqual([shown, remaining, endsAt], [scopes.global, 10, 7])
  })

  it('shows the scope that refuses; of several, the one whose window ends last', () => {
    const cases: Case[] = [
      ['global', 'count', 1001, 5],
      ['auth', 'count', 51, 9],
      ['register', 'count', 4, 7],
    ]
    for (const order of [cases, cases.toReversed(), [cases[1], cases[0], cases[2]] as Case[]]) {
      const decision = decisionOf(...order)
      assert.deepEqual(
        [decision?.refusedBy, decision?.shown, decision?.remaining, decision?.endsAt],
        [scopes.auth, scopes.auth, 0, 9],
      )
    }
  })

  it('refuses a login only if all failures are used up, not if they are reserved', () => {
    assert.equal(decisionOf(['login_address', 'reserve', 8])?.refusedBy, scopes.login_address)
    assert.equal(decisionOf(['login_address', 'reserve', 7])?.refusedBy, null)
    assert.equal(decisionOf(['login_address', 'reserve', 7, 0, true])?.remaining, 1)
  })

  it('is null if nothing is counted, and ignores peeks', () => {
    assert.equal(decisionOf(), null)
    assert.equal(decisionOf(['register', 'peek', 9], ['login_name', 'peek', 9]), null)
  })
})
