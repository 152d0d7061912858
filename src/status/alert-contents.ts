import type { createNews } from './acknowledgement-news.ts'
import type { Push } from './component.ts'
import type { Notice } from './publication.ts'
import type { createQueued } from './queued.ts'
import type { Registry } from './registry.ts'

interface ContentsDeps {
  readonly registry: Registry
  readonly queued: ReturnType<typeof createQueued>
  readonly news: ReturnType<typeof createNews>
  /** Null if there is nothing left to remind of. */
  reminderOf(componentId: string): Notice | null
  /** Max components in one message. */
  readonly max: number
}

/** What waits for the next message to an alert channel: changes, reminders, and who acknowledged an outage. */
export function createContents({ registry, queued, news, reminderOf, max }: ContentsDeps) {
  /** By component. */
  const pushes = new Map<string, Push>()
  const reminders = new Set<string>()

  return {
    /** The number of changes. */
    get changes(): number {
      return pushes.size
    },
    isEmpty: (): boolean => pushes.size + reminders.size === 0,
    add: (push: Push): void => void pushes.set(push.notice.componentId, push),
    remind: (componentId: string): void => void reminders.add(componentId),
    /** What is sent by the time it is the message's turn. Adds the changes among it to `sending`. */
    async take(sending: Map<Notice, Push>): Promise<readonly Notice[]> {
      const changed = [...pushes.values()].slice(0, max)
      const due = [...reminders].slice(0, max - changed.length)
      const acknowledged = news.due().slice(0, max - changed.length - due.length)
      for (const { notice } of changed) pushes.delete(notice.componentId)
      for (const id of due) reminders.delete(id)
      await Promise.all(
        changed.map((push) =>
          registry.exclusive(push.notice.componentId, async () => {
            const notice = await queued.latest(push)
            if (notice) sending.set(notice, push)
          }),
        ),
      )
      const named = new Set([...sending.keys()].map(({ componentId }) => componentId))
      const others = due.filter((id) => !named.has(id)).flatMap((id) => reminderOf(id) ?? [])
      const notices = [...sending.keys(), ...others]
      if (acknowledged.length === 0) return notices
      const unnamed = acknowledged.filter((id) => notices.every(({ componentId }) => componentId !== id))
      const told = await Promise.all(unnamed.map(news.take))
      return [...notices, ...told.filter((notice) => notice !== null)]
    },
    forget: (componentId: string): void => void reminders.delete(componentId),
    clear: (): void => pushes.clear(),
  }
}
