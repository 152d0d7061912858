import { describe, it } from 'node:test'

/** Set by `npm run test:all`. Without it, tests that are slow only because of their size are small. */
export const isFullSize = process.env.TEST_SIZE === 'full'

/** A number of kills, repetitions or runs. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small)

/** All of these cases, or about `count` of them, evenly spread. */
export const someOf = <T>(count: number, cases: readonly T[]): readonly T[] =>
  isFullSize ? cases : cases.filter((_, index) => index % Math.ceil(cases.length / count) === 0)

const leaveOut = () => Promise.resolve()

/** For a test that takes a second of CPU in any size, beside quicker ones of the same promise. `npm test` leaves it out. */
export const itInFull: typeof it = isFullSize ? it : (leaveOut as typeof it)
export const describeInFull: typeof describe = isFullSize ? describe : (leaveOut as typeof describe)
