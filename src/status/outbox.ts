import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import { wantedOf } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import type { Notice } from './publication.ts'
import type { Publisher } from './publisher.ts'
import type { Registry } from './registry.ts'
import { createRepeater, repetitionOf } from './repeater.ts'
import type { Outcome, StatusPage } from './status-page.ts'
import type { Status } from './statuses.ts'

export interface OutboxDeps {
  readonly publisher: Publisher
  readonly page: Pick<StatusPage, 'repeatEveryMs'> | null
  readonly clock: Clock
  /** How long a heartbeat waits for its push. */
  readonly pushWaitMs: number
}

export interface SentPush {
  readonly at: number
  readonly status: Status
  readonly outcome: Outcome['kind']
  readonly reason: string | null
}

const maxLastPushes = 5

export type Outbox = ReturnType<typeof createOutbox>

/** Sends the pushes that have been saved, and records what became of them. */
export function createOutbox(deps: OutboxDeps, registry: Registry, log: ComponentLog) {
  const { publisher, page, clock, pushWaitMs } = deps
  /** Newest first. */
  const lastPushes = new Map<string, readonly SentPush[]>()
  let isStopped = false
  /** A circuit breaker for waiting alone: after a failure, or a slow response, heartbeats no longer wait for the page. */
  let isBreakerOpen = false

  const push = async (queued: Notice): Promise<void> => {
    const { componentId } = queued
    const queuedAt = clock.monotonic()
    const sent = await publisher.push(componentId, () => registry.exclusive(componentId, () => latest(queued)))
    if (sent === null) return
    const { notice, outcome } = sent
    if (outcome.kind !== 'accepted') isBreakerOpen = true
    else if (clock.monotonic() - queuedAt <= pushWaitMs) isBreakerOpen = false
    const following = await registry.exclusive(componentId, async () => {
      // Unless it has been retired meanwhile.
      if (!isCurrent(notice)) return null
      if (outcome.kind === 'accepted') repeater?.heard(componentId)
      log.pushed(notice, outcome)
      remember(notice, outcome)
      return registry.endPush(notice, outcome)
    })
    if (following) void push(following)
  }

  const remember = ({ componentId, status }: Notice, outcome: Outcome) => {
    const reason = outcome.kind === 'accepted' ? null : outcome.reason
    const sent = { at: clock.now(), status, outcome: outcome.kind, reason }
    lastPushes.set(componentId, [sent, ...(lastPushes.get(componentId) ?? [])].slice(0, maxLastPushes))
  }

  const isCurrent = (notice: Notice): boolean => {
    const current = registry.find(notice.componentId)?.publication.push
    return current?.kind === 'sending' && current.notice === notice
  }

  /** The notice to send now that its turn has come; null if it is no longer wanted. */
  const latest = async (notice: Notice): Promise<Notice | null> => {
    const component = registry.find(notice.componentId)
    if (isStopped || !component || !isCurrent(notice)) return null
    if (wantedOf(component, registry.rulesOf(component.id)).status === notice.status) return notice
    return registry.endPush(notice, { kind: 'overtaken' })
  }

  const everyMs = page?.repeatEveryMs ?? null
  const repeater =
    everyMs === null
      ? null
      : createRepeater({
          ...{ publisher, clock, everyMs },
          noticeOf(id) {
            const component = registry.find(id)
            return component ? repetitionOf(component, registry.now(), registry.rulesOf(id)) : null
          },
          onRepeated({ notice, outcome }) {
            if (registry.find(notice.componentId)) log.pushed(notice, outcome)
          },
        })

  return {
    push,
    /** For a heartbeat: waits a moment for the page, unless it has failed before. */
    async pushAndWait(notice: Notice): Promise<void> {
      const { push: queued } = registry.find(notice.componentId)?.publication ?? {}
      const isRetry = queued?.kind === 'sending' && queued.before.kind !== 'idle'
      const pushed = push(notice).then(() => true)
      if (isRetry || isBreakerOpen) return
      if (!(await withTimeout(pushed, pushWaitMs, () => false))) isBreakerOpen = true
    },
    repeat(): void {
      if (repeater) for (const { id } of registry.all()) repeater.look(id)
    },
    lastPushes: (componentId: string): readonly SentPush[] => lastPushes.get(componentId) ?? [],
    forget(componentId: string): void {
      repeater?.forget(componentId)
      lastPushes.delete(componentId)
    },
    async close(ms: number): Promise<void> {
      await publisher.close(ms)
      isStopped = true
    },
  }
}
