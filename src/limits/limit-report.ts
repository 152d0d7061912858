import type { RemainingLimit } from '../accounts/limits.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { CounterOp, CounterState } from './counters.ts'
import type { Scope } from './scopes.ts'

export interface Counted {
  readonly ops: readonly CounterOp[]
  readonly states: readonly CounterState[]
}

/** The two clocks drift. Within this, the offset is kept, so that a window does not appear to end at two times. */
const jitterMs = 20

/** What clients see of the limits. */
export function createLimitReport(clock: Clock) {
  let offset = clock.now() - clock.monotonic()
  const correctOffset = () => {
    const found = clock.now() - clock.monotonic()
    if (Math.abs(found - offset) > jitterMs) offset = found
  }

  const remainingIn = ({ name, max }: Scope, { count, pending, endsAt }: CounterState): RemainingLimit => ({
    scope: name,
    limit: max,
    remaining: Math.max(0, max - count),
    resetAt: count === 0 && pending === 0 ? null : isoTime(Math.round(endsAt + offset)),
  })

  return {
    /** Header lines of a response. */
    lines(scope: Scope, remaining: number, endsAt: number, isRefused: boolean): string {
      correctOffset()
      const lines = `X-RateLimit-Limit: ${scope.max}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${Math.ceil((endsAt + offset) / 1000)}\r\n`
      if (!isRefused) return lines
      return `${lines}Retry-After: ${Math.max(1, Math.ceil((endsAt - clock.monotonic()) / 1000))}\r\n`
    },
    remaining(counted: readonly Counted[]): RemainingLimit[] {
      correctOffset()
      return counted.flatMap(({ ops, states }) =>
        ops.map(({ scope }, index) => remainingIn(scope, states[index] as CounterState)),
      )
    },
  }
}
