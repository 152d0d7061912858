/** Detects late replies with one timer for all commands. A stall of our own event loop counts as one step. */
export function createReplyWatch(stepMs: number, maxSteps: number, onLate: () => void) {
  /** Oldest first. */
  const underWay = new Set<{ readonly since: number }>()
  let step = 0
  let isWatching = false

  const watch = () => {
    if (isWatching) return
    isWatching = true
    // Lets replies that have already arrived be read first.
    setTimeout(() => setImmediate(check), stepMs).unref()
  }

  const check = () => {
    isWatching = false
    step += 1
    const [oldest] = underWay
    if (oldest === undefined) return
    if (step - oldest.since >= maxSteps) onLate()
    else watch()
  }

  return {
    get isIdle() {
      return underWay.size === 0
    },
    begin() {
      const command = { since: step }
      underWay.add(command)
      watch()
      return command
    },
    end: (command: { readonly since: number }) => underWay.delete(command),
    forget: () => underWay.clear(),
  }
}
