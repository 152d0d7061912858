import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, isDevelopment } from '../config/config.ts'
import { BadSetting } from '../config/parser.ts'
import { warnOfOpenDataDir } from '../drivers/data-dir.ts'
import { openStatusPage } from '../drivers/status-pages/open-status-page.ts'
import { openStateKeeper } from '../drivers/status-state/open-keeper.ts'
import { openGate } from '../http/gate.ts'
import { listen } from '../http/listen.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import type { Overrides, Running } from '../http/running.ts'
import { createService } from '../http/service.ts'
import { plainAddress } from '../lib/address.ts'
import { createAllowedHosts, hostsOf } from '../lib/allowed-hosts.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { createIds } from '../lib/ids.ts'
import { createSettledTime } from '../lib/settled-time.ts'
import { withTimeout } from '../lib/timeout.ts'
import { createLogs } from '../process/logger.ts'
import { createLook, previewOf } from '../status/diag.ts'
import { errors } from '../status/errors.ts'
import { createPublisher, type Publisher } from '../status/publisher.ts'
import { type StatusDeps, statusRoutes } from '../status/routes.ts'
import { createSaver, type Saver } from '../status/saver.ts'
import type { StateStore } from '../status/state-store.ts'
import type { Outcome, StatusPage } from '../status/status-page.ts'
import { tickMs } from '../status/ticker.ts'
import { createWorker, type Worker } from '../status/worker.ts'
import { createWorkerMetrics } from './metrics.ts'

/** What any path of the worker may answer. */
export const workerErrors: readonly Refusal[] = [errors.forbidden, errors.notFound]

/** What a test may put in the place of the real part. */
export interface WorkerOverrides extends Overrides {
  readonly page?: (real: StatusPage | null) => StatusPage | null
}

const maintenanceTimeoutMs = 14_400_000
const pushWaitMs = 200
const pushTimeoutMs = 5_000
/** No heartbeat takes longer; then there is time left for the last save. */
const drainMs = 5_000
/** On a shared database another worker may have the state; where none has, it is here by then. */
const acquirePatienceMs = 1_000
const againMs = 2_000
const keepMs = 90 * 86_400_000
const forgetEveryMs = 3_600_000

/** What there is while this process has the state. */
interface Office {
  readonly timers: readonly NodeJS.Timeout[]
  readonly store: StateStore
  readonly worker: Worker
  readonly page: StatusPage | null
  readonly publisher: Publisher
  readonly saver: Saver
}

/** The status worker: built from its settings, listening when this resolves. */
export async function startWorker(config: Config, overrides: WorkerOverrides = {}): Promise<Running> {
  const { clock = systemClock, logs = createLogs(config.LOG_LEVEL, clock) } = overrides
  const { log } = logs
  // For looks alone: they wait for no push, and a mistake in the settings of the page is told now.
  const looking = openPage(config, clock, 'none')
  const keeper = await openStateKeeper(config, log)
  const isEmbedded = (config.STATUS_DATABASE_URL ?? config.DATABASE_URL) === null
  const newId = createIds(clock)
  const settledTime = createSettledTime(clock)
  const closing = new AbortController()
  let office: Office | null = null
  let hasStarted = false
  /** Null while another process has the state, or may have it. */
  const current = () => (office?.store.isOurs() ? office : null)

  const open = async (store: StateStore): Promise<Office> => {
    const real = openPage(config, clock, store.source)
    const page = overrides.page ? overrides.page(real) : real
    const saver = createSaver({
      store,
      onFailure(error) {
        // Where the state is no longer ours, that has been said.
        if (store.isOurs()) log.error({ err: error }, 'the state cannot be saved: heartbeats are refused')
      },
      onRecovery: () => log.info('the state can be saved again'),
    })
    const publisher = createPublisher({
      push: async (notice) => (page && store.isOurs() ? page.push(notice) : notSent),
    })
    const worker = createWorker({
      ...{ store, saver, publisher, page, clock, log },
      known: await store.load(),
      rules: { publishesSilence: config.STATUS_PUBLISH_SILENCE, newId },
      pageName: (id) => pageNameOf(config, id, store.source),
      timing: {
        heartbeatTimeoutMs: config.HEARTBEAT_TIMEOUT_SECONDS * 1000,
        maintenanceTimeoutMs,
        checkIntervalMs: config.STATUS_CHECK_INTERVAL_SECONDS * 1000,
        pushWaitMs,
      },
      mostComponents: config.STATUS_MAX_COMPONENTS,
    })
    const forget = () => {
      const at = settledTime()
      if (at === null) return
      store.forget(at - keepMs).catch((error) => log.error({ err: error }, 'old history could not be dropped'))
    }
    const timers = [setInterval(worker.tick, tickMs).unref(), setInterval(forget, forgetEveryMs).unref()]
    return { timers, store, worker, page, publisher, saver }
  }

  const leave = async ({ worker, page, store, timers }: Office) => {
    office = null
    for (const timer of timers) clearInterval(timer)
    // Without the state nothing may be told any more: another worker may be telling already.
    if (!closing.signal.aborted) await page?.close()
    await worker.stop()
    await page?.close()
    await store.close()
  }

  /** Has the state until it is lost, and then waits for it again. */
  const serve = async (first: PromiseWithResolvers<void>): Promise<void> => {
    let said = ''
    while (!closing.signal.aborted) {
      try {
        await serveOnce(first)
        said = ''
      } catch (error) {
        if (closing.signal.aborted) return
        // A shared database may go away at any time, a start too.
        if (!hasStarted && (isEmbedded || error instanceof BadSetting)) throw error
        const { message } = error as Error
        if (message !== said) log.error({ err: error }, 'the state cannot be had; tried again every 2 s')
        said = message
        await sleep(againMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
    }
  }

  const serveOnce = async (first: PromiseWithResolvers<void>): Promise<void> => {
    const over = Promise.withResolvers<void>()
    const store = await keeper.acquire(closing.signal, (reason) => {
      log.error({ err: reason }, 'another worker may have the state now: this one stands by')
      over.resolve()
    })
    const stop = () => over.resolve()
    closing.signal.addEventListener('abort', stop)
    try {
      office = await open(store)
      first.resolve()
      if (!closing.signal.aborted) await over.promise
      await leave(office)
    } catch (error) {
      await store.close().catch(() => {})
      throw error
    } finally {
      closing.signal.removeEventListener('abort', stop)
    }
  }

  const first = Promise.withResolvers<void>()
  const serving = serve(first).catch((error) => {
    if (!closing.signal.aborted) first.reject(error)
  })
  try {
    await (isEmbedded ? first.promise : withTimeout(first.promise, acquirePatienceMs, () => null))
  } catch (error) {
    closing.abort(new Error('the start failed'))
    await keeper.close()
    throw error
  }
  hasStarted = true
  if (isEmbedded) warnOfOpenDataDir(config.DATA_DIR, log)
  if (office === null) log.warn('this worker does not have the state yet: it stands by')
  if (looking === null && (config.STATUS_SERVICE_TOKEN !== null || config.STATUS_SERVICE_COMPONENTS !== null))
    log.warn('nothing is published: STATUS_SERVICE_KIND and STATUS_SERVICE_URL are not set')
  if (config.STATUS_ALLOW.cidrs.some((cidr) => cidr.endsWith('/0')))
    log.warn({ allow: config.STATUS_ALLOW.cidrs }, 'STATUS_ALLOW lets everybody in who can connect')

  const metrics = createWorkerMetrics(clock, current)
  const look = createLook(looking, clock)
  const isAllowedHost = createAllowedHosts([...(config.ALLOWED_HOSTS ?? []), ...hostsOf(config.STATUS_WORKER_URL)])
  const needs: StatusDeps = {
    current: () => current() ?? refuse(errors.standingBy),
    heartbeat: (componentId, status) => (office ?? refuse(errors.standingBy)).worker.heartbeat(componentId, status),
    diag: async () => ({
      ok: true,
      config: { statusApiBaseUrl: looking?.address ?? null, ...configOf(config) },
      statusApi: await look(),
    }),
    metrics: metrics.render,
    onHeartbeat: metrics.onHeartbeat,
  }
  const service = createService({
    routes: statusRoutes,
    needs,
    gate: openGate,
    logs,
    clock,
    newId,
    envelope: 'ok',
    notFound: () => errors.notFound,
    takesAnySegment: true,
    forbid: (address, headers, target) =>
      config.STATUS_ALLOW.has(plainAddress(address)) && !isFromPage(headers) && isAllowedHost(headers.host, target)
        ? null
        : errors.forbidden,
    addressOf: (req) => plainAddress(req.socket.remoteAddress ?? ''),
    texts: {},
    stacks: false,
    strict: overrides.strict ?? isDevelopment(config),
    secureTransport: false,
    onResponse: metrics.onResponse,
    ...(overrides.onRefusal && { onRefusal: overrides.onRefusal }),
  })
  const close = async (graceMs: number, listening?: Awaited<ReturnType<typeof listen>>) => {
    await listening?.close(graceMs)
    metrics.close()
    closing.abort(new Error('this worker stops'))
    await serving
    await looking?.close()
    await keeper.close()
    logs.flush()
  }
  try {
    const listening = await listen(service, { host: config.STATUS_HOST, port: overrides.port ?? config.STATUS_PORT })
    return { listening, logs, close: (graceMs = drainMs) => close(graceMs, listening) }
  } catch (error) {
    await close(0)
    throw error
  }
}

const openPage = (config: Config, clock: Clock, source: string): StatusPage | null =>
  openStatusPage({
    prefix: 'STATUS_SERVICE',
    kind: config.STATUS_SERVICE_KIND,
    url: config.STATUS_SERVICE_URL,
    token: config.STATUS_SERVICE_TOKEN,
    components: config.STATUS_SERVICE_COMPONENTS,
    clock,
    source,
    timeoutMs: pushTimeoutMs,
  })

/** A page in a browser on an allowed machine is not the machine; one of another origin need not send an Origin. */
const isFromPage = (headers: Readonly<Record<string, string | string[] | undefined>>) =>
  headers.origin !== undefined || /^(cross|same)-site$/.test(String(headers['sec-fetch-site']))

/** What one page, or one name there, accepted, another has not. Addresses and names may be secrets, and are not kept. */
function pageNameOf(config: Config, componentId: string, salt: string): string {
  const { STATUS_SERVICE_KIND: kind, STATUS_SERVICE_URL: url, STATUS_SERVICE_COMPONENTS: names } = config
  return hash('sha256', JSON.stringify([salt, kind, url, names?.get(componentId) ?? null])).slice(0, 32)
}

/** Of what waited for its turn: another worker may be telling by now. */
const notSent: Outcome = { kind: 'failed', reason: 'not sent: another worker may have the state', retryAfterMs: 0 }

const configOf = (config: Config) => ({
  tokenPreview: previewOf(config.STATUS_SERVICE_TOKEN),
  kind: config.STATUS_SERVICE_KIND,
  allowList: [...config.STATUS_ALLOW.cidrs],
  heartbeatTimeoutSeconds: config.HEARTBEAT_TIMEOUT_SECONDS,
  maintenanceTimeoutSeconds: maintenanceTimeoutMs / 1000,
  checkIntervalSeconds: config.STATUS_CHECK_INTERVAL_SECONDS,
  publishSilence: config.STATUS_PUBLISH_SILENCE,
  maxComponents: config.STATUS_MAX_COMPONENTS,
  pushWaitMs,
  pushTimeoutMs,
})
