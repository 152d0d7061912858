import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { StatusTarget } from '../config/status-targets.ts'
import { openTargets } from '../drivers/status-pages/open-target.ts'
import type { Clock } from '../lib/clock.ts'
import { createSettledTime } from '../lib/settled-time.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import type { Logger } from '../process/logger.ts'
import { createAuditQueue } from '../status/audit.ts'
import { tickMs } from '../status/deadlines.ts'
import { createLinks } from '../status/links.ts'
import { createPublisher } from '../status/publisher.ts'
import { createPushQueue } from '../status/push-queue.ts'
import { createSaver } from '../status/saver.ts'
import type { StateStore } from '../status/state-store.ts'
import type { Outcome } from '../status/status-page.ts'
import { createWorker } from '../status/worker.ts'
import { createMappingLog } from './mapping-log.ts'
import { createSelfCheck, selfCheckEveryMs } from './self-check.ts'

/** A longer timer would fire at once. */
const maxTimerMs = 2 ** 31 - 1
export const pushWaitMs = 200
export const pushTimeoutMs = 5_000
const historyMs = 90 * dayMs
const uptimeMs = 400 * dayMs
const saveUptimeEveryMs = 60_000
const saveAuditEveryMs = 1_000
const deleteHistoryEveryMs = 3_600_000

/** What runs only while this worker has the lease. */
export type Leader = Awaited<ReturnType<typeof lead>>

interface LeaderDeps {
  readonly clock: Clock
  readonly log: Logger
  newId(): string
}

export async function lead(store: StateStore, config: Config, deps: LeaderDeps) {
  const { clock, log, newId } = deps
  const saver = createSaver({
    store,
    onFailure(error) {
      // A lost lease is already logged elsewhere.
      if (store.holdsLease()) log.error({ err: error }, 'the state cannot be saved; heartbeats are refused with 503')
    },
    onRecovery: () => log.info('the state can be saved again'),
  })
  const targets = openTargets(config, { clock, source: store.source, timeoutMs: pushTimeoutMs })
  const channels = targets.map(({ target: { name }, page }) => ({
    name,
    page,
    publisher: createPublisher(
      {
        async push(...notices) {
          const linked = page.takesLinks ? await links.addTo(notices, name) : notices
          return store.holdsLease() ? page.push(...(linked as typeof notices)) : notSent
        },
      },
      createPushQueue(clock, page.budget),
    ),
  }))
  const mappingLog = createMappingLog(config.statusTargets, log)
  const worker = createWorker({
    store,
    saver,
    channels,
    clock,
    log,
    pushWaitMs,
    random: Math.random,
    groupMs: config.STATUS_GROUP_SECONDS * 1000,
    known: await store.load(),
    windows: await store.published('maintenance'),
    recurring: await store.published('recurring_maintenance'),
    announcements: await store.published('announcements'),
    writtenIncidents: await store.published('written_incidents'),
    rules: {
      publishesSilence: config.STATUS_PUBLISH_SILENCE,
      flapMs: config.STATUS_FLAP_SECONDS * 1000,
      startGraceMs: config.STATUS_START_GRACE_SECONDS * 1000,
      newId,
    },
    timeoutsOf: (id) => ({
      timeoutMs: config.HEARTBEAT_TIMEOUT_SECONDS * 1000,
      maintenanceTimeoutMs: config.MAINTENANCE_TIMEOUT_SECONDS * 1000,
      configured: config.STATUS_TIMEOUTS?.get(id) ?? null,
    }),
    targetsOf(id) {
      mappingLog.registered(id)
      return targets
        .filter(({ page }) => page.covers(id))
        .map(({ target, page: { isAlert } }) => ({
          name: target.name,
          isAlert,
          page: pageIdOf(target, id, store.source),
        }))
    },
    checkIntervalMs: config.STATUS_CHECK_INTERVAL_SECONDS * 1000,
    maxComponents: config.STATUS_MAX_COMPONENTS,
  })
  const links = createLinks({ store, clock, baseUrl: config.BASE_URL, find: worker.find })
  const auditQueue = createAuditQueue({ store, clock })
  const settledTime = createSettledTime(clock)
  const logHistoryError = (error: unknown) => log.error({ err: error }, 'old history could not be deleted')
  const deleteHistory = () => {
    const at = settledTime()
    if (at === null) return
    worker.calendar.forget(at - historyMs)
    worker.recurring.forget(at - historyMs)
    worker.announcements.forget(at - historyMs)
    worker.writtenIncidents.forget(at - historyMs)
    store.forgetUptime(dayOf(at - uptimeMs)).catch(logHistoryError)
    store.forget(at - historyMs).catch(logHistoryError)
  }
  const selfCheck = createSelfCheck({ store, clock, log, url: config.STATUS_PING_URL })
  const tick = () => {
    worker.tick()
    selfCheck.ticked()
  }
  const heard = () => worker.components().map(({ id }) => id)
  const checkMapping = () => mappingLog.check(heard())
  const timers = [
    setTimeout(checkMapping, Math.min(config.HEARTBEAT_TIMEOUT_SECONDS * 1000, maxTimerMs)).unref(),
    setInterval(tick, tickMs).unref(),
    setInterval(deleteHistory, deleteHistoryEveryMs).unref(),
    setInterval(selfCheck.check, selfCheckEveryMs).unref(),
    setInterval(worker.uptime.flush, saveUptimeEveryMs).unref(),
    setInterval(auditQueue.save, saveAuditEveryMs).unref(),
  ]
  void selfCheck.check()
  const neverHeard = () => mappingLog.neverHeard(heard())
  return { timers, store, worker, auditQueue, links, channels, saver, selfCheck, neverHeard, now: clock.now }
}

export async function resign(
  { worker, auditQueue, channels, store, selfCheck, timers }: Leader,
  isStopping: boolean,
): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await selfCheck.close()
  // Without the lease, nothing more may be pushed: another worker may already be pushing.
  if (!isStopping) await closeAll(channels)
  await worker.stop()
  await auditQueue.save()
  await closeAll(channels)
  await store.close()
}

const closeAll = (channels: Leader['channels']) => Promise.all(channels.map(({ page }) => page.close()))

/** Identifies the page and the component's name on it. Hashed, because addresses and names may be secrets. */
const pageIdOf = ({ kind, url, components }: StatusTarget, componentId: string, salt: string): string =>
  hash('sha256', JSON.stringify([salt, kind, url, components?.get(componentId) || null])).slice(0, 32)

const notSent: Outcome = { kind: 'failed', reason: 'not sent: the lease was lost', retryAfterMs: 0 }
