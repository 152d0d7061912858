import { readConfig } from '../../src/config/config.ts'
import type { RedisTimes } from '../../src/drivers/counters/redis-link.ts'

/** A server for the tests. Each uses distinct names, whatever it leaves behind. */
export const redisUrl: string | null = readConfig().TEST_REDIS_URL

/** In CI, nothing may be skipped because a service is missing. */
if (redisUrl === null && process.env.CI)
  throw new Error('TEST_REDIS_URL is not set, and in CI Redis may not be skipped')

/** For `describe(title, { skip })`: why it cannot run here. */
export const redisSkip: string | false = redisUrl === null ? 'TEST_REDIS_URL is not set' : false

/** A Redis that responds is in time, however busy the machine is; an unavailable one is retried soon. */
export const patientTimes: Partial<RedisTimes> = {
  stepMs: 200,
  attemptMs: 5_000,
  startMs: 5_000,
  closeMs: 5_000,
  retryMs: 100,
  maxRetryMs: 400,
  steadyMs: 100,
}
