import { setTimeout as delay } from 'node:timers/promises'
import type { PublicComponent } from '../../config/status-page.ts'
import { mismatch } from '../../http/schema.ts'
import type { Clock } from '../../lib/clock.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { fullSummary, summary } from '../../status/summary.ts'
import { askWorkers } from '../ask-workers.ts'
import { joined } from './join-summaries.ts'
import { fromOlderWorker, type StatusView, type Summary, unknownView, viewOf } from './view.ts'

const freshMs = 10_000
/** Between two reads for what the shared view does not have: guesses must not flood the worker. */
const anewMs = 1_000
/** A reply about more of them might exceed what is read of it. */
const maxComponents = 50

interface ReaderDeps {
  readonly workers: readonly string[] | null
  readonly components: readonly PublicComponent[]
  readonly clock: Clock
  /** Since when the API has not reached the worker; null if it does. */
  awaySince(): number | null
}

export function createStatusReader({ workers, components, clock, awaySince }: ReaderDeps) {
  let current: Promise<StatusView> | null = null
  let isReading = false
  let readAt = 0
  let awaited: Promise<StatusView> | null = null
  let anewAt = -Infinity
  let unknownSince: number | null = null
  const ids = components.map(({ id }) => id)
  const parts = [ids.slice(0, maxComponents)]
  for (let from = maxComponents; from < ids.length; from += maxComponents)
    parts.push(ids.slice(from, from + maxComponents))

  const summaryOf = async (some: readonly string[]): Promise<Summary> => {
    const found = JSON.parse(await askWorkers(workers ?? [], `/summary?componentId=${some.join(',')}&full=true`))
    const isOlder = mismatch(summary, found) === null
    const problem = isOlder ? null : mismatch(fullSummary, found)
    if (problem !== null) throw new Error(problem)
    return isOlder ? fromOlderWorker(found) : found
  }

  const read = async (): Promise<StatusView> => {
    try {
      // An installation that has no status to show.
      if (workers === null && ids.length === 0) return unknownView(components, isoTime(clock.now()), null)
      const found: Summary[] = []
      // One after the other: the worker has other things to do.
      for (const some of parts) found.push(await summaryOf(some))
      unknownSince = null
      return viewOf(components, joined(found))
    } catch {
      // The reporter logs that the worker is unavailable.
      unknownSince = awaySince() ?? unknownSince ?? clock.now()
      return unknownView(components, isoTime(clock.now()), isoTime(unknownSince))
    } finally {
      readAt = clock.monotonic()
      isReading = false
    }
  }

  const begin = () => {
    isReading = true
    current = read()
    return current
  }

  const readAnew = async () => {
    await delay(Math.max(0, anewAt + anewMs - clock.monotonic()))
    // It began earlier, and may not know what this one is to find.
    while (isReading) await current
    awaited = null
    anewAt = clock.monotonic()
    return begin()
  }

  return {
    /** Asks the worker at most once every 10 s, however many visitors there are; in between, they share one view. */
    view: (): Promise<StatusView> =>
      current === null || (!isReading && clock.monotonic() - readAt >= freshMs) ? begin() : current,
    /** A view that is read after the call, and shared by all who wait for one. */
    viewAnew(): Promise<StatusView> {
      awaited ??= readAnew()
      return awaited
    },
  }
}
