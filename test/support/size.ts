/** Set by `npm run test:all`. Without it, what takes long by its size alone is small. */
export const isFullSize = process.env.TEST_SIZE === 'full'

/** How many kills, repetitions or runs. */
export const sized = (small: number, full: number): number => (isFullSize ? full : small)

/** All of these cases, or about so many of them, evenly spread. */
export const someOf = <T>(count: number, cases: readonly T[]): readonly T[] =>
  isFullSize ? cases : cases.filter((_, index) => index % Math.ceil(cases.length / count) === 0)
