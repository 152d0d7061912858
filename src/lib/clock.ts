/** Time as a parameter: tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch; may step when the machine's clock is set. */
  now(): number
  /** Milliseconds since some fixed moment; never steps back. */
  monotonic(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
}
