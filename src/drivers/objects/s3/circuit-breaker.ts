import type { Clock } from '../../../lib/clock.ts'

/** A request's number. Every one that entered ends in exactly one of `answered`, `failed` and `gone`. */
export type Ticket = number

export interface CircuitBreaker {
  /** Whether `enter` would let nobody in now. */
  isOpen(): boolean
  /** Null: not now, the part is away. */
  enter(): Ticket | null
  isProbe(ticket: Ticket): boolean
  /** The part answered, whatever it said. */
  answered(ticket: Ticket): void
  /** It could not be reached, or said nothing in time. */
  failed(ticket: Ticket): void
  /** Nothing was learnt: the one who asked went away. */
  gone(ticket: Ticket): void
}

/** After a failure nobody is let through for a while, then one at a time, until the first answer. */
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
      // One request that fails says nothing where a part that lives has answered others since it began.
      if (ticket > answeredUpTo) openUntil = clock.monotonic() + openMs
    },
    gone(ticket) {
      if (ticket === probe) probe = null
    },
  }
}
