import type { Clock } from './clock.ts'

const readingsKept = 3

/**
 * The wall clock as a deletion may trust it. Each call, an hour apart, is a reading; the answer is the earliest of the
 * last three, each carried on by the monotonic clock, and null before there are three. A clock that jumps ahead is
 * believed after two hours there; one that steps back, at once.
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
