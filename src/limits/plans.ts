import type { Call } from '../http/call.ts'
import { plainPathOf } from '../http/router.ts'
import type { Ask } from './counters.ts'
import type { Scope, Scopes } from './scopes.ts'

/** What is asked of the counters for a request, by its method and path alone. */
export interface Plan {
  readonly asks: readonly Ask[]
  /** Logins are limited for everybody. */
  readonly asksOfExempt: readonly Ask[]
  /** Of a login: where its place is taken before it is read. */
  readonly takes: Scope | null
  /** Whether it matters who calls, exempt or not. */
  readonly asksName: boolean
}

/** `isShared`: what is told of the limits is then asked for in one act with the counting. */
export function createPlans(scopes: Scopes, isShared: boolean): (call: Call) => Plan {
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
  const byRoute = new Map([
    ['POST /auth/register', plan(add(global), add(auth), add(register))],
    ['POST /auth/login', plan(add(global), add(auth), { scope: byAddress, act: 'take' })],
  ])
  if (isShared) byRoute.set('GET /auth/me', plan(add(global), add(auth), look(register), look(byAddress), look(byName)))
  return ({ path, req: { method } }) => {
    const plain = path.includes('%') ? plainPathOf(path) : path
    if (!plain.startsWith('/auth/')) return anything
    return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${plain}`) ?? account
  }
}
