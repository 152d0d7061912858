import type { Clock } from '../lib/clock.ts'
import { createAlertSender } from './alert-sender.ts'
import type { Push } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import type { Deliveries } from './deliveries.ts'
import { createPageSender } from './page-sender.ts'
import type { Publisher } from './publisher.ts'
import type { Registry } from './registry.ts'
import type { StatusPage } from './status-page.ts'
import { retriesOf } from './wanted.ts'

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
  /** Changes within this time are one message to an alert channel; 0: each is a message of its own. */
  readonly groupMs: number
  /** From 0 to 1, for the jitter of retries. */
  random(): number
}

/** Sends the pushes to one target. */
export interface Sender {
  readonly deliveries: Deliveries
  push(push: Push): void
  /** For a heartbeat: waits a moment for the target, unless it failed last time. */
  pushAndWait(push: Push): Promise<void>
  /** Sends what is due by now. */
  tick(): void
  forget(componentId: string): void
  /** Waits at most `ms` for what is in flight. */
  close(ms: number): Promise<void>
}

export type Outbox = ReturnType<typeof createOutbox>

/** Sends saved pushes, records their outcomes and retries. No target waits for another. */
export function createOutbox(deps: OutboxDeps, registry: Registry, log: ComponentLog) {
  const push = (each: Push): void => senders.get(each.target)?.push(each)
  /** What cannot be saved now is found again by the check of deadlines. */
  const retry = async (componentId: string, target: string): Promise<void> => {
    const pushes = await registry.exclusive(componentId, async () => {
      const component = registry.find(componentId)
      return component ? registry.change(component, { kind: 'retry', target }).catch(() => []) : []
    })
    for (const each of pushes) push(each)
  }
  const senderOf = (channel: Channel): Sender =>
    channel.page.isAlert
      ? createAlertSender(channel, { ...deps, retry }, registry, log)
      : createPageSender(channel, deps, registry, log)
  const senders = new Map(deps.channels.map((channel) => [channel.name, senderOf(channel)]))

  return {
    push,
    async pushAndWait(pushes: readonly Push[]): Promise<void> {
      await Promise.all(pushes.map((each) => senders.get(each.target)?.pushAndWait(each)))
    },
    /** Retries what failed and is due. */
    retry(): void {
      const now = registry.now()
      for (const component of registry.all()) {
        if (registry.isLocked(component.id)) continue
        for (const target of retriesOf(component, now, registry.rulesOf(component.id))) void retry(component.id, target)
      }
    },
    tick(): void {
      for (const sender of senders.values()) sender.tick()
    },
    lastPushes: (target: string, componentId: string) => senders.get(target)?.deliveries.of(componentId) ?? [],
    deliveries: (target: string) => senders.get(target)?.deliveries.all() ?? [],
    forget(componentId: string): void {
      for (const sender of senders.values()) sender.forget(componentId)
    },
    async close(ms: number): Promise<void> {
      await Promise.all([...senders.values()].map((sender) => sender.close(ms)))
    },
  }
}
