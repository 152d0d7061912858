import { type Config, isDevelopment } from '../config/config.ts'
import type { StatusTarget } from '../config/status-targets.ts'
import { workerUrlOf } from '../config/worker-url.ts'
import { warnOfOpenDataDir } from '../drivers/data-dir.ts'
import { openTargets } from '../drivers/status-pages/open-target.ts'
import { openStateLease } from '../drivers/status-state/open-lease.ts'
import { openGate } from '../http/gate.ts'
import { listen } from '../http/listen.ts'
import { prepareText } from '../http/prepared-text.ts'
import { refuse } from '../http/refusal.ts'
import type { Overrides, Running } from '../http/running.ts'
import { createService } from '../http/service.ts'
import { plainAddress } from '../lib/address.ts'
import { createAllowedHosts, hostsOf } from '../lib/allowed-hosts.ts'
import { systemClock } from '../lib/clock.ts'
import { defaultGateways } from '../lib/default-gateways.ts'
import { createIds } from '../lib/ids.ts'
import { once } from '../lib/once.ts'
import { createLogs, type Logger } from '../process/logger.ts'
import { createProbe, previewOf } from '../status/diag.ts'
import { errors } from '../status/errors.ts'
import { openapiType, type StatusDeps } from '../status/route-parts.ts'
import { statusRoutes } from '../status/routes.ts'
import { createTargets } from '../status/targets.ts'
import { startElection } from './election.ts'
import { createForbid, createGatewayLog } from './forbid.ts'
import { lead, pushTimeoutMs, pushWaitMs, resign } from './leader.ts'
import { createWorkerMetrics } from './metrics.ts'

/** Longer than any heartbeat takes; leaves time for the last save. */
const drainMs = 5_000

/** Resolves when the status worker listens. */
export async function startWorker(config: Config, overrides: Overrides = {}): Promise<Running> {
  const { clock = systemClock, logs = createLogs(config.LOG_LEVEL, clock) } = overrides
  const { log } = logs
  // Separate pages for /diag and tests, which wait for no push. Fails the start if a target's settings are wrong.
  const pages = openTargets(config, { clock, source: 'none', timeoutMs: pushTimeoutMs })
  const primary = pages.find(({ page }) => !page.isAlert)
  const newId = createIds(clock)
  const isEmbedded = (config.STATUS_DATABASE_URL ?? config.DATABASE_URL) === null
  const election = await startElection({
    lease: await openStateLease(config, log),
    isEmbedded,
    log,
    resign,
    lead: (store) => lead(store, config, { clock, log, newId }),
  })
  /** Null on a stand-by and while the lease may be lost. */
  const leader = () => (election.leader?.store.holdsLease() ? election.leader : null)
  if (isEmbedded) warnOfOpenDataDir(config.DATA_DIR, log)
  warnOfSettings(config, log)

  const metrics = createWorkerMetrics(clock, leader)
  const probe = createProbe(primary?.page ?? null, clock)
  const isAllowedHost = createAllowedHosts([
    ...(config.ALLOWED_HOSTS ?? []),
    ...hostsOf(...(config.STATUS_WORKER_URL ?? [])),
  ])
  const gateways = defaultGateways()
  const gatewayLog = createGatewayLog(gateways, log)
  let url = workerUrlOf(config)
  const prepareOpenapi = async () => {
    const { printWorkerOpenapi } = await import('../reference/worker.ts')
    return prepareText(openapiType, printWorkerOpenapi(config, url), { 'Cache-Control': 'no-cache' })
  }
  const needs: StatusDeps = {
    leader: () => leader() ?? refuse(errors.standingBy),
    worker: () => (election.leader ?? refuse(errors.standingBy)).worker,
    diag: async (waitMs) => ({
      ok: true,
      config: { statusApiBaseUrl: primary?.page.address ?? null, ...configOf(config, primary?.target) },
      statusApi: await probe(waitMs),
    }),
    targets: createTargets({ targets: pages.map(({ target: { name }, page }) => ({ name, page })), clock, log }),
    metrics: metrics.render,
    openapi: once(prepareOpenapi),
    mayKnow: (componentId) => election.leader?.worker.find(componentId) !== undefined || election.leader === null,
    onHeartbeat: (address) => {
      metrics.onHeartbeat()
      gatewayLog(address)
    },
    mayChange: (address) => config.STATUS_ADMIN_ALLOW.has(address),
    changeRefused: (call, action, message) => election.leader?.auditQueue.refused(call, action, message),
    getHeartbeats: config.STATUS_GET_HEARTBEATS,
  }
  const service = createService({
    routes: statusRoutes,
    needs,
    gate: openGate,
    logs,
    logsRequests: config.LOG_REQUESTS,
    clock,
    newId,
    envelope: 'ok',
    notFound: () => errors.notFound,
    takesAnySegment: true,
    forbid: createForbid(config.STATUS_ALLOW.without(gateways), isAllowedHost),
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
    await election.stop()
    await Promise.all(pages.map(({ page }) => page.close()))
    logs.flush()
  }
  try {
    const listening = await listen(service, { host: config.STATUS_HOST, port: overrides.port ?? config.STATUS_PORT })
    url = workerUrlOf({ ...config, STATUS_PORT: listening.port })
    return {
      listening,
      logs,
      places: { url, state: isEmbedded ? 'SQLite' : 'PostgreSQL' },
      close: (graceMs = drainMs) => close(graceMs, listening),
    }
  } catch (error) {
    await close(0)
    throw error
  }
}

function warnOfSettings(config: Config, log: Logger): void {
  if (
    config.STATUS_SERVICE_KIND === null &&
    (config.STATUS_SERVICE_TOKEN !== null || config.STATUS_SERVICE_COMPONENTS !== null)
  )
    log.warn('nothing is published: STATUS_SERVICE_KIND and STATUS_SERVICE_URL are not set')
  for (const name of ['STATUS_ALLOW', 'STATUS_ADMIN_ALLOW'] as const)
    if (config[name].cidrs.some((cidr) => cidr.endsWith('/0') && !cidr.startsWith('!')))
      log.warn({ allow: config[name].cidrs }, `${name} admits every address`)
}

const configOf = (config: Config, primary: StatusTarget | undefined) => ({
  tokenPreview: previewOf(primary?.token ?? null),
  kind: primary?.kind ?? null,
  allowList: [...config.STATUS_ALLOW.cidrs],
  heartbeatTimeoutSeconds: config.HEARTBEAT_TIMEOUT_SECONDS,
  maintenanceTimeoutSeconds: config.MAINTENANCE_TIMEOUT_SECONDS,
  checkIntervalSeconds: config.STATUS_CHECK_INTERVAL_SECONDS,
  startGraceSeconds: config.STATUS_START_GRACE_SECONDS,
  flapSeconds: config.STATUS_FLAP_SECONDS,
  groupSeconds: config.STATUS_GROUP_SECONDS,
  publishSilence: config.STATUS_PUBLISH_SILENCE,
  maxComponents: config.STATUS_MAX_COMPONENTS,
  pushWaitMs,
  pushTimeoutMs,
})
