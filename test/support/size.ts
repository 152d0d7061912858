import { describe, it } from 'node:test'

/** `full` in `npm run test:all`, `longest` in `npm run test:faults`; else tests that are slow by their size are small. */
const { TEST_SIZE: size } = process.env
export const isFullSize = size === 'full' || size === 'longest'

/** A number of kills, repetitions or runs; the longest is for what only chance finds. */
export const sized = (small: number, full: number, longest = full): number =>
  size === 'longest' ? longest : isFullSize ? full : small

/** All of these cases, or about `small` or `full` of them, evenly spread. */
export function someOf<T>(small: number, cases: readonly T[], full = cases.length): readonly T[] {
  const every = Math.ceil(cases.length / sized(small, full, cases.length))
  return cases.filter((_, index) => index % every === 0)
}

const leaveOut = () => Promise.resolve()

/** For a test that takes a second of CPU in any size, beside quicker ones of the same promise. `npm test` leaves it out. */
export const itInFull: typeof it = isFullSize ? it : (leaveOut as typeof it)
export const describeInFull: typeof describe = isFullSize ? describe : (leaveOut as typeof describe)
/** For a fault that takes half a minute, beside others of the same part: only `npm run test:faults` has it. */
export const itInLongest: typeof it = size === 'longest' ? it : (leaveOut as typeof it)
