import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'

/** Serialization failure, deadlock: the server did nothing, so any statement may be repeated. */
const undone = new Set(['40001', '40P01'])
/** The connection is gone: a shutdown, a crash, a time-out of the server. PgBouncer has 08P01 for all that it says. */
const lost = /^(08...|57P0[1-5]|25P03|ECONNRESET|EPIPE|ECONNREFUSED)$/
const poolerIsFull = /no more connections allowed/

export const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
const isSqlError = (error: unknown) => error instanceof pg.DatabaseError

export const isDuplicate = (error: unknown) => codeOf(error) === '23505'
export const isUndone = (error: unknown) => undone.has(codeOf(error))

/** The server ended the connection: a read may be repeated on another. */
export const isLost = (error: unknown) =>
  lost.test(codeOf(error)) || /Connection terminated|not queryable/.test((error as Error).message)

/** Nothing more can be asked over this connection, or nobody knows what its next answer would belong to. */
export const endsConnection = (error: unknown) => !isSqlError(error) || isLost(error)

/** The server, the database, the role or the pooler takes no further connection. */
export const isServerFull = (error: unknown) =>
  codeOf(error) === '53300' || (codeOf(error) === '08P01' && poolerIsFull.test((error as Error).message))

/** The server takes no writes: after a failover this is how a session finds that its server is a standby now. */
export const isDiskFull = (error: unknown) => codeOf((error as Error).cause ?? error) === '53100'
export const isReadOnly = (error: unknown) => codeOf(error) === '25006'

/** The classes of errors that may pass: connection, resources, operator, system, serialization, read-only. */
export function translate(error: unknown): unknown {
  const mayPass = !isSqlError(error) || /^(08|53|57|58|XX|40|25006|25P03)/.test(codeOf(error))
  return mayPass && !(error instanceof Unavailable) ? new Unavailable('database', error) : error
}
