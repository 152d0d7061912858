import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import type { CounterOp } from '../../src/limits/counters.ts'
import { createPlans, type Plan } from '../../src/limits/plans.ts'
import { createScopes, type RouteLimit, routeLimits, type Scope } from '../../src/limits/scopes.ts'

const plansWith = (env: Record<string, string> = {}) => createPlans(createScopes(rateLimitsOf(readConfig(env))))

const opOf = ({ scope, act }: CounterOp) => (act === 'count' ? scope.name : `${act} ${scope.name}`)
const named = (scopes: readonly Scope[]) => scopes.map(({ name }) => name)

/** A plan in words. */
const shown = (plan: Plan) => ({
  ops: plan.ops.map(opOf),
  exempt: plan.exemptOps.map(opOf),
  address: plan.addressOps.map(opOf),
  session: plan.sessionOps.map(opOf),
  reserves: plan.reserves?.name ?? null,
  guesses: named(plan.guesses),
  needsCaller: plan.needsCaller,
  ofLink: plan.ofLink && opOf(plan.ofLink),
})

const nothing = { exempt: [], reserves: null, guesses: [], needsCaller: false, ofLink: null }
const others = { ...nothing, ops: ['global'], address: ['global'], session: ['global', 'session'] }
const account = { ...nothing, ops: ['global', 'auth'], address: ['global', 'auth'], session: ['global', 'session'] }
const [byAddress, byName] = ['login_address', 'login_name']

/** What each route counts, as the contract says it. */
const expected: Readonly<Record<RouteLimit, object>> = {
  auth: account,
  me: account,
  password: { ...account, guesses: [byName] },
  passwordAgain: { ...account, guesses: [byAddress, byName] },
  adminPasswordAgain: { ...others, guesses: [byAddress, byName] },
  register: {
    ...nothing,
    ops: ['global', 'auth', 'register'],
    address: ['global', 'auth', 'register'],
    session: ['global', 'session', 'register'],
  },
  login: {
    ...nothing,
    ops: ['global', 'auth', 'reserve login_address'],
    exempt: ['reserve login_address'],
    address: ['global', 'auth', 'reserve login_address'],
    session: ['global', 'session', 'reserve login_address'],
    reserves: byAddress,
    guesses: [byName],
  },
  embed: {
    ...others,
    ops: ['global', 'embed_address'],
    address: ['global', 'embed_address'],
    session: ['global', 'session', 'embed_address'],
    ofLink: 'embed_link',
  },
  report: { ...others, ops: ['global', 'report'], session: ['global', 'session', 'report'], needsCaller: true },
}

describe('The plan of a request', () => {
  for (const limit of Object.keys(routeLimits) as RouteLimit[])
    it(`counts, reserves and guesses what the limit ${limit} says`, () => {
      assert.deepEqual(shown(plansWith().ofRoute(limit)), expected[limit])
    })

  it('counts in global alone without a limit, and in auth for any unmatched path below /auth/', () => {
    const plans = plansWith()
    assert.deepEqual(shown(plans.ofRoute(null)), others)
    for (const path of ['/auth/', '/auth/nothing', '/auth/a/b']) assert.deepEqual(shown(plans.ofPath(path)), account)
    for (const path of ['/', '/auth', '/authors/', '/x/auth/']) assert.deepEqual(shown(plans.ofPath(path)), others)
  })

  it('has limits of a single request, too', () => {
    const single = Object.fromEntries(
      ['GLOBAL', 'AUTH', 'SESSION', 'LOGIN_NAME', 'LOGIN_ADDRESS'].map((each) => [`RATE_LIMIT_${each}_MAX`, '1']),
    )
    for (const limit of ['auth', 'login', 'passwordAgain'] as const)
      assert.deepEqual(shown(plansWith(single).ofRoute(limit)), expected[limit])
  })

  it('leaves out limits that are off', () => {
    const off = (...scopes: string[]) =>
      plansWith(Object.fromEntries(scopes.map((each) => [`RATE_LIMIT_${each}_MAX`, '0'])))
    assert.deepEqual(shown(off('GLOBAL', 'SESSION').ofRoute('auth')), {
      ...nothing,
      ops: ['auth'],
      address: ['auth'],
      session: [],
    })
    assert.deepEqual(shown(off('LOGIN_ADDRESS', 'LOGIN_NAME').ofRoute('login')), account)
    assert.deepEqual(shown(off('LOGIN_NAME').ofRoute('passwordAgain')), { ...account, guesses: [byAddress] })
    assert.deepEqual(shown(off('EMBED_LINK', 'EMBED_ADDRESS').ofRoute('embed')), others)
    assert.deepEqual(shown(off('REPORT').ofRoute('report')), others)
  })
})
