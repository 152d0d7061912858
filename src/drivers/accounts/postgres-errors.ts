import pg from 'pg'
import { Unavailable } from '../../lib/unavailable.ts'

/** Serialization failure, deadlock: the server did nothing, so any statement may be repeated. */
const undone = new Set(['40001', '40P01'])
/** The connection is gone: shutdown, crash, server timeout. PgBouncer uses 08P01 for all of its errors. */
const lost = /^(08...|57P0[1-5]|25P03|ECONNRESET|EPIPE|ECONNREFUSED)$/
const poolerIsFull = /no more connections allowed/

export const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
const isSqlError = (error: unknown) => error instanceof pg.DatabaseError

export const isDuplicate = (error: unknown) => codeOf(error) === '23505'
export const isUndone = (error: unknown) => undone.has(codeOf(error))

/** The connection was lost: a read may be retried on another. */
export const isLost = (error: unknown) =>
  lost.test(codeOf(error)) || /Connection terminated|not queryable/.test((error as Error).message)

/** The connection cannot be used any more, or its next answer may belong to an earlier statement. */
export const endsConnection = (error: unknown) => !isSqlError(error) || isLost(error)

/** A connection was accepted and then not served: PgBouncer queues clients that it has no server session for. */
export class NoSession extends Error {}

/** The server, database, role or pooler accepts or serves no further connection. */
export const isServerFull = (error: unknown) =>
  error instanceof NoSession ||
  codeOf(error) === '53300' ||
  (codeOf(error) === '08P01' && poolerIsFull.test((error as Error).message))

export const isDiskFull = (error: unknown) => codeOf((error as Error).cause ?? error) === '53100'

/** A read-only server: after a failover this is how a session learns that its server is no longer the primary. */
export const isReadOnly = (error: unknown) => codeOf(error) === '25006'

/** The classes of errors that may pass: connection, resources, operator, system, serialization, read-only. */
export function translate(error: unknown): unknown {
  const mayPass = !isSqlError(error) || /^(08|53|57|58|XX|40|25006|25P03)/.test(codeOf(error))
  return mayPass && !(error instanceof Unavailable) ? new Unavailable('database', error) : error
}
