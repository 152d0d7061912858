import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { Event } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import type { Calendar } from './maintenance.ts'
import type { Outbox } from './outbox.ts'
import type { Registry } from './registry.ts'
import { isLate } from './report.ts'
import type { Uptime } from './uptime.ts'

export const tickMs = 250
/** A tick that is this late means that the worker was suspended, and heartbeats may have been lost. */
const minPauseMs = 1_000
/** This much is not observed time, but too short to lose a heartbeat. */
const minSkippedMs = 250
/** The wall clock is ahead of the monotonic one by this much more than at the last tick: it was set. */
const minAheadMs = 2_000

interface DeadlinesDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'error' | 'warn'>
  readonly checkIntervalMs: number
}

interface Checked {
  readonly registry: Registry
  readonly outbox: Pick<Outbox, 'push'>
  readonly calendar: Calendar
  readonly componentLog: ComponentLog
  readonly uptime: Pick<Uptime, 'skip'>
}

/** Checks heartbeat deadlines. Ticks more often, so that a pause of the worker is not mistaken for silence. */
export function createDeadlines(deps: DeadlinesDeps, { registry, outbox, calendar, componentLog, uptime }: Checked) {
  const { clock, log, checkIntervalMs } = deps
  let lastTick = clock.monotonic()
  let lastCheck = lastTick
  let lastOffset = clock.now() - lastTick

  /** A change that cannot be saved has not happened; the next check finds it again. */
  const change = async (id: string, event: Event) => {
    const component = registry.find(id)
    const pushes = component ? await registry.change(component, event).catch(() => []) : []
    for (const push of pushes) outbox.push(push)
  }
  const maintain = (id: string) => change(id, { kind: 'maintenance', id: calendar.activeId(id) })
  const check = async (id: string) => {
    const component = registry.find(id)
    if (component) componentLog.late(component, isLate(component, registry.now(), registry.rulesOf(id)))
    await maintain(id)
    await change(id, { kind: 'deadline' })
  }
  /** Deadlines that had passed before the pause, or before the wall clock was set, stay as they are. */
  const extend = async (id: string, since: number, kind: 'pause' | 'ahead') => {
    const component = registry.find(id)
    if (component && component.deadline > since) registry.apply(component, { kind })
  }
  const forEach = async (act: (id: string) => Promise<void>): Promise<void> => {
    const ids = [...registry.all()].sort((a, b) => a.deadline - b.deadline).map(({ id }) => id)
    await Promise.all(
      ids.map((id) =>
        registry
          .exclusive(id, () => act(id))
          .catch((error) => log.error({ err: error, componentId: id }, 'the heartbeat deadline could not be checked')),
      ),
    )
  }
  const checkMaintenance = async (): Promise<void> => {
    calendar.refresh()
    await forEach(maintain)
  }

  return {
    checkMaintenance,
    tick(): void {
      const at = clock.monotonic()
      const since = lastTick
      const lateMs = at - since - tickMs
      lastTick = at
      if (lateMs > minSkippedMs) uptime.skip(lateMs)
      if (lateMs >= minPauseMs) {
        log.warn({ seconds: Math.round(lateMs / 1000) }, 'the worker was suspended; deadlines were extended')
        void forEach((id) => extend(id, since, 'pause'))
      }
      const offset = clock.now() - at
      const aheadMs = offset - lastOffset
      lastOffset = offset
      if (aheadMs >= minAheadMs) {
        log.warn(
          { seconds: Math.round(aheadMs / 1000) },
          'the clock was set ahead, or the machine slept; runs are due by the new time',
        )
        void forEach((id) => extend(id, since, 'ahead'))
      }
      if (calendar.isStale()) void checkMaintenance()
      if (at - lastCheck < checkIntervalMs) return
      lastCheck = at
      calendar.refresh()
      // Heartbeats that have already arrived come first.
      setImmediate(forEach, check)
    },
  }
}
