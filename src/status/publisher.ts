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

/** At the page at a time; the others wait for their turn, and only then does their time begin. */
const mostAtOnce = 12
const mostRepeatsAtOnce = 4

export function createPublisher(page: Pick<StatusPage, 'push'>): Publisher {
  const pushes = createPlaces(mostAtOnce)
  const repeats = createPlaces(mostRepeatsAtOnce)
  const busy = new Map<string, Promise<unknown>>()
  const waitingRepeats = new Set<string>()
  const outcomes = { push: noOutcomes(), repeat: noOutcomes() }

  const send = async (notice: Notice | null, counted: Record<Outcome['kind'], number>): Promise<Told | null> => {
    if (notice === null) return null
    const outcome = await page.push(notice).catch(broken)
    counted[outcome.kind] += 1
    return { notice, outcome }
  }

  const occupy = async <T>(componentId: string, telling: Promise<T>): Promise<T> => {
    const ending = telling.then(
      () => {},
      () => {},
    )
    busy.set(componentId, ending)
    try {
      return await telling
    } finally {
      if (busy.get(componentId) === ending) busy.delete(componentId)
    }
  }

  return {
    push(componentId, current) {
      const inPlace = () => pushes(async () => send(await current(), outcomes.push))
      // A repetition may be under way: what is new must not arrive before it.
      const before = busy.get(componentId) ?? Promise.resolve()
      return occupy(componentId, before.then(inPlace))
    },
    async repeat(componentId, current) {
      if (waitingRepeats.has(componentId)) return null
      waitingRepeats.add(componentId)
      return repeats(async () => {
        waitingRepeats.delete(componentId)
        return busy.has(componentId) ? null : occupy(componentId, send(current(), outcomes.repeat))
      })
    },
    get underWay() {
      return busy.size
    },
    outcomes,
    async close(ms) {
      await withTimeout(Promise.all(busy.values()), ms, () => {})
    },
  }
}

/** So many at a time, the others in the order they came. */
function createPlaces(most: number) {
  let taken = 0
  const waiting: (() => void)[] = []
  return async <T>(act: () => Promise<T>): Promise<T> => {
    if (taken >= most) await new Promise<void>((resolve) => waiting.push(resolve))
    else taken += 1
    try {
      return await act()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
  }
}

const noOutcomes = () => ({ accepted: 0, failed: 0, uncertain: 0 })

/** A page never throws; one that does may have been told. */
const broken = (error: unknown): Outcome => ({ kind: 'uncertain', reason: `broken: ${(error as Error).name}` })
