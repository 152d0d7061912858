import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Notice } from './publication.ts'
import type { Outcome, StatusPage } from './status-page.ts'
import type { Turns } from './turns.ts'

export interface Pushed {
  readonly notice: Notice
  readonly outcome: Outcome
}

type Outcomes = Readonly<Record<Outcome['kind'], number>>

/** Sends requests to the page, one at a time per component. */
export interface Publisher {
  /** Calls `current` when its turn has come, for the notice to send by then; null sends nothing. */
  push(componentId: string, current: () => Promise<Notice | null>, isUrgent?: () => boolean): Promise<Pushed | null>
  /** Repeats what is published. New pushes go first; dropped while another push of the component is in flight. */
  repeat(componentId: string, current: () => Notice | null): Promise<Pushed | null>
  /** Sends pushes that waited for the page's budget. */
  tick(): void
  readonly underWay: number
  readonly outcomes: { readonly push: Outcomes; readonly repeat: Outcomes }
  /** Waits at most `ms` for the requests in flight. */
  close(ms: number): Promise<void>
}

/** Max concurrent requests to the page; the timeout of the others begins when they are sent. */
const maxPushes = 12
const maxRepeats = 4

export function createPublisher(page: Pick<StatusPage, 'push'>, turns: Turns | null = null): Publisher {
  const pushes = createSemaphore({ max: maxPushes })
  const repeats = createSemaphore({ max: maxRepeats })
  const mutex = createKeyedMutex()
  const waitingRepeats = new Set<string>()
  const outcomes = { push: noOutcomes(), repeat: noOutcomes() }

  const send = async (notice: Notice | null, counted: Record<Outcome['kind'], number>): Promise<Pushed | null> => {
    if (notice === null) return null
    const outcome = await page.push(notice).catch(broken)
    counted[outcome.kind] += 1
    return { notice, outcome }
  }

  return {
    // A repetition may be in flight: a new push must not arrive before it.
    push: (componentId, current, isUrgent = () => false) =>
      mutex.run(componentId, async () => {
        if (turns && !(await turns.take(componentId, isUrgent))) return null
        const pushed = await pushes.run(async () => send(await current(), outcomes.push))
        if (pushed === null) turns?.giveBack(componentId)
        return pushed
      }),
    async repeat(componentId, current) {
      if (waitingRepeats.has(componentId)) return null
      waitingRepeats.add(componentId)
      return repeats.run(async () => {
        waitingRepeats.delete(componentId)
        if (mutex.isLocked(componentId)) return null
        return mutex.run(componentId, () => send(current(), outcomes.repeat))
      })
    },
    tick: () => turns?.tick(),
    get underWay() {
      return mutex.size
    },
    outcomes,
    async close(ms) {
      turns?.close()
      await withTimeout(mutex.settled(), ms, () => {})
    },
  }
}

const noOutcomes = () => ({ accepted: 0, failed: 0, uncertain: 0 })

/** A driver never throws; if one does, the page may have accepted the push. */
const broken = (error: unknown): Outcome => ({ kind: 'uncertain', reason: `broken: ${(error as Error).name}` })
