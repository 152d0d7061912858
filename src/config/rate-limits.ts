import * as format from './formats.ts'
import { setting } from './parser.ts'

/* Every rate limit of the contract is a setting, with the contract's number as its default. */

const scopes = {
  GLOBAL: { counted: 'requests', max: 1000, windowSeconds: 120, slow: { after: 1000, stepMs: 50, capMs: 3000 } },
  AUTH: { counted: 'requests', max: 50, windowSeconds: 900, slow: { after: 10, stepMs: 500, capMs: 5000 } },
  REGISTER: { counted: 'requests', max: 3, windowSeconds: 3600, slow: { after: 1, stepMs: 5000, capMs: 60_000 } },
  LOGIN_ADDRESS: { counted: 'failed logins', max: 8, windowSeconds: 900, slow: null },
  LOGIN_NAME: { counted: 'failed logins', max: 5, windowSeconds: 900, slow: null },
  EMBED_LINK: { counted: 'requests to one embed link', max: 600, windowSeconds: 60, slow: null },
  EMBED_ADDRESS: { counted: 'requests from one address to embed links', max: 120, windowSeconds: 60, slow: null },
  SESSION: { counted: 'requests of one console session', max: 600, windowSeconds: 60, slow: null },
  REPORT: { counted: 'image reports by one user', max: 10, windowSeconds: 3600, slow: null },
} as const

const limit = (value: number, help: string, min = 0) =>
  setting({ format: format.wholeNumber(min, 1_000_000_000), default: String(value), help })

const limitsOf = (scope: string, { max, windowSeconds, slow, counted }: (typeof scopes)[keyof typeof scopes]) => ({
  [`RATE_LIMIT_${scope}_MAX`]: limit(max, `Maximum ${counted} per window; 0: unlimited.`),
  [`RATE_LIMIT_${scope}_WINDOW_SECONDS`]: limit(windowSeconds, 'Length of the window.', 1),
  ...(slow && {
    [`RATE_LIMIT_${scope}_SLOW_AFTER`]: limit(slow.after, 'Requests per window before delays start.'),
    [`RATE_LIMIT_${scope}_SLOW_STEP_MS`]: limit(slow.stepMs, 'Delay added by each further request.'),
    [`RATE_LIMIT_${scope}_SLOW_CAP_MS`]: limit(slow.capMs, 'Maximum delay.'),
  }),
})
const limits: Record<`RATE_LIMIT_${string}`, ReturnType<typeof limit>> = Object.assign(
  {},
  ...Object.entries(scopes).map(([scope, values]) => limitsOf(scope, values)),
)

const shared = {
  REDIS_URL: setting({
    format: format.redisUrl,
    default: null,
    secret: true,
    help: 'Redis for the rate limit counters that all instances share, and for their messages about changed images. Unset: each instance counts in memory, and the messages are sent over PostgreSQL.',
  }),
  RATE_LIMIT_EXEMPT_USERNAME: setting({
    format: format.username,
    default: null,
    help: 'Username of the account whose token is exempt from rate limits.',
  }),
  RATE_LIMIT_IPV6_PREFIX: setting({
    format: format.wholeNumber(1, 128),
    default: '64',
    help: 'IPv6 addresses with the same prefix of this length count as one client.',
  }),
}

export const rateLimits = { ...shared, ...limits }

type ScopeSetting = keyof typeof scopes

/** The configured limits by scope, in lower case. */
export function rateLimitsOf(config: Readonly<Record<`RATE_LIMIT_${ScopeSetting}_${string}`, number>>) {
  const limitOf = (scope: ScopeSetting) => {
    const value = (name: string) => config[`RATE_LIMIT_${scope}_${name}`] as number
    return {
      max: value('MAX'),
      windowMs: value('WINDOW_SECONDS') * 1000,
      slow: scopes[scope].slow && {
        after: value('SLOW_AFTER'),
        stepMs: value('SLOW_STEP_MS'),
        capMs: value('SLOW_CAP_MS'),
      },
    }
  }
  const names = Object.keys(scopes) as ScopeSetting[]
  return Object.fromEntries(names.map((name) => [name.toLowerCase(), limitOf(name)])) as Record<
    Lowercase<ScopeSetting>,
    ReturnType<typeof limitOf>
  >
}
