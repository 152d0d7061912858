import * as format from './formats.ts'
import { setting } from './parser.ts'

/* Every limit of the contract is a setting; its number there is what it is when unset. */

const scopes = {
  GLOBAL: { max: 1000, windowSeconds: 120, slow: { after: 1000, stepMs: 50, capMs: 3000 } },
  AUTH: { max: 50, windowSeconds: 900, slow: { after: 10, stepMs: 500, capMs: 5000 } },
  REGISTER: { max: 3, windowSeconds: 3600, slow: { after: 1, stepMs: 5000, capMs: 60_000 } },
  LOGIN_ADDRESS: { max: 8, windowSeconds: 900, slow: null },
  LOGIN_NAME: { max: 5, windowSeconds: 900, slow: null },
} as const

const limit = (value: number, help: string, least = 0) =>
  setting({ format: format.wholeNumber(least, 1_000_000_000), default: String(value), help })

const limitsOf = (scope: string, { max, windowSeconds, slow }: (typeof scopes)[keyof typeof scopes]) => ({
  [`RATE_LIMIT_${scope}_MAX`]: limit(max, 'Requests in a window; 0 switches the limit off.'),
  [`RATE_LIMIT_${scope}_WINDOW_SECONDS`]: limit(windowSeconds, 'The length of the window.', 1),
  ...(slow && {
    [`RATE_LIMIT_${scope}_SLOW_AFTER`]: limit(slow.after, 'Requests in a window that are answered at once.'),
    [`RATE_LIMIT_${scope}_SLOW_STEP_MS`]: limit(slow.stepMs, 'Delay added by each further one.'),
    [`RATE_LIMIT_${scope}_SLOW_CAP_MS`]: limit(slow.capMs, 'The longest delay.'),
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
    help: 'Shared counters for several instances. Unset: counters in memory.',
  }),
  RATE_LIMIT_EXEMPT_USERNAME: setting({
    format: format.username,
    default: null,
    help: 'The one account whose token is exempt from the limits.',
  }),
  RATE_LIMIT_IPV6_PREFIX: setting({
    format: format.wholeNumber(1, 128),
    default: '64',
    help: 'IPv6 addresses count by this prefix.',
  }),
}

export const rateLimits = { ...shared, ...limits }

type ScopeSetting = keyof typeof scopes

/** The limits of each scope as they are set, by its name in lower case. */
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
