import { isIP } from 'node:net'
import { isUsername } from '../accounts/username.ts'
import { type Config, readConfig } from '../config/config.ts'
import { username } from '../config/formats.ts'
import { rateLimitsOf } from '../config/rate-limits.ts'
import type { LimitStore } from '../drivers/counters/redis-admin.ts'
import { networkOf } from '../lib/address.ts'
import { closing } from '../lib/closing.ts'
import { isId } from '../lib/ids.ts'
import { isoTime } from '../lib/timestamps.ts'
import { type CounterState, nobody } from '../limits/counters.ts'
import { createScopes, type Scope } from '../limits/scopes.ts'
import type { Cli } from './cli-context.ts'
import { Failed, WrongUsage } from './failure.ts'
import { quoted } from './output.ts'

/** An argument is the id of a user, an address, a name, or both of these. */
interface Who {
  readonly address: string | null
  readonly name: string | null
  readonly user: string | null
}

interface Counted {
  readonly scope: Scope
  readonly subject: string
}

export async function showLimits(cli: Cli, text: string): Promise<void> {
  const { config, who, counted } = find(cli, text)
  const ops = counted.map(({ scope }) => ({ scope, act: 'peek' }) as const)
  const subjects = { ...nobody, address: who.address ?? '', name: who.name ?? '', user: who.user ?? '' }
  const states = await withStore(cli, config, (store) => store.show(ops, subjects))
  const limits = counted.map((each, index) => shown(cli, each, states[index] as CounterState))
  await cli.out.print(
    { ...who, limits },
    cli.out.list(
      heading,
      limits.map((limit) => rowOf(limit, cli.clock.now())),
    ),
  )
}

export async function resetLimits(cli: Cli, text: string): Promise<void> {
  const { config, who, counted } = find(cli, text)
  const reset = await withStore(cli, config, async (store) => {
    const done: { subject: string; scopes: string[]; counters: number }[] = []
    for (const each of Map.groupBy(counted, ({ scope }) => scope.by).values()) {
      const scopes = each.map(({ scope }) => scope)
      const { subject } = each[0] as Counted
      done.push({ subject, scopes: scopes.map(({ name }) => name), counters: await store.reset(scopes, subject) })
    }
    return done
  })
  const lines = reset.map(({ subject, scopes, counters }) => {
    return `Reset ${scopes.join(', ')} of ${subject}: ${counters === 1 ? '1 counter' : `${counters} counters`}.`
  })
  await cli.out.print({ ...who, reset }, lines.join('\n'))
}

function find({ env }: Cli, text: string) {
  const config = readConfig(env)
  const who = readWho(text, config.RATE_LIMIT_IPV6_PREFIX)
  const counted = Object.values(createScopes(rateLimitsOf(config))).flatMap((scope): Counted[] => {
    const subject = scope.by === 'link' || scope.by === 'session' ? null : who[scope.by]
    return subject === null ? [] : [{ scope, subject }]
  })
  return { config, who, counted }
}

function readWho(text: string, ipv6Prefix: number): Who {
  const address = isIP(text) === 0 ? null : networkOf(text, ipv6Prefix)
  const name = isUsername(text) ? text.toLowerCase() : null
  const user = isId(text.toLowerCase()) ? text.toLowerCase() : null
  if (address !== null || name !== null || user !== null) return { address, name, user }
  throw new WrongUsage(
    `${quoted(text)}: expected an IP address, the id of a user, or a username: ${username.expected}.`,
  )
}

async function withStore<T>({ clock }: Cli, { REDIS_URL: url }: Config, act: (store: LimitStore) => Promise<T>) {
  if (url === null)
    throw new Failed(
      'REDIS_URL is not set: the counters are in the memory of the running service, and cannot be shown or reset from here. Restart the service to reset them.',
    )
  const { openLimitStore } = await import('../drivers/counters/redis-admin.ts')
  const store = await openLimitStore(url, clock)
  await using _ = closing(store)
  return await act(store)
}

function shown({ clock }: Cli, { scope, subject }: Counted, { count, pending, endsAt }: CounterState) {
  const isOff = scope.max === 0
  const resetAt = count + pending === 0 ? null : isoTime(clock.now() + endsAt - clock.monotonic())
  return {
    scope: scope.name,
    subject,
    used: count,
    pending,
    limit: scope.max,
    remaining: isOff ? null : Math.max(0, scope.max - count),
    resetAt,
  }
}

const heading = ['SCOPE', 'SUBJECT', 'USED', 'PENDING', 'LIMIT', 'LEFT', 'WINDOW ENDS']

function rowOf({ scope, subject, used, pending, limit, remaining, resetAt }: ReturnType<typeof shown>, now: number) {
  const ends = resetAt === null ? 'no window' : `${resetAt}, in ${inSeconds(Date.parse(resetAt) - now)}`
  if (remaining === null) return [scope, subject, '', '', 'off', '', '']
  return [scope, subject, String(used), String(pending), String(limit), String(remaining), ends]
}

/** Rounded up. */
const inSeconds = (ms: number) => `${Math.max(0, Math.ceil(ms / 1000))} s`
