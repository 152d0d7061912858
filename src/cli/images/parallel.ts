import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../lib/failure.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import { Failed } from '../failure.ts'
import { onOneLine } from '../output.ts'
import type { Part, Progress } from '../progress.ts'

export interface Work<Item> {
  readonly items: AsyncIterable<Item>
  readonly parallel: number
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Failed: something is wrong with the item itself. Any other failure is one of the store, and tried again. */
  act(item: Item, part: Part): Promise<void>
  failed(item: Item, reason: string): void
}

/** Before the second try and before the third; the store is not asked for a second after it could not be reached. */
const pausesMs = [1_000, 3_000]
/** Then the store is away for longer, and trying thousands more would only take hours. */
const mostFailuresInRow = 10

/** Several at a time, begun in their order. Answers why it was given up before the end; null where all was tried. */
export async function work<Item>(what: Work<Item>): Promise<string | null> {
  const { items, parallel, signal, progress } = what
  const pending = items[Symbol.asyncIterator]()
  let givenUp: string | null = null
  let inRow = 0
  let isOver = false

  async function one(item: Item): Promise<void> {
    const part = progress.part()
    try {
      await trying(() => what.act(item, part), part, signal)
      inRow = 0
    } catch (error) {
      // What a signal broke off did not fail: it is undone, and left for the next run.
      if (signal.aborted) return
      what.failed(item, reasonOf(error))
      inRow = isOfStore(error) ? inRow + 1 : 0
      if (inRow >= mostFailuresInRow)
        givenUp ??= `Given up after ${mostFailuresInRow} failures of the store in a row; look after it, then run this again.`
    }
    part.over()
  }

  async function worker(): Promise<void> {
    while (!(isOver || signal.aborted) && givenUp === null) {
      const { value, done } = await pending.next()
      if (done) {
        isOver = true
        return
      }
      await one(value)
    }
  }

  try {
    const ends = await Promise.allSettled(Array.from({ length: parallel }, () => worker()))
    // A walk that was broken off by the signal is no failure either.
    const failure = ends.find((end) => end.status === 'rejected')
    if (failure && !signal.aborted) throw failure.reason
    return givenUp
  } finally {
    await pending.return?.()
  }
}

async function trying(act: () => Promise<void>, part: Part, signal: AbortSignal): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error
      part.again()
      await delay(pauseMs, undefined, { signal })
    }
  }
  await act()
}

/** A refusal stays one, and so does what the file system says: a full disk, a missing right. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Failed || 'syscall' in error) return false
  if (error.name === 'NoSuchBucket') return false
  const { status } = error as { status?: unknown }
  return typeof status !== 'number' || status >= 500 || status === 429
}

/** It does not answer, refuses, or cannot write: more than one object that is damaged. */
const isOfStore = (error: unknown) =>
  error instanceof Error && (error instanceof Unavailable || 'status' in error || 'syscall' in error)

/** One line for a report; what is behind the message says more. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return onOneLine(cause instanceof Error ? `${message}: ${messageOf(cause)}` : message)
}
