import { randomBytes } from 'node:crypto'
import { before } from 'node:test'
import { redisSkip, redisUrl } from '../support/redis.ts'
import { password, type Reply, startService, type TestService } from '../support/service.ts'

/** Where the counters are; every promise holds on each. */
export const places = [
  { name: 'in memory', skip: false, env: {} },
  { name: 'over Redis', skip: redisSkip, env: { REDIS_URL: redisUrl ?? '' } },
] as const

/** The contract's own numbers. */
export const ofTheContract = Object.fromEntries(
  ['GLOBAL', 'AUTH', 'REGISTER', 'LOGIN_ADDRESS', 'LOGIN_NAME', 'REPORT', 'SESSION'].flatMap((scope) =>
    ['MAX', 'SLOW_AFTER'].map((what) => [`RATE_LIMIT_${scope}_${what}`, '']),
  ),
)

/** For a `describe`: a service behind a proxy that it trusts, so that a test may come from anywhere. */
export function limited(place: (typeof places)[number], env: Record<string, string> = {}) {
  const stage = {} as { service: TestService }
  before(async () => {
    stage.service = await startService({
      env: { ...ofTheContract, TRUST_PROXY: 'loopback', ...place.env, ...env },
      // On a busy machine a token may take longer to verify than a request waits for a database that is away.
      overrides: { identifyMs: 30_000 },
    })
  })
  return stage
}

/** An address that no other test has. */
export const anAddress = () => `10.${[...randomBytes(3)].join('.')}`
export const aName = () => `n${randomBytes(8).toString('hex')}`

/** What one client does: whatever it sends comes from its address. */
export function clientOf(service: TestService, address = anAddress()) {
  const ask = (method: string, path: string, options: Parameters<TestService['request']>[2] = {}) =>
    service.request(method, path, { ...options, headers: { 'x-forwarded-for': address, ...options.headers } })
  return {
    address,
    ask,
    register: (username: string) => ask('POST', '/auth/register', { body: { username, password } }),
    login: (username: string, secret = password) =>
      ask('POST', '/auth/login', { body: { username, password: secret } }),
  }
}

export const tooMany = { status: 429, message: 'Too many requests from this IP, please try again later.' }

/** Limit, remaining, seconds until the reset, Retry-After. */
export const told = ({ headers }: Reply) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  retryAfter: headers.get('retry-after'),
})

export const tally = (replies: readonly Reply[]) =>
  Object.fromEntries(
    [...new Set(replies.map(({ status }) => status))]
      .sort()
      .map((status) => [status, replies.filter((reply) => reply.status === status).length]),
  )

export const times = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))
