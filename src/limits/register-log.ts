import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../process/logger.ts'
import type { CounterOp, CounterState } from './counters.ts'
import type { Decision } from './decide.ts'

const maxAddresses = 1_024

/** Logs an address's first delayed or refused register in a window: to its user, a delay looks like a hang. */
export function createRegisterLog(clock: Clock, log: Pick<Logger, 'info'>) {
  /** The end of the window in which each address was logged. */
  const logged = new LRUCache<string, number>({ max: maxAddresses })

  return (address: string, ops: readonly CounterOp[], states: readonly CounterState[], decision: Decision): void => {
    const { delayMs, refusedBy } = decision
    if (delayMs === 0 && refusedBy === null) return
    const endsAt = states[ops.findIndex(({ scope, act }) => scope.name === 'register' && act === 'count')]?.endsAt
    const now = clock.monotonic()
    if (endsAt === undefined || (logged.get(address) ?? 0) > now) return
    logged.set(address, endsAt)
    const resetSeconds = Math.ceil((endsAt - now) / 1000)
    if (refusedBy)
      log.info({ address, resetSeconds }, `registration refused: see RATE_LIMIT_${refusedBy.name.toUpperCase()}_MAX`)
    else log.info({ address, delayMs, resetSeconds }, 'registration delayed: see RATE_LIMIT_REGISTER_SLOW_AFTER')
  }
}
