import type { Clock } from './clock.ts'

const readingsKept = 3

/**
 * A wall clock that deletions can trust: the earliest of the last three hourly readings, each advanced by the monotonic
 * clock; null before the third. Accepts a jump forwards after two hours, a step back at once.
 */
export function createSettledTime(clock: Clock): () => number | null {
  const offsets: number[] = []
  return () => {
    const monotonic = clock.monotonic()
    offsets.push(clock.now() - monotonic)
    if (offsets.length > readingsKept) offsets.shift()
    return offsets.length < readingsKept ? null : Math.min(...offsets) + monotonic
  }
}
