import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { openStatusPage } from '../drivers/status-pages/open-status-page.ts'
import type { Clock } from '../lib/clock.ts'
import { createSettledTime } from '../lib/settled-time.ts'
import type { Logger } from '../process/logger.ts'
import { tickMs } from '../status/deadlines.ts'
import { createPublisher, type Publisher } from '../status/publisher.ts'
import { createSaver, type Saver } from '../status/saver.ts'
import type { StateStore } from '../status/state-store.ts'
import type { Outcome, StatusPage } from '../status/status-page.ts'
import { createWorker, type Worker } from '../status/worker.ts'

export const pushWaitMs = 200
export const pushTimeoutMs = 5_000
const historyMs = 90 * 86_400_000
const deleteHistoryEveryMs = 3_600_000

/** What runs only while this worker has the lease. */
export interface Leader {
  readonly timers: readonly NodeJS.Timeout[]
  readonly store: StateStore
  readonly worker: Worker
  readonly page: StatusPage | null
  readonly publisher: Publisher
  readonly saver: Saver
}

interface LeaderDeps {
  readonly clock: Clock
  readonly log: Logger
  newId(): string
  /** Wraps the page, in tests. */
  readonly page?: ((real: StatusPage | null) => StatusPage | null) | undefined
}

export async function lead(store: StateStore, config: Config, deps: LeaderDeps): Promise<Leader> {
  const { clock, log, newId } = deps
  const real = openPage(config, clock, store.source)
  const page = deps.page ? deps.page(real) : real
  const saver = createSaver({
    store,
    onFailure(error) {
      // A lost lease is logged elsewhere.
      if (store.holdsLease()) log.error({ err: error }, 'the state cannot be saved; heartbeats are refused with 503')
    },
    onRecovery: () => log.info('the state can be saved again'),
  })
  const publisher = createPublisher({
    push: async (notice) => (page && store.holdsLease() ? page.push(notice) : notSent),
  })
  const worker = createWorker({
    ...{ store, saver, publisher, page, clock, log, pushWaitMs },
    known: await store.load(),
    rules: { publishesSilence: config.STATUS_PUBLISH_SILENCE, newId },
    timeoutsOf: (id) => ({
      timeoutMs: config.HEARTBEAT_TIMEOUT_SECONDS * 1000,
      maintenanceTimeoutMs: config.MAINTENANCE_TIMEOUT_SECONDS * 1000,
      configured: config.STATUS_TIMEOUTS?.get(id) ?? null,
    }),
    pageOf: (id) => (page?.covers(id) ? pageIdOf(config, id, store.source) : null),
    checkIntervalMs: config.STATUS_CHECK_INTERVAL_SECONDS * 1000,
    maxComponents: config.STATUS_MAX_COMPONENTS,
  })
  const settledTime = createSettledTime(clock)
  const deleteHistory = () => {
    const at = settledTime()
    if (at === null) return
    store.forget(at - historyMs).catch((error) => log.error({ err: error }, 'old history could not be deleted'))
  }
  const timers = [setInterval(worker.tick, tickMs).unref(), setInterval(deleteHistory, deleteHistoryEveryMs).unref()]
  return { timers, store, worker, page, publisher, saver }
}

export async function resign({ worker, page, store, timers }: Leader, isStopping: boolean): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  // Without the lease nothing may be pushed any more: another worker may be pushing already.
  if (!isStopping) await page?.close()
  await worker.stop()
  await page?.close()
  await store.close()
}

export const openPage = (config: Config, clock: Clock, source: string): StatusPage | null =>
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

/** Identifies the page and the name there. Hashed, because addresses and names may be secrets. */
function pageIdOf(config: Config, componentId: string, salt: string): string {
  const { STATUS_SERVICE_KIND: kind, STATUS_SERVICE_URL: url, STATUS_SERVICE_COMPONENTS: names } = config
  return hash('sha256', JSON.stringify([salt, kind, url, names?.get(componentId) ?? null])).slice(0, 32)
}

const notSent: Outcome = { kind: 'failed', reason: 'not sent: the lease was lost', retryAfterMs: 0 }
