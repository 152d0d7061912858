import type { Clock } from '../lib/clock.ts'
import { acknowledgementOf } from './acknowledgement.ts'
import type { Component, Moment, Rules } from './component.ts'
import type { Channel } from './outbox.ts'
import { isSending, maxThrottleMs, type Notice } from './publication.ts'
import type { Publisher, Sent } from './publisher.ts'
import type { Registry } from './registry.ts'
import type { StatusPage } from './status-page.ts'
import { isDown } from './statuses.ts'
import { isOutdatedAt, publicationOf, wantedAt } from './wanted.ts'

interface RepeaterDeps {
  /** Resolves to null if nothing is sent by itself. */
  readonly repeat: Publisher['repeat']
  readonly clock: Clock
  readonly everyMs: number
  /** When those are due that have not been repeated, on the monotonic clock; at once if unset. */
  readonly firstAt?: number
  /** What to repeat for a component; null if nothing. */
  noticeOf(componentId: string): Notice | null
  onRepeated?(repeated: Sent<Notice>): void
}

/**
 * Null unless the target shows the right status. A page gets it unless the component is silent and the page does not
 * keep a status; an alert channel gets only outages that nobody has acknowledged.
 */
function repetitionOf(
  component: Component,
  { name, page: { keepsStatus = false } }: { readonly name: string; readonly page: Pick<StatusPage, 'keepsStatus'> },
  now: Moment,
  rules: Rules,
): Notice | null {
  const publication = publicationOf(component, name)
  const target = rules.targets.find((each) => each.name === name)
  const status = publication?.publishedStatus ?? null
  if (publication === undefined || target === undefined || status === null) return null
  const wanted = wantedAt(target, component, rules)
  if (wanted === null || component.retiredAs !== null) return null
  if (isSending(publication) || isOutdatedAt(target, component, rules)) return null
  const isSilent =
    component.maintenanceId === null && (component.incident !== null || now.monotonic >= component.deadline)
  if (target.isAlert ? !isDown(status) || acknowledgementOf(component) !== null : isSilent && !keepsStatus) return null
  return { ...wanted, status, previousStatus: status, sequence: publication.sequence, repeatedAt: now.wall }
}

/** What to repeat to the target for a component; null if nothing. */
export const repetitionsOf =
  ({ name, page }: Pick<Channel, 'name' | 'page'>, registry: Registry) =>
  (componentId: string): Notice | null => {
    const component = registry.find(componentId)
    return component ? repetitionOf(component, { name, page }, registry.now(), registry.rulesOf(componentId)) : null
  }

/** Repeats the published status to a page that takes silence for an outage, and to an alert channel as a reminder. */
export function createRepeater(deps: RepeaterDeps) {
  const { clock, everyMs, firstAt = -Infinity, noticeOf } = deps
  /** On the monotonic clock. */
  const dueAt = new Map<string, number>()

  const repeat = async (componentId: string): Promise<void> => {
    const pushed = await deps.repeat(componentId, () => noticeOf(componentId))
    if (pushed === null) return
    deps.onRepeated?.(pushed)
    const { outcome } = pushed
    const waitMs = outcome.kind === 'failed' ? Math.min(outcome.retryAfterMs, maxThrottleMs) : 0
    if (waitMs > everyMs && dueAt.has(componentId)) dueAt.set(componentId, clock.monotonic() + waitMs)
  }

  return {
    repeatIfDue(componentId: string): void {
      const at = clock.monotonic()
      if (at < (dueAt.get(componentId) ?? firstAt) || noticeOf(componentId) === null) return
      dueAt.set(componentId, at + everyMs)
      void repeat(componentId)
    },
    /** Called when the target has accepted a push of the component. */
    heard: (componentId: string): void => void dueAt.set(componentId, clock.monotonic() + everyMs),
    forget: (componentId: string): void => void dueAt.delete(componentId),
  }
}
