import { createKeyedMutex } from '../lib/keyed-mutex.ts'
import { createSemaphore } from '../lib/semaphore.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Notice } from './component.ts'
import type { Outcome, StatusPage } from './status-page.ts'

/** What was sent, and what became of it. */
export interface Told {
  readonly notice: Notice
  readonly outcome: Outcome
}

type Outcomes = Readonly<Record<Outcome['kind'], number>>

/** Tells the page, one thing at a time for each component. */
export interface Publisher {
  /** `current` is asked when its turn has come: what is to be sent by then. Null where nothing is. */
  push(componentId: string, current: () => Promise<Notice | null>): Promise<Told | null>
  /** After all that is new, and only where nothing else of the component is being told. */
  repeat(componentId: string, current: () => Notice | null): Promise<Told | null>
  readonly underWay: number
  /** Of pushes, and of repetitions, so far. */
  readonly outcomes: { readonly push: Outcomes; readonly repeat: Outcomes }
  /** Waits for what is under way, so long at most. */
  close(ms: number): Promise<void>
}

/** Requests to the page at a time; others wait, and their timeout begins when they are sent. */
const maxPushes = 12
const maxRepeats = 4

export function createPublisher(page: Pick<StatusPage, 'push'>): Publisher {
  const pushes = createSemaphore({ max: maxPushes })
  const repeats = createSemaphore({ max: maxRepeats })
  const mutex = createKeyedMutex()
  const waitingRepeats = new Set<string>()
  const outcomes = { push: noOutcomes(), repeat: noOutcomes() }

  const send = async (notice: Notice | null, counted: Record<Outcome['kind'], number>): Promise<Told | null> => {
    if (notice === null) return null
    const outcome = await page.push(notice).catch(broken)
    counted[outcome.kind] += 1
    return { notice, outcome }
  }

  return {
    // A repetition may be under way: what is new must not arrive before it.
    push: (componentId, current) =>
      mutex.run(componentId, () => pushes.run(async () => send(await current(), outcomes.push))),
    async repeat(componentId, current) {
      if (waitingRepeats.has(componentId)) return null
      waitingRepeats.add(componentId)
      return repeats.run(async () => {
        waitingRepeats.delete(componentId)
        if (mutex.isLocked(componentId)) return null
        return mutex.run(componentId, () => send(current(), outcomes.repeat))
      })
    },
    get underWay() {
      return mutex.size
    },
    outcomes,
    async close(ms) {
      await withTimeout(mutex.settled(), ms, () => {})
    },
  }
}

const noOutcomes = () => ({ accepted: 0, failed: 0, uncertain: 0 })

/** A page never throws; one that does may have been told. */
const broken = (error: unknown): Outcome => ({ kind: 'uncertain', reason: `broken: ${(error as Error).name}` })
