import { plainPathOf } from '../http/router.ts'
import type { Ask } from './counters.ts'
import type { RouteLimit, Scope, Scopes } from './scopes.ts'

/** What is asked of the counters for a request. */
export interface Plan {
  readonly asks: readonly Ask[]
  /** Logins are limited for everybody. */
  readonly asksOfExempt: readonly Ask[]
  /** Of a login: where its place is taken before it is read. */
  readonly takes: Scope | null
  /** Whether it matters who calls, exempt or not. */
  readonly asksName: boolean
}

export interface Plans {
  ofRoute(limit: RouteLimit | null): Plan
  /** Of a request that no route matches: the limit of `/auth/` covers every path below it. */
  ofPath(path: string): Plan
}

/** `isShared`: what is told of the limits is then asked for in one act with the counting. */
export function createPlans(scopes: Scopes, isShared: boolean): Plans {
  const { global, auth, register, login_address: byAddress, login_name: byName } = scopes
  const plan = (...all: readonly Ask[]): Plan => {
    const asks = all.filter(({ scope }) => scope.max > 0)
    return {
      asks,
      asksOfExempt: asks.filter(({ scope }) => scope.counts === 'failures'),
      takes: asks.find(({ act }) => act === 'take')?.scope ?? null,
      asksName: asks.some(({ scope }) => scope.by === 'name'),
    }
  }
  const add = (scope: Scope): Ask => ({ scope, act: 'add' })
  const look = (scope: Scope): Ask => ({ scope, act: 'look' })
  const anything = plan(add(global))
  const account = plan(add(global), add(auth))
  const plans: Readonly<Record<RouteLimit, Plan>> = {
    auth: account,
    register: plan(add(global), add(auth), add(register)),
    login: plan(add(global), add(auth), { scope: byAddress, act: 'take' }),
    me: isShared ? plan(add(global), add(auth), look(register), look(byAddress), look(byName)) : account,
  }
  return {
    ofRoute: (limit) => (limit === null ? anything : plans[limit]),
    ofPath: (path) => (plainPathOf(path).startsWith('/auth/') ? account : anything),
  }
}
