import type { RedisTimes } from '../../src/drivers/counters/redis-link.ts'
import { serverOf } from './servers.ts'

/** Each test uses distinct names, whatever it leaves behind. */
export const { url: redisUrl, skip: redisSkip } = serverOf('TEST_REDIS_URL')

/** A Redis that responds is in time, however busy the machine is; an unavailable one is retried soon. */
export const patientTimes: Partial<RedisTimes> = {
  ...{ stepMs: 200, attemptMs: 5_000, startMs: 5_000, closeMs: 5_000 },
  ...{ retryMs: 100, maxRetryMs: 400, steadyMs: 100 },
}
