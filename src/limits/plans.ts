import { plainPathOf } from '../http/router.ts'
import type { CounterOp } from './counters.ts'
import type { RouteLimit, Scope, Scopes } from './scopes.ts'

/** The counter operations of a request. */
export interface Plan {
  readonly ops: readonly CounterOp[]
  /** For the exempt user, to whom only the login limits apply. */
  readonly exemptOps: readonly CounterOp[]
  /** The operations by address, for when the caller is unknown. */
  readonly addressOps: readonly CounterOp[]
  /** For a login: the scope that is reserved before its body is read. */
  readonly reserves: Scope | null
  /** What a password reserves once the body is read. */
  readonly guesses: readonly Scope[]
  /** For a request of a console session, which leaves the address's `auth` scope. */
  readonly sessionOps: readonly CounterOp[]
  /** Whether the caller must be known. */
  readonly needsCaller: boolean
  /** Counts only what the others admit: one address over its limit must not use up the limit of an embed link. */
  readonly ofLink: CounterOp | null
}

export function createPlans(scopes: Scopes) {
  const { global, auth, register, login_address: byAddress, login_name: byName, report, session } = scopes
  const count = (scope: Scope): CounterOp => ({ scope, act: 'count' })
  const plan = (all: readonly CounterOp[], guesses: readonly Scope[] = []): Plan => {
    const counted = all.filter(({ scope }) => scope.max > 0)
    const ops = counted.filter(({ scope }) => scope.by !== 'link')
    return {
      ops,
      exemptOps: ops.filter(({ scope }) => scope.counts === 'failures'),
      sessionOps: [
        ...ops.filter(({ scope }) => scope === global),
        ...(session.max > 0 ? [count(session)] : []),
        ...ops.filter(({ scope }) => scope !== global && scope !== auth),
      ],
      addressOps: ops.filter(({ scope }) => scope.by === 'address'),
      reserves: ops.find(({ act }) => act === 'reserve')?.scope ?? null,
      guesses: guesses.filter(({ max }) => max > 0),
      needsCaller: ops.some(({ scope }) => scope.by === 'name' || scope.by === 'user'),
      ofLink: counted.find(({ scope }) => scope.by === 'link') ?? null,
    }
  }
  const others = plan([count(global)])
  const account = plan([count(global), count(auth)])
  const plans: Readonly<Record<RouteLimit, Plan>> = {
    auth: account,
    password: plan([count(global), count(auth)], [byName]),
    passwordAgain: plan([count(global), count(auth)], [byAddress, byName]),
    adminPasswordAgain: plan([count(global)], [byAddress, byName]),
    register: plan([count(global), count(auth), count(register)]),
    login: plan([count(global), count(auth), { scope: byAddress, act: 'reserve' }], [byName]),
    embed: plan([count(global), count(scopes.embed_address), count(scopes.embed_link)]),
    me: account,
    report: plan([count(global), count(report)]),
  }
  return {
    ofRoute: (limit: RouteLimit | null) => (limit === null ? others : plans[limit]),
    /** For a request that no route matches: the limit of `/auth/` covers every path below it. */
    ofPath: (path: string) => (plainPathOf(path).startsWith('/auth/') ? account : others),
  }
}
