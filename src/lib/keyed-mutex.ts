/** A mutex per key, in order of arrival. */
export function createKeyedMutex() {
  const last = new Map<string, Promise<void>>()
  return {
    /** Runs `act` once all earlier acts of this key have settled. */
    async run<T>(key: string, act: () => Promise<T>): Promise<T> {
      const before = last.get(key)
      const { promise: turn, resolve: end } = Promise.withResolvers<void>()
      last.set(key, turn)
      if (before) await before
      try {
        return await act()
      } finally {
        if (last.get(key) === turn) last.delete(key)
        end()
      }
    },
    isLocked: (key: string) => last.has(key),
    /** The number of locked keys. */
    get size() {
      return last.size
    },
    /** Resolves when all current acts have settled. */
    settled: () => Promise.all(last.values()),
  }
}
