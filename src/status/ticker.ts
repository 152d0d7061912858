import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'

interface TickerDeps {
  readonly clock: Clock
  readonly log: Pick<Logger, 'warn'>
  readonly checkIntervalMs: number
  /** Since then, for so long, nobody could have been heard. */
  onPause(since: number, ms: number): void
  onCheck(): void
}

export const tickMs = 250
/** A tick that is so late is a pause of ours, and nobody else's silence; a long one is told. */
const leastPauseMs = 250
const saidPauseMs = 1_000

/** Looks at the time every `tickMs`, so that a pause is found before a silence is, however seldom one is looked for. */
export function createTicker({ clock, log, checkIntervalMs, onPause, onCheck }: TickerDeps): () => void {
  let lastTick = clock.monotonic()
  let lastCheck = lastTick
  return () => {
    const at = clock.monotonic()
    const since = lastTick
    const lateMs = at - since - tickMs
    lastTick = at
    if (lateMs >= saidPauseMs)
      log.warn({ seconds: Math.round(lateMs / 1000) }, 'this worker stood still; nobody is blamed for it')
    if (lateMs > leastPauseMs) onPause(since, lateMs)
    if (at - lastCheck < checkIntervalMs) return
    lastCheck = at
    onCheck()
  }
}
