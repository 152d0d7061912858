import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'

export interface Probe {
  readonly name: string
  /** Rejects, with the reason for the log, when the part cannot be used. */
  check(): Promise<void>
}

/** Slow is up: it answered, but after more than a second. */
export type Health = 'up' | 'slow' | 'down'

export interface Readiness {
  /** What the last look found: asking costs nothing and waits for nothing. */
  state(): Readonly<Record<string, boolean>>
  /** The same, and whether it took long. */
  health(): Readonly<Record<string, Health>>
  /** Calls after each look at a part, until the act that it answers. */
  onLook(listener: () => void): () => void
  /** Looks at every part now. */
  refresh(): Promise<void>
  stop(): void
}

const everyMs = 2_000
const patienceMs = 2_000
const slowMs = 1_000

/** Looks at each part in the background; a part that does not answer in time is down. */
export function watchReadiness(probes: readonly Probe[], log: Logger, clock: Clock): Readiness {
  const found = new Map<string, Health>(probes.map(({ name }) => [name, 'down']))
  const listeners = new Set<() => void>()
  const underWay = new Set<Probe>()
  let first = true

  const look = async (probe: Probe) => {
    if (underWay.has(probe)) return
    underWay.add(probe)
    const startedAt = clock.monotonic()
    const finding = probe.check().finally(() => underWay.delete(probe))
    const problem = await Promise.race([finding.then(() => null, reasonOf), tooLate()])
    const was = found.get(probe.name) !== 'down'
    const isSlow = clock.monotonic() - startedAt > slowMs
    found.set(probe.name, problem !== null ? 'down' : isSlow ? 'slow' : 'up')
    if (problem !== null && (was || first)) log.error({ part: probe.name, err: problem }, 'a part is away')
    if (problem === null && !was && !first) log.info({ part: probe.name }, 'a part is back')
    for (const tell of listeners) tell()
  }

  const refresh = async () => {
    await Promise.all(probes.map(look))
    first = false
  }
  const timer = setInterval(refresh, everyMs)
  timer.unref()
  return {
    state: () => Object.fromEntries([...found].map(([name, health]) => [name, health !== 'down'])),
    health: () => Object.fromEntries(found),
    onLook(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    refresh,
    stop: () => clearInterval(timer),
  }
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))

function tooLate(): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>()
  setTimeout(resolve, patienceMs, new Error(`no answer within ${patienceMs} ms`)).unref()
  return promise
}
