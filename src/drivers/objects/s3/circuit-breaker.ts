import type { Clock } from '../../../lib/clock.ts'

/** Identifies a request. Each one admitted ends with exactly one of `responded`, `failed` and `abandoned`. */
export type Ticket = number

/** A circuit breaker: opened by a failure, half-open (one probe at a time) after `openMs`, closed by a response. */
export function createCircuitBreaker(clock: Clock, openMs: number) {
  let openUntil: number | null = null
  let latest: Ticket = 0
  let respondedUpTo: Ticket = 0
  let probe: Ticket | null = null

  /** Whether `enter` would refuse now. */
  const isOpen = () => openUntil !== null && (probe !== null || clock.monotonic() < openUntil)

  return {
    isOpen,
    /** Null if it is open. */
    enter(): Ticket | null {
      if (isOpen()) return null
      const ticket = ++latest
      if (openUntil !== null) probe = ticket
      return ticket
    },
    isProbe: (ticket: Ticket) => ticket === probe,
    /** There was a response, whatever its status. */
    responded(_ticket: Ticket): void {
      openUntil = null
      probe = null
      respondedUpTo = latest
    },
    /** The store could not be reached, or sent no response in time. */
    failed(ticket: Ticket): void {
      if (ticket === probe) probe = null
      // Ignored if there were responses since this request began.
      if (ticket > respondedUpTo) openUntil = clock.monotonic() + openMs
    },
    /** The caller gave up: nothing is known. */
    abandoned(ticket: Ticket): void {
      if (ticket === probe) probe = null
    },
  }
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>
