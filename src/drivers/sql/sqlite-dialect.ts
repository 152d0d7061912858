import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import type { Param, SqliteConnection } from './sqlite-connection.ts'
import { translate, whileBusy } from './sqlite-errors.ts'

export interface Connections {
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  /** Called after every commit of ours. */
  onCommit(): void
}

/**
 * Kysely's own driver knows one connection and a deferred `begin`. Here plain reads go to a read-only
 * connection, and everything else takes its turn on the one writer, whose transactions are immediate.
 */
export function createSqliteDialect(connections: Connections): Dialect {
  return {
    createDriver: () => createDriver(connections),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

function createDriver({ writer, reader, onCommit }: Connections): Driver {
  const turns = createTurns()

  class Connection implements DatabaseConnection {
    endTurn: (() => void) | null = null

    async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const params = parameters as readonly Param[]
      if (this.endTurn) return attempt<R>(writer, sql, params)
      if (query.kind === 'SelectQueryNode') return whileBusy(() => resultOf<R>(reader, sql, params))
      const endTurn = await turns.take()
      try {
        const result = await whileBusy(() => resultOf<R>(writer, sql, params))
        onCommit()
        return result
      } finally {
        endTurn()
      }
    }

    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await this.executeQuery<R>(query)
    }
  }

  return {
    init: async () => {},
    acquireConnection: async () => new Connection(),
    releaseConnection: async () => {},
    destroy: async () => {},
    async beginTransaction(connection) {
      const endTurn = await turns.take()
      try {
        await whileBusy(() => writer.db.exec('BEGIN IMMEDIATE'))
      } catch (error) {
        endTurn()
        throw error
      }
      ;(connection as Connection).endTurn = endTurn
    },
    async commitTransaction(connection) {
      try {
        writer.db.exec('COMMIT')
      } catch (error) {
        throw translate(error)
      }
      onCommit()
      finish(connection as Connection)
    },
    async rollbackTransaction(connection) {
      try {
        if (writer.db.isOpen && writer.db.isTransaction) writer.db.exec('ROLLBACK')
      } finally {
        finish(connection as Connection)
      }
    },
  }
}

function finish(connection: { endTurn: (() => void) | null }): void {
  connection.endTurn?.()
  connection.endTurn = null
}

function resultOf<R>(connection: SqliteConnection, sql: string, params: readonly Param[]): QueryResult<R> {
  const { rows, changes } = connection.run(sql, params)
  return { rows: rows as R[], numAffectedRows: BigInt(changes) }
}

function attempt<R>(connection: SqliteConnection, sql: string, params: readonly Param[]): QueryResult<R> {
  try {
    return resultOf<R>(connection, sql, params)
  } catch (error) {
    throw translate(error)
  }
}

/** Lets one holder at a time in, in order of arrival. */
function createTurns() {
  let last: Promise<void> = Promise.resolve()
  return {
    async take(): Promise<() => void> {
      const before = last
      const { promise, resolve } = Promise.withResolvers<void>()
      last = promise
      await before
      return resolve
    },
  }
}
