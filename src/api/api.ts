import { resolve } from 'node:path'
import { errors as accountErrors } from '../accounts/errors.ts'
import { createOwnerCode, maxWrongCodes, type OwnerCode, ownerCodeMinutes } from '../accounts/owner-code.ts'
import type { PasswordHasher } from '../accounts/passwords.ts'
import { embedPath, withoutSecrets } from '../accounts/secrets-in-paths.ts'
import type { Users } from '../accounts/users.ts'
import { baseUrlOf, type Config, isDevelopment, isInContainer, textsOf } from '../config/config.ts'
import { cliCommand } from '../config/package.ts'
import type { PoolTimes } from '../drivers/accounts/postgres-pool.ts'
import type { RedisTimes } from '../drivers/counters/redis-link.ts'
import { openNews } from '../drivers/image-news/open-news.ts'
import type { Call } from '../http/call.ts'
import { fillIn } from '../http/envelopes.ts'
import { type Listening, listen } from '../http/listen.ts'
import type { Refusal } from '../http/refusal.ts'
import type { Overrides, Running } from '../http/running.ts'
import { createService } from '../http/service.ts'
import { proxyPath } from '../images/descriptor.ts'
import { proxyHeaders } from '../images/served.ts'
import { createAllowedHosts, hostsOf } from '../lib/allowed-hosts.ts'
import { systemClock } from '../lib/clock.ts'
import { createIds } from '../lib/ids.ts'
import { once } from '../lib/once.ts'
import { isOnThisMachine } from '../lib/this-machine.ts'
import { errors as limitErrors } from '../limits/errors.ts'
import { createLogs } from '../process/logger.ts'
import { createOutages } from '../process/outages.ts'
import { createReporter } from '../reporter/reporter.ts'
import { createAuditCopy } from './admin-status/copy-worker-audit.ts'
import { askTimeoutMs } from './ask-workers.ts'
import { createAddressOf } from './client-address.ts'
import { consoleFolder, openConsole } from './console.ts'
import { prepareDocuments } from './docs.ts'
import { createNotFound } from './errors.ts'
import { type ImageOverrides, type ImageParts, openImages } from './image-parts.ts'
import { bucketFolderId } from './image-store.ts'
import { readLogo } from './logo.ts'
import { createApiMetrics } from './metrics.ts'
import { type AccountParts, type Base, openAccounts } from './open-accounts.ts'
import { instanceName, reportHealth } from './own-health.ts'
import { databaseProbe, redisProbe, storeProbe, workerProbe } from './probes.ts'
import { openRateLimits, type RateLimits } from './rate-limits.ts'
import { type Probe, type Readiness, watchReadiness } from './readiness.ts'
import { type ApiDeps, apiRoutes, pagesOf } from './routes.ts'
import { type Closable, closeAll, createShutdown } from './shutdown.ts'
import { pageSettingsOf } from './status-page/page-settings.ts'
import { createStatusPage } from './status-page/status-page.ts'
import { whyStoreFails } from './store-failure.ts'

/** What tests may replace. */
export interface ApiOverrides extends Overrides {
  readonly hasher?: PasswordHasher | undefined
  readonly users?: (real: Users) => Users
  readonly probes?: (real: readonly Probe[]) => readonly Probe[]
  readonly images?: ImageOverrides
  readonly routes?: (real: ReturnType<typeof apiRoutes>) => ReturnType<typeof apiRoutes>
  readonly redisTimes?: Partial<RedisTimes>
  readonly databaseTimes?: Partial<PoolTimes>
  readonly identifyMs?: number
  /** The folder of the built console. */
  readonly consoleFolder?: string
  readonly maxCounters?: number
}

/** Builds the API from its settings; it listens when this resolves. */
export async function startApi(config: Config, overrides: ApiOverrides = {}): Promise<Running> {
  const { clock = systemClock, logs: all = createLogs(config.LOG_LEVEL, clock) } = overrides
  const outages = createOutages(all.log)
  const { log } = outages
  const logs = { ...all, log }
  const metrics = createApiMetrics(clock)
  const opened: Closable[] = [metrics]
  const base: Base = { config, overrides, clock, log, newId: createIds(clock), metrics, opened }
  try {
    const accounts = await openAccounts(base)
    const images = await openImages(config, {
      clock,
      log,
      news: await openNews(config, log, bucketFolderId(config)),
      observe: metrics.observeStore,
      hidden: accounts.hidden,
      tags: accounts.details,
      onListed(catalogue) {
        accounts.absentImages.listed(catalogue)
        accounts.absentLooks.listed(catalogue)
      },
      positions: { find: accounts.walks.find, save: accounts.journal.walked },
      savedPeriods: accounts.savedPeriods,
      looks: accounts.looks,
      ...(overrides.images && { overrides: overrides.images }),
    })
    opened.push(images)
    const limits = await openRateLimits(base, accounts)
    const { STATUS_WORKER_URL: url, SHUTDOWN_DELAY_SECONDS } = config
    const reporter = url === null ? null : createReporter({ url, instance: instanceName(config.PORT), log })
    const { passwords, journal } = accounts
    metrics.addParts({ limits: { ...limits, refused: limits.limiter.refused }, passwords, journal, images, reporter })
    const auditCopy = createAuditCopy({
      workers: url ?? [],
      store: accounts.journalStore,
      clock,
      log,
      keepAuditDays: config.AUDIT_KEEP_DAYS,
    })
    opened.push(auditCopy)
    const probes = probesOf(config, accounts, images, limits)
    const readiness = watchReadiness(overrides.probes?.(probes) ?? probes, outages, clock)
    if (config.NODE_ENV === 'production' && config.BASE_URL === null)
      log.warn('NODE_ENV is production and BASE_URL is not set: URLs in replies will start with http://localhost')
    const ownerCode = createOwnerCode(clock, () =>
      log.warn(`${ownerByTool}; ${maxWrongCodes} wrong codes have closed the form until the next start`),
    )
    let baseUrl = baseUrlOf(config, config.PORT)
    const needs: ApiDeps = {
      ...needsOf(base, accounts, images, readiness),
      baseUrl: () => baseUrl,
      ownerCode,
      statusWorkers: url ?? [],
      refused: limits.limiter.refused,
      publicStatus: createStatusPage({
        workers: url,
        components: config.STATUS_PAGE_COMPONENTS ?? [],
        settings: pageSettingsOf(config),
        clock,
        awaySince: () => readiness.downSince('statusWorker'),
        baseUrl: () => baseUrl,
      }),
      document: prepareDocuments(
        once(async () => (await import('../reference/reference.ts')).makeDocuments(config, baseUrl)),
      ),
    }
    const service = createService({ ...optionsOf(base, accounts, limits, images), logs, needs })
    const listening = await listen(service, { host: config.HOST, port: overrides.port ?? config.PORT })
    // Tests listen on any free port.
    baseUrl = baseUrlOf(config, listening.port)
    images.start()
    accounts.hidden.start()
    accounts.details.start(0)
    void accounts.preparation.done.then(auditCopy.start, () => {})
    const checked = readiness.refresh()
    const { redisHealth } = limits
    const reports =
      reporter &&
      reportHealth({
        reporter,
        readiness,
        redisHealth,
        prefix: config.STATUS_COMPONENT_PREFIX ?? '',
        timeoutMs: (ids) => askTimeoutMs(url ?? [], ids),
      })
    const delayMs = SHUTDOWN_DELAY_SECONDS * 1000
    return {
      listening,
      logs,
      places: {
        url: baseUrl,
        ...(config.CONSOLE && { console: `${baseUrl}/console` }),
        reference: `${baseUrl}/docs`,
        data: resolve(config.DATA_DIR),
        database: accounts.database.name,
        images: config.S3_ENDPOINT === null ? 'folder' : 'S3',
        ...(url === null && { statusWorker: 'none: STATUS_WORKER_URL is not set' }),
        counters: config.REDIS_URL === null ? 'memory' : 'Redis',
      },
      outages,
      prepared: accounts.preparation.done,
      advice: adviceOf(accounts, config.CONSOLE ? ownerCode : null, listening),
      checked,
      ...createShutdown({ listening, readiness, reports, journal, opened, logs, delayMs }),
    }
  } catch (error) {
    await closeAll(opened)
    throw error
  }
}

const ownerByTool = `there is no owner yet; create one: ${cliCommand} owner create <username>`

/** How to create the first owner. Opens the code, if the console can be reached on this machine. */
async function adviceOf(
  { preparation, users }: AccountParts,
  code: OwnerCode | null,
  { addresses, port }: Listening,
): Promise<string | null> {
  await preparation.done
  if (await users.ownerExists()) return null
  if (code === null || !addresses.some(isOnThisMachine)) return ownerByTool
  const where = isInContainer() ? 'over loopback, not through a published port' : 'in a browser on this machine'
  return `${ownerByTool}, or within ${ownerCodeMinutes} minutes ${where}: http://localhost:${port}/console with the code ${code.open()}`
}

function probesOf(
  config: Config,
  { database, preparation, clock }: AccountParts,
  { check, store }: ImageParts,
  { redisHealth, checkRedis }: RateLimits,
): Probe[] {
  const { STATUS_WORKER_URL: workerUrl, S3_BUCKET: bucket } = config
  const ping = async () => {
    preparation.assertDone()
    await database.ping()
  }
  return [
    databaseProbe({ ping, proveWritable: database.proveWritable }, clock),
    storeProbe({ ping: check, proveWritable: () => store.proveWritable(bucket) }, clock, (error) =>
      whyStoreFails(config, error),
    ),
    ...(redisHealth && checkRedis ? [redisProbe(redisHealth, checkRedis)] : []),
    ...(workerUrl === null ? [] : [workerProbe(workerUrl)]),
  ]
}

/** What routes need, except for the base URL. */
function needsOf(
  { config, overrides, log, metrics }: Base,
  accounts: AccountParts,
  images: ImageParts,
  readiness: Readiness,
): Omit<ApiDeps, 'baseUrl' | 'document' | 'ownerCode' | 'publicStatus' | 'refused' | 'statusWorkers'> {
  return {
    ...accounts,
    ...images,
    config,
    records: { ready: accounts.database.ping, done: accounts.journal.done },
    publicComponents: config.STATUS_PAGE_COMPONENTS ?? [],
    bucket: config.S3_BUCKET,
    uploadMaxBytes: config.UPLOAD_MAX_BYTES,
    imagesOnly: config.CHOOSE_IMAGES_ONLY,
    checkType: config.UPLOAD_CHECK_TYPE,
    keepUsageDays: config.USAGE_KEEP_DAYS,
    isRegistrationOpen: config.REGISTRATION === 'open',
    log,
    readiness,
    consoleFiles: openConsole(overrides.consoleFolder ?? consoleFolder, {
      siteName: config.SITE_NAME,
      siteLogo: readLogo('SITE_LOGO', config.SITE_LOGO),
      passwordRule: fillIn(accountErrors.badPassword.message, textsOf(config)),
      registration: config.REGISTRATION,
    }),
    startedAt: accounts.clock.monotonic(),
    metricsPage: {
      allow: config.METRICS_ALLOW,
      trusted: config.TRUST_PROXY,
      isAllowedHost: createAllowedHosts([
        ...(config.ALLOWED_HOSTS ?? []),
        ...hostsOf(config.BASE_URL, ...(config.STATUS_WORKER_URL ?? [])),
      ]),
      render: metrics.render,
    },
  }
}

/** People type their addresses, with a slash at the end as well. */
const typedPages = ['/console', '/docs', '/status']

function optionsOf(
  { config, overrides, clock, log, newId, metrics }: Base,
  { guard, journal }: AccountParts,
  { limiter }: RateLimits,
  { sizes }: ImageParts,
) {
  const routes = apiRoutes(config.imageKinds, { ...pagesOf(config), hasSizes: sizes !== null })
  return {
    routes: overrides.routes?.(routes) ?? routes,
    clock,
    newId,
    envelope: 'message',
    notFound: createNotFound(typedPages.filter((page) => routes.some(({ path }) => path === page))),
    unmatched: guard.unmatched,
    addressOf: createAddressOf(config.TRUST_PROXY, log),
    logsRequests: config.LOG_REQUESTS,
    texts: textsOf(config),
    stacks: isDevelopment(config),
    strict: overrides.strict ?? isDevelopment(config),
    secureTransport: baseUrlOf(config, config.PORT).startsWith('https:'),
    headersUnder: { prefixes: [proxyPath, embedPath], headers: proxyHeaders },
    withoutSecrets,
    cors: config.CORS_ORIGINS ? { origins: config.CORS_ORIGINS } : null,
    gate: limiter,
    everywhere: Object.values(limitErrors),
    onResponse: metrics.onResponse,
    onRefusal(call: Call, refusal: Refusal, message: string) {
      journal.refused(call, { ...refusal, message })
      overrides.onRefusal?.(call, refusal, message)
    },
  } as const
}
