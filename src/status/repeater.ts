import type { Clock } from '../lib/clock.ts'
import { type Component, isUnpublished, type Moment, type Rules } from './component.ts'
import { isSending, maxRetryAfterMs, type Notice } from './publication.ts'
import type { Publisher, Pushed } from './publisher.ts'

interface RepeaterDeps {
  readonly publisher: Pick<Publisher, 'repeat'>
  readonly clock: Clock
  readonly everyMs: number
  /** What to repeat of a component; null if nothing. */
  noticeOf(componentId: string): Notice | null
  onRepeated(pushed: Pushed): void
}

export interface Repeater {
  /** Repeats the push if it is due. */
  look(componentId: string): void
  /** The page has just accepted a push of it. */
  heard(componentId: string): void
  forget(componentId: string): void
}

/** Null unless the page shows the right status of a component that is not silent. */
export function repetitionOf(component: Component, now: Moment, rules: Rules): Notice | null {
  const { id: componentId, lastHeartbeatAt: reportedAt, publication } = component
  const { publishedStatus: status, sequence } = publication
  const isSilent = component.incident !== null || now.monotonic >= component.deadline
  if (status === null || isSilent || isSending(publication) || isUnpublished(component, rules)) return null
  return { componentId, status, previousStatus: status, source: 'heartbeat', reportedAt, incidentId: null, sequence }
}

/** For a page that takes silence for an outage: repeats the published status while heartbeats arrive in time. */
export function createRepeater({ publisher, clock, everyMs, noticeOf, onRepeated }: RepeaterDeps): Repeater {
  /** On the monotonic clock. */
  const dueAt = new Map<string, number>()

  const repeat = async (componentId: string): Promise<void> => {
    const pushed = await publisher.repeat(componentId, () => noticeOf(componentId))
    if (pushed === null) return
    onRepeated(pushed)
    const { outcome } = pushed
    const waitMs = outcome.kind === 'failed' ? Math.min(outcome.retryAfterMs, maxRetryAfterMs) : 0
    if (waitMs > everyMs && dueAt.has(componentId)) dueAt.set(componentId, clock.monotonic() + waitMs)
  }

  return {
    look(componentId) {
      const at = clock.monotonic()
      if (at < (dueAt.get(componentId) ?? -Infinity) || noticeOf(componentId) === null) return
      dueAt.set(componentId, at + everyMs)
      void repeat(componentId)
    },
    heard: (componentId) => void dueAt.set(componentId, clock.monotonic() + everyMs),
    forget: (componentId) => void dueAt.delete(componentId),
  }
}
