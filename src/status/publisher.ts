import { orAfter } from '../lib/or-after.ts'
import type { Notice } from './component.ts'
import type { Outcome, StatusPage } from './status-page.ts'

/** Tells the page, one thing at a time for each component. */
export interface Publisher {
  /** Resolves when it is known what became of it, or that nothing is. */
  push(notice: Notice): Promise<Outcome>
  /** Tells again what is published, where nothing else is being told; nobody hears of the outcome. */
  repeat(notice: Notice): void
  readonly underWay: number
  /** Of pushes so far. */
  readonly outcomes: Readonly<Record<Outcome['kind'], number>>
  /** Waits for what is under way, so long at most. */
  close(ms: number): Promise<void>
}

/** At the page at a time; the others wait for their turn, and only then does their time begin. */
const mostAtOnce = 16

export function createPublisher(page: Pick<StatusPage, 'push'>): Publisher {
  let atOnce = 0
  const waiting: (() => void)[] = []
  const inTurn = async (notice: Notice): Promise<Outcome> => {
    if (atOnce >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
    else atOnce += 1
    try {
      return await page.push(notice)
    } finally {
      const next = waiting.shift()
      if (next) next()
      else atOnce -= 1
    }
  }
  const busy = new Map<string, Promise<unknown>>()
  const outcomes = { accepted: 0, failed: 0, uncertain: 0 }

  const tell = async (notice: Notice): Promise<Outcome> => {
    const { componentId } = notice
    // A repetition may be under way: what is new must not arrive before it.
    const before = busy.get(componentId)
    const telling = (before ?? Promise.resolve()).then(() => inTurn(notice))
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
    async push(notice) {
      const outcome = await tell(notice).catch(broken)
      outcomes[outcome.kind] += 1
      return outcome
    },
    repeat(notice) {
      if (!busy.has(notice.componentId)) void tell(notice).catch(() => {})
    },
    get underWay() {
      return busy.size
    },
    outcomes,
    async close(ms) {
      await orAfter(Promise.all(busy.values()), ms, null)
    },
  }
}

/** A page never throws; one that does may have been told. */
const broken = (error: unknown): Outcome => ({ kind: 'uncertain', reason: `broken: ${(error as Error).name}` })
