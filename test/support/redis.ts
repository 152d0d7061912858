import { readConfig } from '../../src/config/config.ts'
import type { RedisTimes } from '../../src/drivers/counters/redis-link.ts'

/** A server for the tests; whatever they leave there is under names of their own. */
export const redisUrl: string | null = readConfig().TEST_REDIS_URL

/** In CI nothing may be skipped for want of a service. */
if (redisUrl === null && process.env.CI)
  throw new Error('TEST_REDIS_URL is not set, and in CI Redis may not be skipped')

/** For `describe(title, { skip })`: why it cannot run here. */
export const redisSkip: string | false = redisUrl === null ? 'TEST_REDIS_URL is not set' : false

/** A Redis that answers is in time, however busy the machine is; one that is away is tried again soon. */
export const patientTimes: Partial<RedisTimes> = {
  ...{ stepMs: 200, attemptMs: 5_000, startMs: 5_000, closeMs: 5_000 },
  ...{ retryMs: 100, maxRetryMs: 400, steadyMs: 100 },
}
