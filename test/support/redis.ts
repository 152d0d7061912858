import { readConfig } from '../../src/config.ts'

/** A server for the tests; whatever they leave there is under names of their own. */
export const redisUrl: string | null = readConfig().TEST_REDIS_URL

/** In CI nothing may be skipped for want of a service. */
if (redisUrl === null && process.env.CI)
  throw new Error('TEST_REDIS_URL is not set, and in CI Redis may not be skipped')

/** For `describe(title, { skip })`: why it cannot run here. */
export const redisSkip: string | false = redisUrl === null ? 'TEST_REDIS_URL is not set' : false
