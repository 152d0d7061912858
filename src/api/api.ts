import { availableParallelism } from 'node:os'
import { ensureOwner, firstOwnerOf } from '../accounts/ensure-owner.ts'
import { createGuard } from '../accounts/guard.ts'
import { createJournal } from '../accounts/journal.ts'
import { createPasswords, hashPlaces, type PasswordHasher } from '../accounts/passwords.ts'
import { createTokens } from '../accounts/tokens.ts'
import type { Principal, Users } from '../accounts/users.ts'
import { baseUrlOf, type Config, isDevelopment, textsOf } from '../config/config.ts'
import { argon2Hasher } from '../drivers/accounts/argon2.ts'
import { withOwnTime } from '../drivers/accounts/database.ts'
import { createDirectory } from '../drivers/accounts/directory.ts'
import { createJournalStore } from '../drivers/accounts/journal-store.ts'
import { readOrMakeSecret } from '../drivers/accounts/jwt-secret.ts'
import { openDatabase } from '../drivers/accounts/open-database.ts'
import type { PoolTimes } from '../drivers/accounts/postgres-pool.ts'
import { createUserStore } from '../drivers/accounts/user-store.ts'
import type { RedisTimes } from '../drivers/counters/redis-link.ts'
import { prepareDataDir, warnOfOpenDataDir } from '../drivers/data-dir.ts'
import { bounds } from '../http/bounds.ts'
import { listen } from '../http/listen.ts'
import type { Overrides, Running } from '../http/running.ts'
import { createService } from '../http/service.ts'
import { proxyPath } from '../images/descriptor.ts'
import { proxyHeaders } from '../images/served.ts'
import { clientAddress } from '../lib/address.ts'
import { createAllowedHosts, hostsOf } from '../lib/allowed-hosts.ts'
import { systemClock } from '../lib/clock.ts'
import { createIds } from '../lib/ids.ts'
import { isPromise } from '../lib/maybe-promise.ts'
import { once } from '../lib/once.ts'
import { withTimeout } from '../lib/timeout.ts'
import { errors as limitErrors } from '../limits/errors.ts'
import { createLogs, type Logger, type Logs } from '../process/logger.ts'
import type { Documents } from '../reference/documents.ts'
import { createReporter } from '../reporter/reporter.ts'
import { notFound } from './errors.ts'
import { type ImageOverrides, openImages } from './image-parts.ts'
import { createApiMetrics } from './metrics.ts'
import { reportHealth } from './own-health.ts'
import { databaseProbe, redisProbe, workerProbe } from './probes.ts'
import { openRateLimits } from './rate-limits.ts'
import { type Probe, watchReadiness } from './readiness.ts'
import { type ApiDeps, apiRoutes } from './routes.ts'

/** What a test may put in the place of the real part. */
export interface ApiOverrides extends Overrides {
  readonly hasher?: PasswordHasher | undefined
  readonly users?: (real: Users) => Users
  readonly probes?: (real: readonly Probe[]) => readonly Probe[]
  readonly images?: ImageOverrides
  readonly routes?: (real: readonly (typeof apiRoutes)[number][]) => readonly (typeof apiRoutes)[number][]
  readonly redisTimes?: Partial<RedisTimes>
  readonly databaseTimes?: Partial<PoolTimes>
  readonly identifyMs?: number
}

/** The API: built from its settings, listening when this resolves. */
export async function startApi(config: Config, overrides: ApiOverrides = {}): Promise<Running> {
  const { clock = systemClock, logs = createLogs(config.LOG_LEVEL, clock), hasher = argon2Hasher } = overrides
  const { log } = logs
  const newId = createIds(clock)
  const metrics = createApiMetrics(clock)
  const owner = firstOwnerOf(config)
  prepareDataDir(config.DATA_DIR)
  warnOfOpenDataDir(config.DATA_DIR, log)
  const real = await openDatabase(config, log, overrides.databaseTimes)
  // A clock that a test moves is the database's, too.
  const database = overrides.clock ? withOwnTime(real) : real
  const opened: { close(): Promise<void> }[] = [database, metrics]
  try {
    const realUsers = createUserStore(database, { clock, newId })
    const users = metrics.observeUsers(overrides.users?.(realUsers) ?? realUsers)
    const secret = await secretOf(config, realUsers, logs)
    const tokens = createTokens({ secret, ttlMs: config.TOKEN_TTL, clock, newId })
    const passwords = createPasswords({
      hasher,
      minLength: config.PASSWORD_MIN_LENGTH,
      slots: Math.min(hashPlaces.slots, availableParallelism()),
      queue: hashPlaces.queue,
    })
    if (owner) await ensureOwner({ users, passwords, clock, newId }, owner, log)
    const images = await openImages(config, {
      clock,
      log,
      observe: metrics.observeStore,
      ...(overrides.images && { overrides: overrides.images }),
    })
    opened.unshift(images)
    const journal = createJournal({
      store: metrics.observeJournalStore(createJournalStore(database, { clock, newId })),
      clock,
      newId,
      log,
      keepUsageDays: config.USAGE_KEEP_DAYS,
      keepAuditDays: config.AUDIT_KEEP_DAYS,
    })
    const guard = createGuard({ users, tokens, journal })
    const { limiter, ...rates } = await openRateLimits(config, {
      clock,
      log,
      newId,
      identify: (call) => {
        const user = guard.identify(call)
        return isPromise(user)
          ? withTimeout(user, overrides.identifyMs ?? identifyMs, () => null).then(nameOf)
          : nameOf(user)
      },
      ...(overrides.redisTimes && { redisTimes: overrides.redisTimes }),
    })
    opened.unshift(rates)
    await warnOfExempt(config, realUsers, log)
    const limitFigures = { ...rates, refused: limiter.refused }
    const reporter = config.STATUS_WORKER_URL === null ? null : createReporter({ url: config.STATUS_WORKER_URL, log })
    metrics.tellOf({ limits: limitFigures, passwords, journal, images, reporter })
    const probes: Probe[] = [databaseProbe(database, clock), { name: 'objectStore', check: images.check }]
    const { redisHealth } = rates
    if (redisHealth) probes.push(redisProbe(redisHealth))
    if (config.STATUS_WORKER_URL !== null) probes.push(await workerProbe(config.STATUS_WORKER_URL))
    const readiness = watchReadiness(overrides.probes?.(probes) ?? probes, log, clock)
    let baseUrl = baseUrlOf(config, config.PORT)
    const needs: ApiDeps = {
      users,
      passwords,
      tokens,
      clock,
      newId,
      guard,
      journal,
      directory: metrics.observeDirectory(createDirectory(database, { clock })),
      documents: once(() => makeDocuments(config)),
      metricsPage: {
        allow: config.METRICS_ALLOW,
        trusted: config.TRUST_PROXY,
        isAllowedHost: createAllowedHosts([
          ...(config.ALLOWED_HOSTS ?? []),
          ...hostsOf(config.BASE_URL, ...(config.STATUS_WORKER_URL ?? [])),
        ]),
        render: metrics.render,
      },
      keepUsageDays: config.USAGE_KEEP_DAYS,
      readiness,
      startedAt: clock.monotonic(),
      ...images,
      log,
      bucket: config.S3_BUCKET,
      uploadMaxBytes: config.UPLOAD_MAX_BYTES,
      records: journal,
      baseUrl: () => baseUrl,
    }
    const service = createService({
      routes: overrides.routes?.(apiRoutes) ?? apiRoutes,
      needs,
      logs,
      clock,
      newId,
      envelope: 'message',
      notFound,
      unmatched: guard.unmatched,
      addressOf: (req) =>
        clientAddress(
          req.socket.remoteAddress ?? '',
          req.headers['x-forwarded-for'] as string | undefined,
          config.TRUST_PROXY,
        ),
      texts: textsOf(config),
      stacks: isDevelopment(config),
      strict: overrides.strict ?? isDevelopment(config),
      secureTransport: baseUrl.startsWith('https:'),
      headersUnder: { prefix: proxyPath, headers: proxyHeaders },
      cors: config.CORS_ORIGINS ? { origins: config.CORS_ORIGINS } : null,
      gate: limiter,
      everywhere: Object.values(limitErrors),
      onResponse: metrics.onResponse,
      onRefusal(call, refusal, message) {
        journal.refused(call, { ...refusal, message })
        overrides.onRefusal?.(call, refusal, message)
      },
    })
    if (config.NODE_ENV === 'production' && config.BASE_URL === null) {
      log.warn('NODE_ENV is production and BASE_URL is not set: clients would be told http://localhost')
    }
    const listening = await listen(service, { host: config.HOST, port: overrides.port ?? config.PORT })
    // A test listens wherever there is room.
    baseUrl = baseUrlOf(config, listening.port)
    images.start()
    const looked = readiness.refresh()
    const timeoutMs = config.HEARTBEAT_TIMEOUT_SECONDS * 1000
    const reports = reporter && reportHealth({ reporter, readiness, redisHealth, timeoutMs })
    return {
      listening,
      logs,
      looked,
      drain() {
        readiness.drain()
        return config.SHUTDOWN_DELAY_SECONDS * 1000
      },
      async close(graceMs = bounds.drainMs) {
        readiness.drain()
        await Promise.all([listening.close(graceMs), reports?.stop()])
        readiness.stop()
        await journal.close()
        for (const part of opened) await part.close()
        logs.flush()
      },
    }
  } catch (error) {
    for (const part of opened) await part.close()
    throw error
  }
}

async function makeDocuments(config: Config): Promise<Documents> {
  const reference = await import('../reference/reference.ts')
  return reference.makeDocuments(config)
}

/** A request that needs no database waits no longer for one that is away: nobody is exempt then. */
const identifyMs = 250
const nameOf = (user: Principal | null) => user?.username.toLowerCase() ?? null

/** Whoever registers that name would be exempt. */
async function warnOfExempt(
  { RATE_LIMIT_EXEMPT_USERNAME: username }: Config,
  users: Users,
  log: Logger,
): Promise<void> {
  if (username !== null && !(await users.find({ username })))
    log.warn({ username }, 'RATE_LIMIT_EXEMPT_USERNAME has no account yet: make it before somebody else does')
}

async function secretOf(config: Config, users: Users, { log }: Logs): Promise<string> {
  if (config.JWT_SECRET !== null) return config.JWT_SECRET
  const { secret, isNew } = readOrMakeSecret(config.DATA_DIR)
  if (isNew && !(await users.isEmpty()))
    log.warn('jwt-secret was missing and is new: every token issued before is worth nothing now')
  if (config.DATABASE_URL !== null)
    log.warn('JWT_SECRET is not set: other instances on this database would not accept these tokens')
  return secret
}
