import { withTimeout } from '../lib/timeout.ts'
import type { Push } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { createDeliveries } from './deliveries.ts'
import type { Channel, OutboxDeps, Sender } from './outbox.ts'
import { createQueued, endOf } from './queued.ts'
import type { Registry } from './registry.ts'
import { createRepeater, repetitionsOf } from './repeater.ts'
import { isDown } from './statuses.ts'
import { wantedOf } from './wanted.ts'

/** Sends each change of a component to a status page by itself. */
export function createPageSender(channel: Channel, deps: OutboxDeps, registry: Registry, log: ComponentLog): Sender {
  const { name, page, publisher } = channel
  const { clock, pushWaitMs, random } = deps
  const deliveries = createDeliveries(clock)
  const queued = createQueued({ name, isAlert: false }, registry)
  let isStopped = false
  /** A circuit breaker for waits only: after a failure or slow response, heartbeats do not wait for the target. */
  let isBreakerOpen = false

  const isOutage = (componentId: string): boolean => {
    const component = registry.find(componentId)
    return component !== undefined && isDown(wantedOf(component, registry.rulesOf(componentId)).status)
  }

  const push = async (each: Push): Promise<void> => {
    const { componentId } = each.notice
    const queuedAt = clock.monotonic()
    const pushed = await publisher.push(
      componentId,
      () => registry.exclusive(componentId, async () => (isStopped ? null : queued.latest(each))),
      () => isOutage(componentId),
    )
    if (pushed === null) return
    const { sent: notice, outcome } = pushed
    if (outcome.kind !== 'accepted') isBreakerOpen = true
    else if (clock.monotonic() - queuedAt <= pushWaitMs) isBreakerOpen = false
    const following = await registry.exclusive(componentId, async () => {
      if (!queued.isCurrent(notice)) return []
      if (outcome.kind === 'accepted') repeater?.heard(componentId)
      log.pushed(name, notice, outcome)
      deliveries.add(notice, outcome)
      return registry.endPush({ ...each, notice }, endOf(outcome, random()))
    })
    for (const each of following) void push(each)
  }

  const repeater =
    page.repeatEveryMs === null
      ? null
      : createRepeater({
          repeat: publisher.repeat,
          clock,
          everyMs: page.repeatEveryMs,
          noticeOf: repetitionsOf(channel, registry),
          // Repetitions are routine, so they are not listed.
          onRepeated({ sent: notice, outcome }) {
            if (registry.find(notice.componentId)) log.pushed(name, notice, outcome)
          },
        })

  return {
    deliveries,
    push: (each) => void push(each),
    async pushAndWait(each) {
      const isRetry = queued.isRetry(each.notice.componentId)
      const pushed = push(each).then(() => true)
      if (isRetry || isBreakerOpen) return
      if (!(await withTimeout(pushed, pushWaitMs, () => false))) isBreakerOpen = true
    },
    tick(): void {
      publisher.tick()
      if (repeater) for (const { id } of registry.all()) repeater.repeatIfDue(id)
    },
    forget(componentId): void {
      repeater?.forget(componentId)
      deliveries.forget(componentId)
    },
    async close(ms): Promise<void> {
      await publisher.close(ms)
      isStopped = true
    },
  }
}
