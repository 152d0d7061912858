import type { Reporter, Status } from '../reporter/reporter.ts'
import type { Health, Readiness } from './readiness.ts'

export interface OwnHealth {
  readonly reporter: Pick<Reporter, 'report' | 'flush' | 'close'>
  readonly readiness: Pick<Readiness, 'health' | 'onLook'>
  /** Null where REDIS_URL is not set: then there is no such component. Answers null while it is not known. */
  readonly redisHealth: (() => Health | null) | null
  /** A silence that the worker takes for an incident: a third of it is often enough. */
  readonly timeoutMs: number
  /** From 0 to 1, for the jitter. */
  readonly random?: () => number
}

export interface HealthReports {
  /** Waits half a second at most for what is still to be told. */
  stop(): Promise<void>
}

const longestMs = 60_000
const jitter = 0.1
const lastWordsMs = 500

const statusOf: Readonly<Record<Health, Status>> = { up: 'operational', slow: 'degraded', down: 'outage' }
const idOf: Readonly<Record<string, string>> = { database: 'database', objectStore: 'object-store' }

/**
 * Tells the status worker what /ready would say: every minute, and at once when it changes. At a stop nothing is said
 * of it: silence tells, also of a process that could not stop as it should.
 */
export function reportHealth({
  reporter,
  readiness,
  redisHealth,
  timeoutMs,
  random = Math.random,
}: OwnHealth): HealthReports {
  const everyMs = Math.min(longestMs, timeoutMs / 3)
  const told = new Map<string, Status>()

  function found(): [id: string, status: Status][] {
    const parts = Object.entries(readiness.health()).flatMap(([part, health]): [string, Status][] => {
      const id = idOf[part]
      return id === undefined ? [] : [[id, statusOf[health]]]
    })
    // That it can say so is what there is to say of the API.
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
    // Instances that were started together do not report together for ever.
    timer = setTimeout(beat, Math.round(everyMs * (1 - jitter + 2 * jitter * random()))).unref()
  }

  beat()
  const unwatch = readiness.onLook(() => tell(false))
  return {
    async stop() {
      clearTimeout(timer)
      unwatch()
      await reporter.flush(lastWordsMs)
      reporter.close()
    },
  }
}
