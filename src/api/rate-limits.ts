import type { Config } from '../config/config.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import { createMemoryCounters } from '../drivers/counters/memory.ts'
import type { RedisTimes } from '../drivers/counters/redis-link.ts'
import type { SharedCounters } from '../drivers/counters/shared.ts'
import type { Call } from '../http/call.ts'
import { networkOf } from '../lib/address.ts'
import type { Clock } from '../lib/clock.ts'
import type { NewId } from '../lib/ids.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { createLimiter, type Limiter } from '../limits/limiter.ts'
import { createScopes } from '../limits/scopes.ts'
import { createThrottle } from '../limits/throttle.ts'
import type { Logger } from '../process/logger.ts'

export interface RateLimits {
  readonly limiter: Limiter
  /** Requests that are being delayed. */
  held(): number
  /** Subjects that this process counts. */
  keys(): number
  /** Whether Redis is up. */
  isShared(): boolean
  /** Null without REDIS_URL. Returns null until it is known; `slow` is too slow for the limits. */
  readonly redisHealth: (() => SharedCounters['health']) | null
  close(): Promise<void>
}

interface Surroundings {
  readonly clock: Clock
  readonly log: Logger
  readonly newId: NewId
  /** The name of the account that a valid token belongs to. */
  identify(call: Call): MaybePromise<string | null>
  /** For tests. */
  readonly redisTimes?: Partial<RedisTimes>
}

/** The limits of the settings, counted in memory or, with REDIS_URL, together with the other instances. */
export async function openRateLimits(
  config: Config,
  { clock, log, newId, identify, redisTimes = {} }: Surroundings,
): Promise<RateLimits> {
  const memory = createMemoryCounters({ clock })
  const shared = config.REDIS_URL === null ? null : await share(config.REDIS_URL)
  const counters = shared ?? memory
  const throttle = createThrottle()
  const limiter = createLimiter({
    scopes: createScopes(rateLimitsOf(config)),
    counters,
    throttle,
    clock,
    newId,
    subjectOf: (address) => networkOf(address, config.RATE_LIMIT_IPV6_PREFIX),
    identify,
    exemptName: config.RATE_LIMIT_EXEMPT_USERNAME?.toLowerCase() ?? null,
  })
  return {
    limiter,
    held: () => throttle.held,
    keys: () => memory.size,
    isShared: () => shared?.isUp === true,
    redisHealth: shared && (() => shared.health),
    close: () => counters.close(),
  }

  async function share(url: string): Promise<SharedCounters> {
    const { openSharedCounters } = await import('../drivers/counters/shared.ts')
    return openSharedCounters({ url, clock, log, memory, times: redisTimes })
  }
}
