import { Unavailable } from '../../lib/unavailable.ts'

const busy = 5
const corrupt = 11
const notADatabase = 26

/** LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB: the database is there no more, or no more room. */
const away = new Set([busy, 6, 7, 8, 10, corrupt, 13, 14, 15, notADatabase])

const codeOf = (error: unknown): number => {
  const { errcode } = error as { errcode?: number }
  return typeof errcode === 'number' ? errcode & 0xff : 0
}

const uniqueIsBroken = 2067

export const isDuplicate = (error: unknown) => (error as { errcode?: number }).errcode === uniqueIsBroken
export const isBusy = (error: unknown) => codeOf(error) === busy
/** Corrupt, no database, or one without a table that it should have. */
export const isUnusable = (error: unknown) => [1, corrupt, notADatabase].includes(codeOf(error))
export const isCorrupt = (error: unknown) => [corrupt, notADatabase].includes(codeOf(error))

export function translate(error: unknown): unknown {
  const closed = (error as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE'
  return closed || away.has(codeOf(error)) ? new Unavailable('database', error) : error
}

const patienceMs = 5_000
const longestPauseMs = 25

/** Until when a statement that arrives now may wait, for its turn and for the file together. */
export const patience = () => performance.now() + patienceMs

/**
 * Another process may hold the file for a moment. SQLite's own waiting would stop the whole event loop, so
 * it answers at once and the waiting is done here.
 */
export async function whileBusy<T>(act: () => T, until = patience()): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return act()
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > until) throw translate(error)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
