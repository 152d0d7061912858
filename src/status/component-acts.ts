import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import { acknowledgementOf } from './acknowledgement.ts'
import { type Change, type ChangeAction, details, difference, recordOf, type Sent } from './audit.ts'
import type { Component, Event, Push } from './component.ts'
import { errors } from './errors.ts'
import type { Registry } from './registry.ts'
import { rescheduled, type Schedule, type ScheduleTerms } from './schedule.ts'
import { isDown } from './statuses.ts'
import { statusOf } from './wanted.ts'

interface Act extends Pick<Change, 'before' | 'after'> {
  readonly event: Event
}

export type ComponentActs = ReturnType<typeof createComponentActs>

/** What people do about a component. Each is saved with its record before it takes effect. */
export function createComponentActs(registry: Registry, clock: Clock, push: (push: Push) => void) {
  const act = (id: string, action: ChangeAction, sent: Sent, actOn: (component: Component) => Act) =>
    registry.exclusive(id, async () => {
      const component = registry.find(id)
      if (!component || component.retiredAs !== null) return refuse(errors.unknown)
      const { event, ...values } = actOn(component)
      const record = recordOf(sent, clock.now(), { action, target: id, ...values })
      const pushes = await registry.act(component, event, record)
      for (const each of pushes) push(each)
      return registry.find(id) ?? refuse(errors.unknown)
    })

  return {
    /** `downAt`: only that outage. */
    acknowledge: (id: string, by: string, sent: Sent, downAt?: number): Promise<Component> =>
      act(id, 'acknowledge', sent, (component) => {
        if (!isDown(statusOf(component)) || (downAt ?? component.downAt) !== component.downAt) refuse(errors.notDown)
        if (acknowledgementOf(component) !== null) refuse(errors.acknowledgedBefore)
        return { event: { kind: 'acknowledge', by }, after: details.acknowledged(by) }
      }),
    /** Replaces an earlier one. */
    mute: (id: string, until: number, by: string, sent: Sent): Promise<Component> =>
      act(id, 'mute', sent, () => ({
        event: { kind: 'mute', mute: { until, by } },
        after: details.muted({ until: isoTime(until), by }),
      })),
    reschedule: (id: string, termsFor: (schedule: Schedule) => ScheduleTerms, sent: Sent): Promise<Component> =>
      act(id, 'change-component', sent, ({ schedule }) => {
        const terms = termsFor(schedule)
        const after = rescheduled(schedule, { ...terms, status: 'operational' })
        return {
          event: { ...terms, kind: 'reschedule' },
          ...difference(details.schedule(schedule), details.schedule(after)),
        }
      }),
    unmute: (id: string, sent: Sent): Promise<Component> =>
      act(id, 'unmute', sent, ({ mute }) => {
        if (!mute) refuse(errors.notMuted)
        return { event: { kind: 'mute', mute: null }, after: null }
      }),
  }
}
