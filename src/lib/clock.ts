export interface Clock {
  /** Milliseconds since the epoch; jumps if the system clock is set. */
  now(): number
  /** Milliseconds that never go back. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
