import type { Logger } from '../lib/logger.ts'

export interface Probe {
  readonly name: string
  /** Rejects, with the reason for the log, when the part cannot be used. */
  check(): Promise<void>
}

export interface Readiness {
  /** What the last look found: asking costs nothing and waits for nothing. */
  state(): Readonly<Record<string, boolean>>
  /** Looks at every part now. */
  refresh(): Promise<void>
  stop(): void
}

const everyMs = 2_000
const patienceMs = 2_000

/** Looks at each part in the background; a part that does not answer in time is down. */
export function watchReadiness(probes: readonly Probe[], log: Logger): Readiness {
  const up = new Map(probes.map(({ name }) => [name, false]))
  const underWay = new Set<Probe>()
  let first = true

  const look = async (probe: Probe) => {
    if (underWay.has(probe)) return
    underWay.add(probe)
    const finding = probe.check().finally(() => underWay.delete(probe))
    const problem = await Promise.race([finding.then(() => null, reasonOf), tooLate()])
    const was = up.get(probe.name)
    up.set(probe.name, problem === null)
    if (problem !== null && (was || first)) log.error({ part: probe.name, err: problem }, 'a part is away')
    if (problem === null && !was && !first) log.info({ part: probe.name }, 'a part is back')
  }

  const refresh = async () => {
    await Promise.all(probes.map(look))
    first = false
  }
  const timer = setInterval(refresh, everyMs)
  timer.unref()
  return { state: () => Object.fromEntries(up), refresh, stop: () => clearInterval(timer) }
}

const reasonOf = (reason: unknown) => (reason instanceof Error ? reason : new Error(String(reason)))

function tooLate(): Promise<Error> {
  const { promise, resolve } = Promise.withResolvers<Error>()
  setTimeout(resolve, patienceMs, new Error(`no answer within ${patienceMs} ms`)).unref()
  return promise
}
