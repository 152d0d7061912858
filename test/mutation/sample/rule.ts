/** A rule for the tests of the mutator. */
export const isFull = (count: number, max: number): boolean => count >= max
