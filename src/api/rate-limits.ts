import { linkOf } from '../accounts/embed-access.ts'
import type { SessionHolder } from '../accounts/sessions.ts'
import type { Principal } from '../accounts/users.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import { createMemoryCounters } from '../drivers/counters/memory.ts'
import type { SharedCounters } from '../drivers/counters/shared.ts'
import { networkOf } from '../lib/address.ts'
import { chain, isPromise } from '../lib/maybe-promise.ts'
import { withTimeout } from '../lib/timeout.ts'
import { createLimiter } from '../limits/limiter.ts'
import { createScopes } from '../limits/scopes.ts'
import { createThrottle } from '../limits/throttle.ts'
import type { AccountParts, Base } from './open-accounts.ts'

export type RateLimits = Awaited<ReturnType<typeof openRateLimits>>

/** How long a request that does not need the database waits for it to identify the exempt user. */
const maxIdentifyMs = 250
const limitedUser = (user: Principal | null) => user && { id: user.id, name: user.username.toLowerCase() }

const limitedOf = (holder: SessionHolder | null) =>
  holder && { id: holder.session.id, user: { id: holder.user.id, name: holder.user.username.toLowerCase() } }

/** The configured limits, counted in memory or, with REDIS_URL, together with the other instances. */
export async function openRateLimits(base: Base, { guard, embedTokens }: Pick<AccountParts, 'guard' | 'embedTokens'>) {
  const { config, overrides, clock, log, newId, opened } = base
  const { redisTimes = {}, identifyMs = maxIdentifyMs, maxCounters: max } = overrides
  const memory = createMemoryCounters({ clock, max })
  const shared = config.REDIS_URL === null ? null : await share(config.REDIS_URL)
  const counters = shared ?? memory
  opened.push(counters)
  const throttle = createThrottle()
  const limiter = createLimiter({
    scopes: createScopes(rateLimitsOf(config)),
    counters,
    throttle,
    clock,
    log,
    newId,
    subjectOf: (address) => networkOf(address, config.RATE_LIMIT_IPV6_PREFIX),
    identify(call) {
      const user = guard.identify(call)
      return isPromise(user) ? withTimeout(user, identifyMs, () => null).then(limitedUser) : limitedUser(user)
    },
    sessionOf(call) {
      const holder = guard.sessionOf(call)
      return chain(holder, limitedOf)
    },
    linkOf: ({ params }) => linkOf(params, embedTokens),
    exemptName: config.RATE_LIMIT_EXEMPT_USERNAME?.toLowerCase() ?? null,
  })
  return {
    limiter,
    /** The number of requests being delayed. */
    delayed: () => throttle.size,
    /** The number of counters in this process. */
    keys: () => memory.size,
    /** Whether Redis is up. */
    isShared: () => shared?.isUp === true,
    /** Null without REDIS_URL. Returns null until known; `slow` is too slow for the limits. */
    redisHealth: shared && (() => shared.health),
    checkRedis: shared && (() => shared.check()),
  }

  async function share(url: string): Promise<SharedCounters> {
    const { openSharedCounters } = await import('../drivers/counters/shared.ts')
    return openSharedCounters({ url, clock, log, memory, times: redisTimes })
  }
}
