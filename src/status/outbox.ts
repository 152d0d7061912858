import type { Clock } from '../lib/clock.ts'
import { withTimeout } from '../lib/timeout.ts'
import { type Push, publicationOf, wantedOf } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { type Notice, wantedBy } from './publication.ts'
import type { Publisher } from './publisher.ts'
import type { Registry } from './registry.ts'
import { createRepeater, repetitionOf } from './repeater.ts'
import type { Outcome, StatusPage } from './status-page.ts'
import { isDown, type Status } from './statuses.ts'

/** A target as configured. */
export interface Channel {
  readonly name: string
  readonly page: Pick<StatusPage, 'isAlert' | 'repeatEveryMs' | 'keepsStatus'>
  readonly publisher: Publisher
}

export interface OutboxDeps {
  readonly channels: readonly Channel[]
  readonly clock: Clock
  /** How long a heartbeat waits for its pushes. */
  readonly pushWaitMs: number
}

export interface SentPush {
  readonly at: number
  readonly status: Status
  readonly outcome: Outcome['kind']
  readonly reason: string | null
  /** Repeats an outage that the alert channel already got. */
  readonly isReminder: boolean
}

/** A push of any component. */
export interface Delivery extends SentPush {
  readonly componentId: string
}

const maxLastPushes = 5
const maxDeliveries = 20

export type Outbox = ReturnType<typeof createOutbox>

/** Sends saved pushes and records their outcomes. No target waits for another. */
export function createOutbox(deps: OutboxDeps, registry: Registry, log: ComponentLog) {
  const senders = new Map(deps.channels.map((channel) => [channel.name, createSender(channel, deps, registry, log)]))
  return {
    push: (push: Push): void => void senders.get(push.target)?.push(push),
    /** For a heartbeat: waits a moment for the targets, except those that failed last time. */
    async pushAndWait(pushes: readonly Push[]): Promise<void> {
      await Promise.all(pushes.map((push) => senders.get(push.target)?.pushAndWait(push)))
    },
    repeat(): void {
      for (const sender of senders.values()) sender.repeat()
    },
    lastPushes: (target: string, componentId: string) => senders.get(target)?.lastPushes(componentId) ?? [],
    deliveries: (target: string) => senders.get(target)?.deliveries() ?? [],
    forget(componentId: string): void {
      for (const sender of senders.values()) sender.forget(componentId)
    },
    async close(ms: number): Promise<void> {
      await Promise.all([...senders.values()].map((sender) => sender.close(ms)))
    },
  }
}

function createSender({ name, page, publisher }: Channel, deps: OutboxDeps, registry: Registry, log: ComponentLog) {
  const { clock, pushWaitMs } = deps
  /** Newest first. */
  const lastPushes = new Map<string, readonly SentPush[]>()
  let deliveries: readonly Delivery[] = []
  let isStopped = false
  /** A circuit breaker for waits only: after a failure or slow response, heartbeats do not wait for the target. */
  let isBreakerOpen = false

  const push = async (queued: Push): Promise<void> => {
    const { componentId } = queued.notice
    const queuedAt = clock.monotonic()
    const sent = await publisher.push(
      componentId,
      () => registry.exclusive(componentId, () => latest(queued)),
      () => isOutage(componentId),
    )
    if (sent === null) return
    const { notice, outcome } = sent
    if (outcome.kind !== 'accepted') isBreakerOpen = true
    else if (clock.monotonic() - queuedAt <= pushWaitMs) isBreakerOpen = false
    const following = await registry.exclusive(componentId, async () => {
      // The component may have been retired meanwhile.
      if (!isCurrent(notice)) return []
      if (outcome.kind === 'accepted') repeater?.heard(componentId)
      log.pushed(name, notice, outcome)
      remember(notice, outcome)
      return registry.endPush({ ...queued, notice }, outcome)
    })
    for (const each of following) void push(each)
  }

  const currentPush = (componentId: string) => {
    const component = registry.find(componentId)
    return component && publicationOf(component, name)?.push
  }

  const remember = ({ componentId, status }: Notice, outcome: Outcome, isReminder = false) => {
    const sent = { at: clock.now(), status, outcome: outcome.kind, reason: outcome.reason ?? null, isReminder }
    lastPushes.set(componentId, [sent, ...(lastPushes.get(componentId) ?? [])].slice(0, maxLastPushes))
    deliveries = [{ componentId, ...sent }, ...deliveries].slice(0, maxDeliveries)
  }

  const isOutage = (componentId: string): boolean => {
    const component = registry.find(componentId)
    return component !== undefined && isDown(wantedOf(component, registry.rulesOf(componentId)).status)
  }

  const isCurrent = (notice: Notice): boolean => {
    const current = currentPush(notice.componentId)
    return current?.kind === 'sending' && current.notice === notice
  }

  /** The notice to send now that its turn has come; null if it is no longer wanted. */
  const latest = async (queued: Push): Promise<Notice | null> => {
    const { notice } = queued
    const component = registry.find(notice.componentId)
    if (isStopped || !component || !isCurrent(notice)) return null
    const wanted = wantedBy(page, wantedOf(component, registry.rulesOf(component.id)))
    if (wanted?.status === notice.status) return notice
    const [following] = await registry.endPush(queued, { kind: 'overtaken' })
    return following?.notice ?? null
  }

  const repeater =
    page.repeatEveryMs === null
      ? null
      : createRepeater({
          ...{ publisher, clock, everyMs: page.repeatEveryMs, isAlert: page.isAlert },
          noticeOf(id) {
            const component = registry.find(id)
            return component ? repetitionOf(component, { name, page }, registry.now(), registry.rulesOf(id)) : null
          },
          onRepeated({ notice, outcome }) {
            if (!registry.find(notice.componentId)) return
            log.pushed(name, notice, outcome)
            // Repetitions to a page are routine, so they are not listed.
            if (page.isAlert) remember(notice, outcome, true)
          },
        })

  return {
    push,
    async pushAndWait(queued: Push): Promise<void> {
      const current = currentPush(queued.notice.componentId)
      const isRetry = current?.kind === 'sending' && current.before.kind !== 'idle'
      const pushed = push(queued).then(() => true)
      if (isRetry || isBreakerOpen) return
      if (!(await withTimeout(pushed, pushWaitMs, () => false))) isBreakerOpen = true
    },
    repeat(): void {
      publisher.tick()
      if (repeater) for (const { id } of registry.all()) repeater.repeatIfDue(id)
    },
    lastPushes: (componentId: string): readonly SentPush[] => lastPushes.get(componentId) ?? [],
    deliveries: () => deliveries,
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
