import { withTimeout } from '../lib/timeout.ts'
import { createNews } from './acknowledgement-news.ts'
import { createContents } from './alert-contents.ts'
import type { Push } from './component.ts'
import type { ComponentLog } from './component-log.ts'
import { createDeliveries } from './deliveries.ts'
import type { Channel, OutboxDeps, Sender } from './outbox.ts'
import type { Notice } from './publication.ts'
import { createQueued, endOf } from './queued.ts'
import type { Registry } from './registry.ts'
import { createRepeater, repetitionsOf } from './repeater.ts'
import type { Outcome } from './status-page.ts'
import { maxNamed } from './statuses.ts'
import { publicationOf } from './wanted.ts'

/** Collects the retries of components that failed together. */
const retryGroupMs = 500
/** After a message that did not name everything, the next one waits for this many times the group's. */
const stormFactor = 4

interface AlertSenderDeps extends OutboxDeps {
  /** Pushes again what failed before. */
  retry(componentId: string, target: string): void
}

/** Sends changes and reminders to an alert channel: those within `groupMs` as one message, or each by itself if 0. */
export function createAlertSender(
  channel: Channel,
  deps: AlertSenderDeps,
  registry: Registry,
  log: ComponentLog,
): Sender {
  const { name, page, publisher } = channel
  const { clock, groupMs, random } = deps
  const deliveries = createDeliveries(clock)
  const queued = createQueued({ name, isAlert: true }, registry)
  const news = createNews(channel, clock, registry)
  const reminderOf = repetitionsOf(channel, registry)
  const contents = createContents({ registry, queued, news, reminderOf, max: groupMs === 0 ? 1 : Infinity })
  let sendAt = Infinity
  let restsUntil = -Infinity
  let isSending = false
  let lastSend = Promise.resolve()

  const sendWithin = (ms: number) => {
    sendAt = Math.min(sendAt, clock.monotonic() + ms)
  }
  const reminders =
    page.repeatEveryMs === null
      ? null
      : createRepeater({
          // As part of the next message.
          async repeat(id) {
            contents.remind(id)
            sendWithin(groupMs)
            return null
          },
          clock,
          everyMs: page.repeatEveryMs,
          firstAt: clock.monotonic() + page.repeatEveryMs,
          noticeOf: reminderOf,
        })

  const end = async (notice: Notice, push: Push | undefined, outcome: Outcome, jitter: number): Promise<void> => {
    const { componentId } = notice
    await news.end(notice, outcome)
    const following = await registry.exclusive(componentId, async () => {
      const isKnown = push ? queued.isCurrent(notice) : registry.find(componentId) !== undefined
      if (!isKnown) return []
      deliveries.add(notice, outcome, push === undefined)
      if (outcome.kind === 'accepted') reminders?.heard(componentId)
      return push ? registry.endPush({ ...push, notice }, endOf(outcome, jitter)) : []
    })
    for (const each of following) add(each)
  }

  const send = async (): Promise<void> => {
    sendAt = Infinity
    isSending = true
    const sending = new Map<Notice, Push>()
    const notified = await publisher.notify(() => contents.take(sending))
    isSending = false
    if (groupMs === 0 && !contents.isEmpty()) sendWithin(0)
    sendIfDue()
    if (notified === null) return
    const { sent, outcome } = notified
    log.notified(name, sent, outcome)
    // The same for all, so that they are retried together.
    const jitter = random()
    await Promise.all(sent.map((notice) => end(notice, sending.get(notice), outcome, jitter)))
    if (outcome.kind !== 'accepted') return
    if (sent.length > maxNamed) restsUntil = clock.monotonic() + stormFactor * groupMs
    for (const component of registry.all()) {
      const kind = publicationOf(component, name)?.push.kind
      if (kind === 'waiting' || kind === 'unknown') deps.retry(component.id, name)
    }
  }

  const sendIfDue = () => {
    const at = clock.monotonic()
    if (!isSending && at >= sendAt && at >= restsUntil) lastSend = send()
  }

  const add = (push: Push) => {
    contents.add(push)
    sendWithin(queued.isRetry(push.notice.componentId) ? Math.min(retryGroupMs, groupMs) : groupMs)
    if (groupMs === 0) sendIfDue()
  }

  return {
    deliveries,
    push: add,
    // A message may wait for others, and so no heartbeat waits for it.
    pushAndWait: async (push) => add(push),
    tick(): void {
      publisher.tick()
      if (reminders) for (const { id } of registry.all()) reminders.repeatIfDue(id)
      if (news.due().length > 0) sendWithin(groupMs)
      sendIfDue()
    },
    forget(componentId): void {
      contents.forget(componentId)
      reminders?.forget(componentId)
      news.forget(componentId)
      deliveries.forget(componentId)
    },
    async close(ms): Promise<void> {
      if (contents.changes > 0 && !isSending) lastSend = send()
      await publisher.close(ms)
      await withTimeout(lastSend, ms, () => {})
      contents.clear()
    },
  }
}
