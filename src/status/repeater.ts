import type { Clock } from '../lib/clock.ts'
import {
  type Component,
  isUnpublished,
  longestRetryAfterMs,
  type Moment,
  type Notice,
  type Rules,
} from './component.ts'
import type { Publisher, Told } from './publisher.ts'

interface RepeaterDeps {
  readonly publisher: Pick<Publisher, 'repeat'>
  readonly clock: Clock
  readonly everyMs: number
  /** What the page shows of a component, where that is right and there is somebody behind it. */
  noticeOf(componentId: string): Notice | null
  onTold(told: Told): void
}

export interface Repeater {
  /** Tells again what is due; asked every so often. */
  look(componentIds: Iterable<string>): void
  /** The page has just heard of it. */
  heard(componentId: string): void
  forget(componentId: string): void
}

/** Null unless the page shows the right status of a component that is alive. */
export function repetitionOf(component: Component, now: Moment, rules: Rules): Notice | null {
  const { id: componentId, publishedStatus: status, lastHeartbeatAt: reportedAt, sequence } = component
  const isSilent = component.incident !== null || now.monotonic >= component.deadline
  if (status === null || isSilent || component.isPushing || isUnpublished(component, rules)) return null
  return { componentId, status, previousStatus: status, source: 'heartbeat', reportedAt, incidentId: null, sequence }
}

/** A page that takes silence for an outage hears what is published, as long as a component is fresh. */
export function createRepeater({ publisher, clock, everyMs, noticeOf, onTold }: RepeaterDeps): Repeater {
  /** By the monotonic clock. */
  const dueAt = new Map<string, number>()

  const repeat = async (componentId: string): Promise<void> => {
    const told = await publisher.repeat(componentId, () => noticeOf(componentId))
    if (told === null) return
    onTold(told)
    const { outcome } = told
    const waitMs = outcome.kind === 'failed' ? Math.min(outcome.retryAfterMs, longestRetryAfterMs) : 0
    if (waitMs > everyMs && dueAt.has(componentId)) dueAt.set(componentId, clock.monotonic() + waitMs)
  }

  return {
    look(componentIds) {
      const at = clock.monotonic()
      for (const id of componentIds) {
        if (at < (dueAt.get(id) ?? -Infinity) || noticeOf(id) === null) continue
        dueAt.set(id, at + everyMs)
        void repeat(id)
      }
    },
    heard: (componentId) => void dueAt.set(componentId, clock.monotonic() + everyMs),
    forget: (componentId) => void dueAt.delete(componentId),
  }
}
