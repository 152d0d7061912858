import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import { isLate } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import type { Outbox } from './outbox.ts'
import type { Registry } from './registry.ts'

export const tickMs = 250
/** A tick this late means that the worker was suspended. */
const minPauseMs = 250
const minLoggedPauseMs = 1_000

interface DeadlinesDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly checkIntervalMs: number
}

/** Checks heartbeat deadlines. Ticks more often, so that a pause of the worker is detected before it is taken for silence. */
export function createDeadlines(
  deps: DeadlinesDeps,
  registry: Registry,
  outbox: Pick<Outbox, 'push'>,
  componentLog: ComponentLog,
): () => void {
  const { clock, log, checkIntervalMs } = deps
  let lastTick = clock.monotonic()
  let lastCheck = lastTick

  const check = async (id: string) => {
    const component = registry.find(id)
    if (component) componentLog.late(component, isLate(component, registry.now(), registry.rulesOf(id)))
    // What cannot be saved has not happened, and the next check finds it again.
    const pushes = component ? await registry.change(component, { kind: 'deadline' }).catch(() => []) : []
    for (const push of pushes) outbox.push(push)
  }
  /** Deadlines that had passed before the pause stay. */
  const extend = async (id: string, since: number, ms: number) => {
    const component = registry.find(id)
    if (component && component.deadline > since) registry.apply(component, { kind: 'pause', ms })
  }
  const forEach = (act: (id: string) => Promise<void>) => {
    for (const { id } of [...registry.all()].sort((a, b) => a.deadline - b.deadline))
      registry
        .exclusive(id, () => act(id))
        .catch((error) => log.error({ err: error, componentId: id }, 'the heartbeat deadline could not be checked'))
  }

  return () => {
    const at = clock.monotonic()
    const since = lastTick
    const lateMs = at - since - tickMs
    lastTick = at
    if (lateMs >= minLoggedPauseMs)
      log.warn({ seconds: Math.round(lateMs / 1000) }, 'the worker was suspended; deadlines were extended')
    if (lateMs > minPauseMs) forEach((id) => extend(id, since, lateMs))
    if (at - lastCheck < checkIntervalMs) return
    lastCheck = at
    // Heartbeats that have arrived by now come first.
    setImmediate(forEach, check)
  }
}
