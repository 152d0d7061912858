import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'

export interface Probe {
  readonly name: string
  /** Nothing can be served without this part; without any other the service is degraded. */
  readonly isRequired?: boolean
  /** The part logs its own outages. */
  readonly logsItself?: boolean
  /** Rejects, with the reason for the log, when the part cannot be used. */
  check(): Promise<void>
}

/** Slow is up: it answered, but after more than a second. */
export type Health = 'up' | 'slow' | 'down'

/** Starting: until every part was looked at once. */
export type State = 'starting' | 'ready' | 'unavailable' | 'draining'

export interface Readiness {
  /** What the last look found: asking costs nothing and waits for nothing. */
  state(): State
  /** What /ready says of each part. */
  checks(): Readonly<Record<string, 'up' | 'degraded' | 'down'>>
  /** The parts that were looked at so far. */
  health(): Readonly<Record<string, Health>>
  /** Calls after each look at a part, until the function it returns is called. */
  onLook(listener: () => void): () => void
  /** Looks at every part now, and from then on by itself. */
  refresh(): Promise<void>
  /** From now on the state is `draining`. */
  drain(): void
  stop(): void
}

const everyMs = 2_000
const timeoutMs = 2_000
const slowMs = 1_000

/** Looks at each part in the background; a part that does not answer in time is down. */
export function watchReadiness(probes: readonly Probe[], log: Logger, clock: Clock): Readiness {
  const found = new Map<string, Health>()
  const listeners = new Set<() => void>()
  const underWay = new Set<Probe>()
  let isDraining = false
  let isStopped = false
  let timer: NodeJS.Timeout | null = null

  const look = async (probe: Probe) => {
    if (underWay.has(probe)) return
    underWay.add(probe)
    const startedAt = clock.monotonic()
    const finding = probe.check().finally(() => underWay.delete(probe))
    const problem = await withTimeout(finding, timeoutMs).then(() => null, reasonOf)
    if (isStopped) return
    const isSlow = clock.monotonic() - startedAt > slowMs
    const before = found.get(probe.name)
    found.set(probe.name, problem !== null ? 'down' : isSlow ? 'slow' : 'up')
    if (!probe.logsItself && problem !== null && before !== 'down')
      log.error({ part: probe.name, err: problem }, 'a part is away')
    if (!probe.logsItself && problem === null && before === 'down') log.info({ part: probe.name }, 'a part is back')
    for (const tell of listeners) tell()
  }

  const isAway = ({ name }: Probe) => (found.get(name) ?? 'down') === 'down'
  const checkOf = (probe: Probe) => (!isAway(probe) ? 'up' : probe.isRequired ? 'down' : 'degraded')

  const refresh = async () => {
    timer ??= setInterval(refresh, everyMs).unref()
    await Promise.all(probes.map(look))
  }

  return {
    state() {
      if (isDraining) return 'draining'
      if (found.size < probes.length) return 'starting'
      return probes.some((probe) => probe.isRequired && isAway(probe)) ? 'unavailable' : 'ready'
    },
    checks: () => Object.fromEntries(probes.map((probe) => [probe.name, checkOf(probe)])),
    health: () => Object.fromEntries(found),
    onLook(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    drain() {
      isDraining = true
    },
    stop() {
      isStopped = true
      if (timer) clearInterval(timer)
    },
  }
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))
