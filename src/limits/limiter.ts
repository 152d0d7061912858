import { tagsOf } from '../accounts/api-route.ts'
import type { LimitedPassage } from '../accounts/limits.ts'
import type { Call } from '../http/call.ts'
import type { Gate } from '../http/gate.ts'
import { refuse } from '../http/refusal.ts'
import type { Route } from '../http/route.ts'
import type { Clock } from '../lib/clock.ts'
import { isPromise, type MaybePromise } from '../lib/maybe-promise.ts'
import type { Ask, Counters, Place, Standing, Subjects } from './counters.ts'
import { decide } from './decide.ts'
import { errors } from './errors.ts'
import { createPlaces, type Taking } from './places.ts'
import { createPlans, type Plan } from './plans.ts'
import { type Scope, type ScopeName, type Scopes, scopeNames } from './scopes.ts'
import { createTelling } from './telling.ts'
import type { WaitingRoom } from './waiting-room.ts'

export interface Limiter extends Gate<LimitedPassage> {
  /** 429s so far. */
  readonly refused: Readonly<Record<ScopeName, number>>
}

interface LimiterDeps {
  readonly scopes: Scopes
  readonly counters: Counters
  readonly room: WaitingRoom
  readonly clock: Clock
  readonly newId: () => string
  /** One text for each client, from the address of a request. */
  subjectOf(address: string): string
  /** The name of the account that the request's token belongs to, in lower case; null where it proves nothing. */
  identify(call: Call): MaybePromise<string | null>
  /** In lower case. */
  readonly exemptName: string | null
}

const nothing: readonly never[] = []

/** Counts every request in the scopes that cover it; refuses, slows down, or lets it pass. */
export function createLimiter(deps: LimiterDeps): Limiter {
  const { scopes, counters, room, clock, newId, subjectOf, identify, exemptName } = deps
  const places = createPlaces({ counters, room, clock, newId })
  const telling = createTelling(scopes, clock)
  const plans = createPlans(scopes, counters.isShared)
  const looks = Object.values(scopes).flatMap((scope): Ask[] => (scope.max > 0 ? [{ scope, act: 'look' }] : []))
  const refused = Object.fromEntries(scopeNames.map((name) => [name, 0])) as Record<ScopeName, number>

  /** What is known of a request on its way: found when it enters, told on its answer. */
  class Passing implements LimitedPassage {
    call: Call | null = null
    asks: readonly Ask[] = nothing
    standings: readonly Standing[] = nothing
    isExempt = false
    /** What the headers tell of; null where nothing is counted. */
    told: Scope | null = null
    remaining = 0
    endsAt = 0
    isRefused = false
    /** Guesses whose outcome is the answer's. */
    guesses: readonly { readonly place: Place; readonly standing: Standing }[] = nothing

    enter(call: Call, route: Route | null): MaybePromise<void> {
      this.call = call
      const plan = route === null ? plans.ofPath(call.path) : plans.ofRoute(tagsOf(route).limit)
      const isExemptable = exemptName !== null && call.req.headers.authorization !== undefined
      if (!isExemptable && !plan.asksName) return count(this, call, plan, '')
      const name = identify(call)
      const go = (found: string | null) => {
        this.isExempt = found !== null && found === exemptName
        return count(this, call, plan, found ?? '')
      }
      return isPromise(name) ? name.then(go) : go(name)
    }

    leave(status: number | null): string {
      if (this.guesses.length > 0) settle(this, status)
      const { told, remaining, endsAt, isExempt, isRefused } = this
      if (status === null || told === null || (isExempt && !isRefused)) return ''
      return telling.lines(told, remaining, endsAt, isRefused)
    }

    async guess(username: string): Promise<void> {
      const scope = scopes.login_name
      if (scope.max === 0) return
      seat(this, await places.take(this.call as Call, scope, username.toLowerCase()), scope)
    }

    left(username: string): MaybePromise<string> {
      const { asks, standings, isExempt } = this
      const wanted = isExempt ? looks.filter(({ scope }) => scope.counts === 'failures') : looks
      const known = telling.entries(asks, standings)
      if (asks.length === wanted.length) return `[${known}]`
      // What the request itself was counted in is known; only the rest has to be looked at.
      const rest = wanted.slice(asks.length)
      const subjects = { address: subjectOf((this.call as Call).address), name: username.toLowerCase() }
      const tell = (found: readonly Standing[]) => `[${known}${known === '' ? '' : ','}${telling.entries(rest, found)}]`
      const found = counters.hit(rest, subjects, '')
      return isPromise(found) ? found.then(tell) : tell(found)
    }
  }

  const count = (passage: Passing, call: Call, plan: Plan, name: string): MaybePromise<void> => {
    const asks = passage.isExempt ? plan.asksOfExempt : plan.asks
    if (asks.length === 0) return
    const subjects = { address: subjectOf(call.address), name }
    const { takes } = plan
    if (takes && places.isAwaited(takes, subjects.address)) return go(asks.map(lookOnly))
    return go(asks)

    function go(all: readonly Ask[]): MaybePromise<void> {
      const id = takes ? newId() : ''
      const found = counters.hit(all, subjects, id)
      const judged = (standings: readonly Standing[]) => {
        passage.asks = all
        passage.standings = standings
        return judge(passage, call, { takes, subjects, id })
      }
      return isPromise(found) ? found.then(judged) : judged(found)
    }
  }

  const judge = (
    passage: Passing,
    call: Call,
    { takes, subjects, id }: { takes: Scope | null; subjects: Subjects; id: string },
  ): MaybePromise<void> => {
    const { asks, standings } = passage
    const verdict = decide(asks, standings)
    if (verdict) {
      passage.told = verdict.told
      passage.remaining = verdict.remaining
      passage.endsAt = verdict.endsAt
      if (verdict.refusedBy) refuseBy(passage, verdict.refusedBy)
    }
    const delayMs = verdict === null ? 0 : verdict.delayMs
    if (takes === null) return delayMs > 0 ? room.hold(call, delayMs) : undefined
    const standing = standings.find(({ taken }) => taken)
    if (standing) return seat(passage, { place: { scope: takes, subject: subjects.address, id }, standing }, takes)
    return takeLater(passage, call, delayMs, takes, subjects.address)
  }

  /** A login is held first: as long as it waits it keeps nobody else from guessing. */
  const takeLater = async (passage: Passing, call: Call, delayMs: number, scope: Scope, subject: string) => {
    if (delayMs > 0) await room.hold(call, delayMs)
    seat(passage, await places.take(call, scope, subject), scope)
  }

  const seat = (passage: Passing, { place, standing }: Taking, scope: Scope): void => {
    if (place) {
      passage.guesses = [...passage.guesses, { place, standing }]
      return
    }
    Object.assign(passage, { told: scope, remaining: 0, endsAt: standing.endsAt })
    refuseBy(passage, scope)
  }

  const refuseBy = (passage: Passing, { name }: Scope): never => {
    passage.isRefused = true
    refused[name] += 1
    refuse(errors.tooMany)
  }

  /** What is wrong with a guess uses its place up; what is wrong with us, or a client that has left, does not. */
  const settle = (passage: Passing, status: number | null) => {
    const isFailure = status !== null && status >= 400 && status < 500
    for (const { place, standing } of passage.guesses) {
      // Others may have failed meanwhile, here or elsewhere.
      const used = Math.max(places.settle(place, isFailure), standing.count + (isFailure ? 1 : 0))
      const remaining = Math.max(0, place.scope.max - used)
      if (passage.isRefused || (passage.told && passage.remaining <= remaining)) continue
      Object.assign(passage, { told: place.scope, remaining, endsAt: standing.endsAt })
    }
    passage.guesses = nothing
  }

  return { open: () => new Passing(), refused, stop: room.stop }
}

const lookOnly = (ask: Ask): Ask => (ask.act === 'take' ? { ...ask, act: 'look' } : ask)
