import type { Clock } from '../lib/clock.ts'
import { type Component, isOutdatedAt, type Moment, publicationOf, type Rules, wantedOf } from './component.ts'
import { isSending, maxRetryAfterMs, type Notice, wantedBy } from './publication.ts'
import type { Publisher, Pushed } from './publisher.ts'
import type { StatusPage } from './status-page.ts'
import { isDown } from './statuses.ts'

interface RepeaterDeps {
  readonly publisher: Pick<Publisher, 'repeat'>
  readonly clock: Clock
  readonly everyMs: number
  /** After a start, a reminder of an outage is due after one interval, the repetition to a page at once. */
  readonly isAlert: boolean
  /** What to repeat for a component; null if nothing. */
  noticeOf(componentId: string): Notice | null
  onRepeated(pushed: Pushed): void
}

export interface Repeater {
  /** Repeats the push if it is due. */
  repeatIfDue(componentId: string): void
  /** Called when the target has accepted a push of the component. */
  heard(componentId: string): void
  forget(componentId: string): void
}

/**
 * Null unless the target shows the right status. A page gets it unless the component is silent and the page does not
 * keep a status; an alert channel gets only outages.
 */
export function repetitionOf(
  component: Component,
  { name, page: { keepsStatus = false } }: { readonly name: string; readonly page: Pick<StatusPage, 'keepsStatus'> },
  now: Moment,
  rules: Rules,
): Notice | null {
  const publication = publicationOf(component, name)
  const target = rules.targets.find((each) => each.name === name)
  const status = publication?.publishedStatus ?? null
  if (publication === undefined || target === undefined || status === null) return null
  const wanted = wantedBy(target, wantedOf(component, rules))
  if (wanted === null || component.retiredAs !== null) return null
  if (isSending(publication) || isOutdatedAt(target, component, rules)) return null
  const isSilent =
    component.maintenanceId === null && (component.incident !== null || now.monotonic >= component.deadline)
  if (target.isAlert ? !isDown(status) : isSilent && !keepsStatus) return null
  return { ...wanted, status, previousStatus: status, sequence: publication.sequence }
}

/** Repeats the published status to a page that takes silence for an outage, or to an alert channel as a reminder. */
export function createRepeater({ publisher, clock, everyMs, isAlert, noticeOf, onRepeated }: RepeaterDeps): Repeater {
  const firstAt = isAlert ? clock.monotonic() + everyMs : -Infinity
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
    repeatIfDue(componentId) {
      const at = clock.monotonic()
      if (at < (dueAt.get(componentId) ?? firstAt) || noticeOf(componentId) === null) return
      dueAt.set(componentId, at + everyMs)
      void repeat(componentId)
    },
    heard: (componentId) => void dueAt.set(componentId, clock.monotonic() + everyMs),
    forget: (componentId) => void dueAt.delete(componentId),
  }
}
