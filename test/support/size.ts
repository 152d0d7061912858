/** Set by `npm run test:all`. Without it, tests that are slow only because of their size are small. */
export const isFullSize = process.env.TEST_SIZE === 'full'

/** A number of kills, repetitions or runs. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small)

/** All of these cases, or about `count` of them, evenly spread. */
export const someOf = <T>(count: number, cases: readonly T[]): readonly T[] =>
  isFullSize ? cases : cases.filter((_, index) => index % Math.ceil(cases.length / count) === 0)
