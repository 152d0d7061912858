import type { Clock } from '../../../lib/clock.ts'

/** Identifies a request. Each one admitted ends with exactly one of `answered`, `failed` and `gone`. */
export type Ticket = number

export interface CircuitBreaker {
  /** Whether `enter` would refuse now. */
  isOpen(): boolean
  /** Null if it is open. */
  enter(): Ticket | null
  isProbe(ticket: Ticket): boolean
  /** There was a response, of any status. */
  answered(ticket: Ticket): void
  /** It could not be reached, or sent no response in time. */
  failed(ticket: Ticket): void
  /** The caller left: nothing is known. */
  gone(ticket: Ticket): void
}

/** A circuit breaker: opened by a failure, half-open (one probe at a time) after `openMs`, closed by a response. */
export function createCircuitBreaker(clock: Clock, openMs: number): CircuitBreaker {
  let openUntil: number | null = null
  let latest: Ticket = 0
  let answeredUpTo: Ticket = 0
  let probe: Ticket | null = null

  const isOpen = () => openUntil !== null && (probe !== null || clock.monotonic() < openUntil)

  return {
    isOpen,
    enter() {
      if (isOpen()) return null
      const ticket = ++latest
      if (openUntil !== null) probe = ticket
      return ticket
    },
    isProbe: (ticket) => ticket === probe,
    answered() {
      openUntil = null
      probe = null
      answeredUpTo = latest
    },
    failed(ticket) {
      if (ticket === probe) probe = null
      // Ignored if others have been answered since this one began.
      if (ticket > answeredUpTo) openUntil = clock.monotonic() + openMs
    },
    gone(ticket) {
      if (ticket === probe) probe = null
    },
  }
}
