import type { Reporter, Status } from '../reporter/reporter.ts'
import type { Health, Readiness } from './readiness.ts'

export interface OwnHealth {
  readonly reporter: Pick<Reporter, 'report' | 'flush' | 'close'>
  readonly readiness: Pick<Readiness, 'health' | 'onLook'>
  /** Null without REDIS_URL. Returns null while unknown. */
  readonly redisHealth: (() => Health | null) | null
  /** The worker's heartbeat timeout; reports are sent at least three times as often. */
  readonly timeoutMs: number
  readonly random?: () => number
}

export interface HealthReports {
  /** Waits at most half a second for pending reports. */
  stop(): Promise<void>
}

const maxIntervalMs = 60_000
const jitter = 0.1
const flushMs = 500

const statusOf: Readonly<Record<Health, Status>> = { up: 'operational', slow: 'degraded', down: 'outage' }
const idOf: Readonly<Record<string, string>> = { database: 'database', objectStore: 'object-store' }

/**
 * Reports what /ready shows to the status worker: every minute, and at once when it changes. A stop is not reported: the
 * silence tells it, also if the process crashed.
 */
export function reportHealth({
  reporter,
  readiness,
  redisHealth,
  timeoutMs,
  random = Math.random,
}: OwnHealth): HealthReports {
  const everyMs = Math.min(maxIntervalMs, timeoutMs / 3)
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
    for (const [id, status] of found()) {
      if (!isEach && told.get(id) === status) continue
      told.set(id, status)
      reporter.report(id, status)
    }
  }

  let timer: NodeJS.Timeout
  function beat(): void {
    tell(true)
    // Jitter, so that instances that started together do not report together.
    timer = setTimeout(beat, Math.round(everyMs * (1 - jitter + 2 * jitter * random()))).unref()
  }

  beat()
  const unwatch = readiness.onLook(() => tell(false))
  return {
    async stop() {
      clearTimeout(timer)
      unwatch()
      await reporter.flush(flushMs)
      reporter.close()
    },
  }
}
