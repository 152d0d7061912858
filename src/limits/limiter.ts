import type { LimitedPassage } from '../accounts/limits.ts'
import type { Call } from '../http/call.ts'
import type { Gate } from '../http/gate.ts'
import type { Clock } from '../lib/clock.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { Logger } from '../process/logger.ts'
import type { CounterOp, Counters } from './counters.ts'
import { createLimitReport } from './limit-report.ts'
import { LimiterPassage } from './limiter-passage.ts'
import { createLoginFailures } from './login-failures.ts'
import { createPlans } from './plans.ts'
import { createRegisterLog } from './register-log.ts'
import { type Scope, type ScopeName, type Scopes, scopeNames } from './scopes.ts'
import type { Throttle } from './throttle.ts'

export interface Limiter extends Gate<LimitedPassage> {
  /** The number of 429 responses so far. */
  readonly refused: Readonly<Record<ScopeName, number>>
}

/** The account that a request's credential belongs to. */
export interface LimitedUser {
  readonly id: string
  /** In lower case. */
  readonly name: string
}

export interface LimitedSession {
  readonly id: string
  readonly user: LimitedUser
}

export interface LimiterDeps {
  readonly scopes: Scopes
  readonly counters: Counters
  readonly throttle: Throttle
  readonly clock: Clock
  readonly log: Pick<Logger, 'info'>
  readonly newId: () => string
  /** The subject for a client's address: IPv6 counts by network. */
  subjectOf(address: string): string
  /** The console session of a request; null if there is none or it is not valid. */
  sessionOf(call: Call): MaybePromise<LimitedSession | null>
  /** The account that a valid token belongs to; else null. */
  identify(call: Call): MaybePromise<LimitedUser | null>
  /** The id of the embed link whose token is in the path; null for a forged token. */
  linkOf(call: Call): string | null
  /** In lower case. */
  readonly exemptName: string | null
}

/** What all passages of the limiter share. */
export type LimiterParts = ReturnType<typeof partsOf>

function partsOf(deps: LimiterDeps) {
  const { scopes, counters, throttle, clock, newId, log } = deps
  const peeksWith = (own: Scope): readonly CounterOp[] =>
    [scopes.global, own, scopes.register, scopes.login_address, scopes.login_name, scopes.report]
      .filter(({ max }) => max > 0)
      .map((scope) => ({ scope, act: 'peek' }))
  return {
    ...deps,
    loginFailures: createLoginFailures({ counters, throttle, clock, newId }),
    report: createLimitReport(clock),
    logRegister: createRegisterLog(clock, log),
    plans: createPlans(scopes),
    /** What `GET /auth/me` shows, without and with a console session. */
    peeks: peeksWith(scopes.auth),
    sessionPeeks: peeksWith(scopes.session),
    refused: Object.fromEntries(scopeNames.map((name) => [name, 0])) as Record<ScopeName, number>,
  }
}

/** Counts every request in the scopes that apply to it, and refuses, delays or admits it. */
export function createLimiter(deps: LimiterDeps): Limiter {
  const parts = partsOf(deps)
  return { open: () => new LimiterPassage(parts), refused: parts.refused, stop: deps.throttle.stop }
}
