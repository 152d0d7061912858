import { tagsOf } from '../accounts/api-route.ts'
import type { LimitedPassage, NamedUser, RemainingLimit } from '../accounts/limits.ts'
import type { Call } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import { needsToken, type Route } from '../http/route.ts'
import { chain, type MaybePromise } from '../lib/maybe-promise.ts'
import { type CounterOp, type CounterState, nobody, type Reservation, type Subjects } from './counters.ts'
import { type Decision, decide } from './decide.ts'
import { errors } from './errors.ts'
import type { Counted } from './limit-report.ts'
import type { LimitedSession, LimitedUser, LimiterParts } from './limiter.ts'
import type { Attempt } from './login-failures.ts'
import type { Plan } from './plans.ts'
import { type Scope, scopeOfKey } from './scopes.ts'

/** One request: counted when it enters, reported in the headers of its response. */
export class LimiterPassage implements LimitedPassage {
  readonly #parts: LimiterParts
  #call: Call | null = null
  /** The id of the console session; empty if there is none. */
  #session = ''
  #guesses: readonly Scope[] = []
  #isExempt = false
  /** What the headers show; null if nothing is counted. */
  #shown: Scope | null = null
  #remaining = 0
  #endsAt = 0
  #isRefused = false
  /** The API key's own limit, if it has one. */
  #ofKey: Counted | null = null
  /** Reservations that the response's status settles. */
  #attempts: readonly { readonly reservation: Reservation; readonly state: CounterState }[] = []

  constructor(parts: LimiterParts) {
    this.#parts = parts
  }

  enter(call: Call, route: Route | null): MaybePromise<void> {
    this.#call = call
    if (route === null || !needsToken(route)) return this.#enter(call, route, null)
    return chain(this.#parts.sessionOf(call), (session) => this.#enter(call, route, session))
  }

  #enter(call: Call, route: Route | null, session: LimitedSession | null): MaybePromise<void> {
    const { plans, exemptName, identify } = this.#parts
    const plan = route === null ? plans.ofPath(call.path) : plans.ofRoute(tagsOf(route).limit)
    this.#guesses = plan.guesses
    if (session) {
      this.#session = session.id
      return this.#countAll(call, plan, session.user)
    }
    const mayBeExempt = exemptName !== null && call.req.headers.authorization !== undefined
    if (!mayBeExempt && !plan.needsCaller) return this.#countAll(call, plan, null)
    return chain(identify(call), (user) => {
      this.#isExempt = user !== null && user.name === exemptName
      return this.#countAll(call, plan, user)
    })
  }

  leave(status: number | null): string {
    if (this.#attempts.length > 0) this.#settle(status)
    if (status === null || this.#shown === null || (this.#isExempt && !this.#isRefused)) return ''
    return this.#parts.report.lines(this.#shown, this.#remaining, this.#endsAt, this.#isRefused)
  }

  countKey(keyId: string, max: number): MaybePromise<void> {
    const ops: readonly CounterOp[] = [{ scope: scopeOfKey(max), act: 'count' }]
    return chain(this.#countAlso(ops, { ...nobody, name: keyId }), (states) => {
      this.#ofKey = { ops, states }
    })
  }

  async guess(username: string): Promise<void> {
    const { loginFailures, subjectOf } = this.#parts
    const call = this.#call as Call
    for (const scope of this.#guesses) {
      const subject = scope.by === 'name' ? username.toLowerCase() : subjectOf(call.address)
      this.#keep(await loginFailures.reserve(call, scope, subject), scope)
    }
  }

  guessedRight(): void {
    this.#settle(null)
  }

  async forgetGuesses(username: string): Promise<void> {
    const { counters, scopes } = this.#parts
    await counters.forget(scopes.login_name, username.toLowerCase())
  }

  async remainingLimits({ id, username }: NamedUser): Promise<RemainingLimit[]> {
    const { peeks, sessionPeeks, report, counters, subjectOf } = this.#parts
    const all = this.#session === '' ? peeks : sessionPeeks
    const ops = this.#isExempt ? all.filter(({ scope }) => scope.counts === 'failures') : all
    const address = subjectOf((this.#call as Call).address)
    const subjects = { ...nobody, address, name: username.toLowerCase(), user: id, session: this.#session }
    const counted = { ops, states: await counters.hit(ops, subjects, '') }
    return report.remaining(this.#ofKey === null ? [counted] : [counted, this.#ofKey])
  }

  #countAll(call: Call, plan: Plan, user: LimitedUser | null): MaybePromise<void> {
    const counted = this.#count(call, plan, user)
    const { ofLink } = plan
    if (ofLink === null || this.#isExempt) return counted
    return chain(counted, () => {
      const link = this.#parts.linkOf(call)
      if (link !== null) return chain(this.#countAlso([ofLink], { ...nobody, link }), () => {})
    })
  }

  /** Counts in one more limit, once the others have admitted the request. */
  #countAlso(ops: readonly CounterOp[], subjects: Subjects): MaybePromise<readonly CounterState[]> {
    return chain(this.#parts.counters.hit(ops, subjects, ''), (states) => {
      const { refusedBy, shown, remaining, endsAt } = decide(ops, states) as Decision
      if (refusedBy || this.#shown === null || remaining < this.#remaining) this.#show(shown, remaining, endsAt)
      if (refusedBy) this.#refuse(refusedBy)
      return states
    })
  }

  #count(call: Call, plan: Plan, user: LimitedUser | null): MaybePromise<void> {
    const { counters, loginFailures, newId, subjectOf } = this.#parts
    const { reserves } = plan
    const address = subjectOf(call.address)
    const subjects = { address, name: user?.name ?? '', user: user?.id ?? '', link: '', session: this.#session }
    const isUnknown = plan.needsCaller && user === null
    const ofCaller = this.#session === '' ? plan.ops : plan.sessionOps
    const all = this.#isExempt ? plan.exemptOps : isUnknown ? plan.addressOps : ofCaller
    if (all.length === 0) return
    // Others are already waiting for a reservation: this one joins the queue.
    const ops = reserves && loginFailures.isAwaited(reserves, subjects.address) ? all.map(withoutReserving) : all
    const id = reserves ? newId() : ''
    return chain(counters.hit(ops, subjects, id), (states) =>
      this.#decide(call, { ops, states }, reserves, subjects.address, id),
    )
  }

  #decide(
    call: Call,
    { ops, states }: Counted,
    reserves: Scope | null,
    subject: string,
    id: string,
  ): MaybePromise<void> {
    const decision = decide(ops, states)
    if (decision) {
      this.#show(decision.shown, decision.remaining, decision.endsAt)
      this.#parts.logRegister(subject, ops, states, decision)
      if (decision.refusedBy) this.#refuse(decision.refusedBy)
    }
    const delayMs = decision === null ? 0 : decision.delayMs
    if (reserves === null) return delayMs > 0 ? this.#parts.throttle.delay(call, delayMs) : undefined
    const state = states.find(({ reserved }) => reserved)
    if (state) return this.#keep({ reservation: { scope: reserves, subject, id }, state }, reserves)
    return this.#reserveLater(call, delayMs, reserves, subject)
  }

  /** Reserves only after the delay, so that a delayed login does not block others. */
  async #reserveLater(call: Call, delayMs: number, scope: Scope, subject: string): Promise<void> {
    const { throttle, loginFailures } = this.#parts
    if (delayMs > 0) await throttle.delay(call, delayMs)
    this.#keep(await loginFailures.reserve(call, scope, subject), scope)
  }

  #keep({ reservation, state }: Attempt, scope: Scope): void {
    if (reservation) {
      this.#attempts = [...this.#attempts, { reservation, state }]
      return
    }
    this.#show(scope, 0, state.endsAt)
    this.#refuse(scope)
  }

  #show(scope: Scope, remaining: number, endsAt: number): void {
    this.#shown = scope
    this.#remaining = remaining
    this.#endsAt = endsAt
  }

  #refuse(scope: Scope): never {
    this.#isRefused = true
    this.#parts.refused[scope.name] += 1
    refuse(errors.tooMany)
  }

  /** Every 4xx is a failed login; our own failure (5xx) or a disconnected client is not. */
  #settle(status: number | null): void {
    const isFailure = status !== null && status >= 400 && status < 500
    for (const { reservation, state } of this.#attempts) {
      // Other logins may have failed meanwhile, here or on another instance.
      const failures = Math.max(
        this.#parts.loginFailures.settle(reservation, isFailure),
        state.count + (isFailure ? 1 : 0),
      )
      const remaining = Math.max(0, reservation.scope.max - failures)
      if (this.#isRefused || (this.#shown && this.#remaining <= remaining)) continue
      this.#show(reservation.scope, remaining, state.endsAt)
    }
    this.#attempts = []
  }
}

const withoutReserving = (op: CounterOp): CounterOp => (op.act === 'reserve' ? { ...op, act: 'peek' } : op)
