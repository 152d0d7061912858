/** One after another for each name, so that every one sees what became of the one before. */
export function oneAfterAnother() {
  const last = new Map<string, Promise<unknown>>()
  const inTurn = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const turn = (last.get(name) ?? Promise.resolve()).then(act, act)
    last.set(name, turn)
    try {
      return await turn
    } finally {
      if (last.get(name) === turn) last.delete(name)
    }
  }
  /** Whether one would have to wait. */
  const isBusy = (name: string) => last.has(name)
  return Object.assign(inTurn, { isBusy })
}
