import pg from 'pg'
import { TooSlow, Unavailable } from '../../lib/unavailable.ts'

export const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
const messageOf = (error: unknown) => (error as Error).message
const isSqlError = (error: unknown) => error instanceof pg.DatabaseError

export const isDuplicate = (error: unknown) => codeOf(error) === '23505'

/** Serialization failure, deadlock: rolled back by the server, so any statement may be repeated. */
export const isUndone = (error: unknown) => /^40(001|P01)$/.test(codeOf(error))

/**
 * The connection was lost: shutdown, crash, server timeout; PgBouncer uses 08P01 for all of its errors. Or it has
 * prepared the statement for tables that another instance has migrated since; a new one prepares it again.
 */
export const isLost = (error: unknown) =>
  /^(08...|57P0[1-5]|25P03|ECONNRESET|EPIPE|ECONNREFUSED)$/.test(codeOf(error)) ||
  /Connection terminated|not queryable/.test(messageOf(error)) ||
  (error as pg.DatabaseError).routine === 'RevalidateCachedQuery'

/** The connection is unusable, or its next reply may belong to an earlier statement. */
export const endsConnection = (error: unknown) => !isSqlError(error) || isLost(error)

/** Connected but not served: PgBouncer queues clients for which it has no server session. */
export class NoSession extends Error {}

/** The server, database, role or pooler has no connection left. */
export const isServerFull = (error: unknown) =>
  error instanceof NoSession ||
  codeOf(error) === '53300' ||
  (codeOf(error) === '08P01' && messageOf(error).includes('no more connections allowed'))

/** The packets of new connections are dropped, or the name cannot be resolved. */
export const isNotOpened = (error: unknown) =>
  messageOf(error) === 'Connection terminated due to connection timeout' ||
  /^(EAI_.*|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/.test(codeOf(error))

/** By statement_timeout. The server is there, but slow, or the statement waited for a lock. */
const isTooSlow = (error: unknown) => codeOf(error) === '57014'

export const isDiskFull = (error: unknown) => codeOf((error as Error).cause ?? error) === '53100'

/** Read-only: after a failover a session learns by this that its server is no longer the primary. */
export const isReadOnly = (error: unknown) => codeOf(error) === '25006'

/** Transient errors (connection, resources, operator, system, serialization, read-only) become Unavailable. */
export function translate(error: unknown): unknown {
  if (isTooSlow(error)) return new TooSlow('database', error)
  const isTransient = !isSqlError(error) || /^(08|53|57|58|XX|40|25006|25P03)/.test(codeOf(error))
  return isTransient && !(error instanceof Unavailable) ? new Unavailable('database', error) : error
}
