import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Outages } from '../process/outages.ts'

export interface Probe {
  readonly name: string
  /** The service cannot work without this dependency; without any other, it is degraded. */
  readonly isRequired?: boolean
  /** The dependency logs its own outages. */
  readonly logsItself?: boolean
  /** Rejects with the reason if the dependency cannot be used; `isAway`: requests have found that it cannot. */
  check(isAway: boolean): Promise<void>
}

/** Slow: it responded after more than a second. Late: for the first time, it did not within two. */
export type Health = 'up' | 'slow' | 'late' | 'down'

/** `starting`: until every dependency has been checked once. */
export type State = 'starting' | 'ready' | 'unavailable' | 'draining'

const everyMs = 2_000
const slowMs = 1_000
const lateMs = 2_000
const downMs = 4_000

/** Checks each dependency in the background. */
export function watchReadiness(
  probes: readonly Probe[],
  outages: Pick<Outages, 'gone' | 'back' | 'isAway'>,
  clock: Clock,
) {
  const found = new Map<string, Health>()
  const downSince = new Map<string, number>()
  const listeners = new Set<() => void>()
  const underWay = new Set<Probe>()
  let isDraining = false
  let isStopped = false
  let timer: NodeJS.Timeout | null = null

  const record = (probe: Probe, health: Health) => {
    if (isStopped) return
    found.set(probe.name, health)
    if (!isDown(probe)) downSince.delete(probe.name)
    else if (!downSince.has(probe.name)) downSince.set(probe.name, clock.now())
    for (const tell of listeners) tell()
  }

  const checkOne = async (probe: Probe) => {
    if (underWay.has(probe)) return
    underWay.add(probe)
    const isFirst = found.get(probe.name) !== 'late' && found.get(probe.name) !== 'down'
    const startedAt = clock.monotonic()
    const finding = probe
      .check(outages.isAway(probe.name))
      .finally(() => underWay.delete(probe))
      .then(() => 'up' as const, reasonOf)
    let outcome = await withTimeout(finding, lateMs, () => (isFirst ? ('late' as const) : noResponse(lateMs)))
    if (outcome === 'late') {
      record(probe, 'late')
      outcome = await withTimeout(finding, downMs - lateMs, () => noResponse(downMs))
      // The next check decides.
      if (outcome === 'up') return
    }
    if (!isStopped && !probe.logsItself) {
      if (outcome === 'up') outages.back(probe.name)
      else outages.gone(probe.name, outcome)
    }
    const isSlow = clock.monotonic() - startedAt > slowMs
    record(probe, outcome !== 'up' ? 'down' : isSlow ? 'slow' : 'up')
  }

  const isDown = ({ name }: Probe) => !['up', 'slow'].includes(found.get(name) ?? 'down')
  const checkOf = (probe: Probe) => (!isDown(probe) ? 'up' : probe.isRequired ? 'down' : 'degraded')

  /** Checks all now and then periodically. */
  const refresh = async (): Promise<void> => {
    timer ??= setInterval(refresh, everyMs).unref()
    await Promise.all(probes.map(checkOne))
  }

  return {
    /** As of the last checks. */
    state(): State {
      if (isDraining) return 'draining'
      if (found.size < probes.length) return 'starting'
      return probes.some((probe) => probe.isRequired && isDown(probe)) ? 'unavailable' : 'ready'
    },
    /** What /ready shows. */
    checks: (): Readonly<Record<string, 'up' | 'degraded' | 'down'>> =>
      Object.fromEntries(probes.map((probe) => [probe.name, checkOf(probe)])),
    /** The dependencies checked so far. */
    health: (): Readonly<Record<string, Health>> => Object.fromEntries(found),
    /** When a check first found it down; null while it is up. */
    downSince: (name: string): number | null => downSince.get(name) ?? null,
    /** Calls the listener after each check, and when one is late. Returns a function that unsubscribes it. */
    onLook(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    drain(): void {
      isDraining = true
    },
    stop(): void {
      isStopped = true
      if (timer) clearInterval(timer)
    },
  }
}

export type Readiness = ReturnType<typeof watchReadiness>

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
const noResponse = (ms: number) => new Error(`no response within ${ms} ms`)
