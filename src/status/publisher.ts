import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { withTimeout } from '../lib/timeout.ts'
import { maxThrottleMs, type Notice } from './publication.ts'
import type { PushQueue } from './push-queue.ts'
import type { Outcome, StatusPage } from './status-page.ts'

export interface Sent<Sending> {
  readonly sent: Sending
  readonly outcome: Outcome
}

const maxRepeats = 4
/** The key of messages that are about several components; no component has it. */
const several = ''

export type Publisher = ReturnType<typeof createPublisher>

/** Sends requests to the page, one at a time per component. */
export function createPublisher(page: Pick<StatusPage, 'push'>, queue: PushQueue) {
  const repeats = createSemaphore({ max: maxRepeats })
  const mutex = createKeyedMutex()
  const waitingRepeats = new Set<string>()
  const outcomes = { push: noOutcomes(), repeat: noOutcomes() }

  const send = async (notices: readonly Notice[], counted: keyof typeof outcomes): Promise<Outcome> => {
    const outcome = await page.push(...(notices as [Notice])).catch(broken)
    outcomes[counted][outcome.kind] += 1
    if (outcome.kind === 'failed' && outcome.isThrottled) queue.pause(Math.min(outcome.retryAfterMs, maxThrottleMs))
    return outcome
  }

  const inTurn = async <T>(key: string, isUrgent: () => boolean, act: () => Promise<T | null>): Promise<T | null> => {
    if (!(await queue.take(key, isUrgent))) return null
    let result: T | null = null
    try {
      result = await act()
      return result
    } finally {
      queue.release(key, result !== null)
    }
  }

  return {
    /**
     * Calls `current` when its turn has come, for the notice to send by then; null sends nothing. A repetition may be in
     * flight: a new push must not arrive before it.
     */
    push: (componentId: string, current: () => Promise<Notice | null>, isUrgent = () => false) =>
      mutex.run(componentId, () =>
        inTurn(componentId, isUrgent, async () => {
          const notice = await current()
          return notice && { sent: notice, outcome: await send([notice], 'push') }
        }),
      ),
    /** One message of several components, one message at a time. Sends nothing if `current` resolves to none. */
    notify: (current: () => Promise<readonly Notice[]>) =>
      mutex.run(several, () =>
        inTurn(
          several,
          () => true,
          async () => {
            const notices = await current()
            if (notices.length === 0) return null
            const areReminders = notices.every(({ status, previousStatus }) => status === previousStatus)
            return { sent: notices, outcome: await send(notices, areReminders ? 'repeat' : 'push') }
          },
        ),
      ),
    /** Repeats what is published. New pushes go first; dropped while another push of the component is in flight. */
    async repeat(componentId: string, current: () => Notice | null): Promise<Sent<Notice> | null> {
      if (waitingRepeats.has(componentId) || queue.isPaused) return null
      waitingRepeats.add(componentId)
      return repeats.run(async () => {
        waitingRepeats.delete(componentId)
        if (mutex.isLocked(componentId)) return null
        return mutex.run(componentId, async () => {
          const notice = current()
          return notice && { sent: notice, outcome: await send([notice], 'repeat') }
        })
      })
    },
    /** Sends pushes that waited for the page's budget, or for the end of a pause. */
    tick: queue.tick,
    get underWay(): number {
      return mutex.size
    },
    outcomes,
    /** Waits at most `ms` for the requests in flight. */
    async close(ms: number): Promise<void> {
      queue.close()
      await withTimeout(mutex.settled(), ms, () => {})
    },
  }
}

const noOutcomes = () => ({ accepted: 0, failed: 0, uncertain: 0 })

/** A driver never throws; if one does, the page may have accepted the push. */
const broken = (error: unknown): Outcome => ({ kind: 'uncertain', reason: `broken: ${(error as Error).name}` })
