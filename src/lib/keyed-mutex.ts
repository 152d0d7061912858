export interface KeyedMutex {
  /** Runs `act` once all earlier acts of this key have settled. */
  run<T>(key: string, act: () => Promise<T>): Promise<T>
  isLocked(key: string): boolean
  /** Number of locked keys. */
  readonly size: number
  /** Resolves when all current acts have settled. */
  settled(): Promise<unknown>
}

/** One at a time for each key, in order of arrival. */
export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<void>>()
  return {
    async run(key, act) {
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
    isLocked: (key) => last.has(key),
    get size() {
      return last.size
    },
    settled: () => Promise.all(last.values()),
  }
}
