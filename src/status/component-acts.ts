import { refuse } from '../http/refusal.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import { acknowledgementOf } from './acknowledgement.ts'
import { type ChangeAction, details, recordOf, type Sent } from './audit.ts'
import type { Component, Event, Push } from './component.ts'
import { errors } from './errors.ts'
import type { Registry } from './registry.ts'
import { isDown } from './statuses.ts'
import { statusOf } from './wanted.ts'

type Details = Parameters<typeof recordOf>[2]['after']

export type ComponentActs = ReturnType<typeof createComponentActs>

/** What people do about a component's alerts. Each is saved with its record before it takes effect. */
export function createComponentActs(registry: Registry, clock: Clock, push: (push: Push) => void) {
  const act = (id: string, action: ChangeAction, sent: Sent, judge: (component: Component) => [Event, Details]) =>
    registry.exclusive(id, async () => {
      const component = registry.find(id)
      if (!component || component.retiredAs !== null) return refuse(errors.unknown)
      const [event, after] = judge(component)
      const pushes = await registry.act(component, event, recordOf(sent, clock.now(), { action, target: id, after }))
      for (const each of pushes) push(each)
      return registry.find(id) ?? refuse(errors.unknown)
    })

  return {
    /** `downAt`: only that outage. */
    acknowledge: (id: string, by: string, sent: Sent, downAt?: number): Promise<Component> =>
      act(id, 'acknowledge', sent, (component) => {
        if (!isDown(statusOf(component)) || (downAt ?? component.downAt) !== component.downAt) refuse(errors.notDown)
        if (acknowledgementOf(component) !== null) refuse(errors.acknowledgedBefore)
        return [{ kind: 'acknowledge', by }, details.acknowledged(by)]
      }),
    /** Replaces an earlier one. */
    mute: (id: string, until: number, by: string, sent: Sent): Promise<Component> =>
      act(id, 'mute', sent, () => [
        { kind: 'mute', mute: { until, by } },
        details.muted({ until: isoTime(until), by }),
      ]),
    unmute: (id: string, sent: Sent): Promise<Component> =>
      act(id, 'unmute', sent, ({ mute }) => {
        if (!mute) refuse(errors.notMuted)
        return [{ kind: 'mute', mute: null }, null]
      }),
  }
}
