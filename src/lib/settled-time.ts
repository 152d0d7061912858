import type { Clock } from './clock.ts'

const readingsKept = 6

/**
 * The wall clock as a deletion may trust it. Each call, an hour apart, is a reading; the answer is the least of the last
 * six, each carried on by the monotonic clock, and null before there are so many. A clock that jumps ahead is believed
 * after it has stayed there for five hours; one that steps back at once.
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
