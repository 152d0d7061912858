import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { Unavailable } from '../../lib/unavailable.ts'

const busy = 5
const corrupt = 11
const notADatabase = 26

/** LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB: no database, or the disk is full. */
const unavailableCodes = new Set([busy, 6, 7, 8, 10, corrupt, 13, 14, 15, notADatabase])

const codeOf = (error: unknown): number => {
  const { errcode } = error as { errcode?: number }
  return typeof errcode === 'number' ? errcode & 0xff : 0
}

const uniqueIsBroken = 2067

export const isDuplicate = (error: unknown) => (error as { errcode?: number }).errcode === uniqueIsBroken
export const isBusy = (error: unknown) => codeOf(error) === busy
/** Corrupt, not a database, or a table is missing. */
export const isUnusable = (error: unknown) => [1, corrupt, notADatabase].includes(codeOf(error))
export const isCorrupt = (error: unknown) => [corrupt, notADatabase].includes(codeOf(error))

export function translate(error: unknown): unknown {
  const closed = (error as NodeJS.ErrnoException).code === 'ERR_INVALID_STATE'
  return closed || unavailableCodes.has(codeOf(error)) ? new Unavailable('database', error) : error
}

export function translating<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw translate(error)
  }
}

const patienceMs = 5_000
const maxPauseMs = 25

/** The deadline of a statement that arrives now, covering the writer queue and the file lock. */
export const patience = () => performance.now() + patienceMs

/** Retries while another process has locked the file: SQLite's own busy timeout would block the event loop. */
export async function whileBusy<T>(act: () => MaybePromise<T>, until = patience()): Promise<T> {
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    try {
      return await act()
    } catch (error) {
      if (!isBusy(error) || performance.now() + pauseMs > until) throw translate(error)
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}
