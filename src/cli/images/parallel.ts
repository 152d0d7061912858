import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from '../../lib/failure.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import { Failed } from '../failure.ts'
import { onOneLine } from '../output.ts'
import type { Progress, ProgressPart } from '../progress.ts'

export interface Work<Item> {
  readonly items: AsyncIterable<Item>
  readonly parallel: number
  readonly signal: AbortSignal
  readonly progress: Progress
  /** Retry delays. */
  readonly backoffMs?: readonly number[] | undefined
  /** Rejects with Failed if the item itself is bad; any other failure is the store's and is retried. */
  act(item: Item, part: ProgressPart): Promise<void>
  failed(item: Item, reason: string): void
}

/** The store's circuit breaker is open for a second. */
const usualBackoffMs = [1_000, 3_000]
const maxFailuresInRow = 10

/** Processes the items in order, several at a time. Returns why it was aborted; null if every item was tried. */
export async function work<Item>(what: Work<Item>): Promise<string | null> {
  const { items, parallel, signal, progress } = what
  const pending = items[Symbol.asyncIterator]()
  let givenUp: string | null = null
  let inRow = 0
  let isOver = false

  async function one(item: Item): Promise<void> {
    const part = progress.part()
    try {
      await withRetries(() => what.act(item, part), part, what)
      inRow = 0
    } catch (error) {
      // An interrupted item has not failed: the next run handles it.
      if (signal.aborted) return
      what.failed(item, reasonOf(error))
      inRow = isOfStore(error) ? inRow + 1 : 0
      if (inRow >= maxFailuresInRow)
        givenUp ??= `Aborted after ${maxFailuresInRow} store failures in a row; check the store, then run this again.`
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
    const failure = ends.find((end) => end.status === 'rejected')
    if (failure && !signal.aborted) throw failure.reason
    return givenUp
  } finally {
    await pending.return?.()
  }
}

async function withRetries(
  act: () => Promise<void>,
  part: ProgressPart,
  what: Pick<Work<unknown>, 'backoffMs' | 'signal'>,
): Promise<void> {
  const { backoffMs = usualBackoffMs, signal } = what
  for (const pauseMs of backoffMs) {
    try {
      return await act()
    } catch (error) {
      if (signal.aborted || !isTransient(error)) throw error
      part.again()
      await delay(pauseMs, undefined, { signal })
    }
  }
  await act()
}

/** Not a refusal, and not a file system error such as a full disk. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Failed || 'syscall' in error) return false
  if (error.name === 'NoSuchBucket') return false
  const { status } = error as { status?: unknown }
  return typeof status !== 'number' || status >= 500 || status === 429
}

/** The store itself has failed, rather than one damaged object. */
const isOfStore = (error: unknown) =>
  error instanceof Error && (error instanceof Unavailable || 'status' in error || 'syscall' in error)

/** One line for a report, with the cause. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return onOneLine(cause instanceof Error ? `${message}: ${messageOf(cause)}` : message)
}
