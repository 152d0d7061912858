import { hostname } from 'node:os'
import type { Reporter, Status } from '../reporter/reporter.ts'
import type { Health, Readiness } from './readiness.ts'

export interface OwnHealth {
  readonly reporter: Pick<Reporter, 'report' | 'flush' | 'close'>
  readonly readiness: Pick<Readiness, 'health' | 'onLook'>
  /** Null without REDIS_URL. Returns null while unknown. */
  readonly redisHealth: (() => Health | null) | null
  /** Prefix of the component names. */
  readonly prefix: string
  /**
   * The worker's shortest timeout for these components, which report at least three times as often; null if unknown.
   */
  timeoutMs(ids: readonly string[]): Promise<number | null>
  readonly random?: () => number
}

const maxIntervalMs = 60_000
/** Used until the worker's timeout is known. */
const firstIntervalMs = 10_000
const jitter = 0.1
const flushMs = 500

const statusOf: Readonly<Record<Health, Status>> = {
  up: 'operational',
  slow: 'degraded',
  late: 'degraded',
  down: 'outage',
}
const idOf: Readonly<Record<string, string>> = { database: 'database', objectStore: 'object-store' }

/** Identifies this instance of the API. Survives a restart unless the host name changes. */
export const instanceName = (port: number, host = hostname()): string =>
  `${`api-${host}`.replaceAll(/[^A-Za-z0-9.-]/g, '-').slice(0, 58)}-${port}`

/**
 * Reports what /ready shows to the status worker: every minute or as its timeout demands, and at once when it changes.
 * A stop is not reported: silence shows it, as it does after a crash.
 */
export function reportHealth({ reporter, readiness, redisHealth, prefix, timeoutMs, random = Math.random }: OwnHealth) {
  let everyMs = firstIntervalMs
  let timer: NodeJS.Timeout
  let isStopped = false
  const told = new Map<string, Status>()

  function found(): [id: string, status: Status][] {
    const parts = Object.entries(readiness.health()).flatMap(([part, health]): [string, Status][] => {
      const id = idOf[part]
      return id === undefined ? [] : [[id, statusOf[health]]]
    })
    // An API that can report is operational.
    const redis = redisHealth?.() ?? null
    return [['api', 'operational'], ...parts, ...(redis ? [['redis', statusOf[redis]] as [string, Status]] : [])]
  }

  function tell(isEach: boolean): void {
    for (const [part, status] of found()) {
      const id = prefix + part
      if (!isEach && told.get(id) === status) continue
      told.set(id, status)
      // Redis is degraded after a lost connection too.
      reporter.report(id, status, status === 'degraded' && part !== 'redis' ? { message: 'it answers slowly' } : {})
    }
  }

  function beat(): void {
    tell(true)
    schedule()
    void adjust()
  }

  /** With jitter, so that instances that started together do not report together. */
  function schedule(): void {
    clearTimeout(timer)
    timer = setTimeout(beat, Math.round(everyMs * (1 - jitter + 2 * jitter * random()))).unref()
  }

  /** The worker only knows new components once it has their reports. */
  async function adjust(): Promise<void> {
    await reporter.flush()
    const found = isStopped ? null : await timeoutMs([...told.keys()])
    const intervalMs = found === null ? everyMs : Math.min(maxIntervalMs, found / 3)
    if (isStopped || intervalMs === everyMs) return
    everyMs = intervalMs
    schedule()
  }

  beat()
  const unwatch = readiness.onLook(() => tell(false))
  return {
    /** Waits at most half a second for pending reports. */
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      unwatch()
      await reporter.flush(flushMs)
      reporter.close()
    },
  }
}
