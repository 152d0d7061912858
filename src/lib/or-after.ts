/** What this resolves with; or `late`, where that takes longer. */
export function orAfter<T, L>(work: Promise<T>, ms: number, late: L): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<L>()
  const timer = setTimeout(resolve, ms, late)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}
