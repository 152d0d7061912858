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
import { createSemaphore } from '../../lib/semaphore.ts'
import { Unavailable } from '../../lib/unavailable.ts'
import type { Param, SqliteConnection } from '../sqlite/connection.ts'
import { patience, translating, whileBusy } from '../sqlite/errors.ts'

export interface Connections {
  readonly writer: SqliteConnection
  readonly reader: SqliteConnection
  /** Called before every commit: throws if what is written would not be there after a restart. */
  assertKept(): void
  /** Called after every commit of this process. */
  onCommit(): void
}

/**
 * Unlike Kysely's own driver: plain reads use a read-only connection, and everything else queues for the one writer,
 * whose transactions are immediate.
 */
export function createSqliteDialect(connections: Connections): Dialect {
  return {
    createDriver: () => createDriver(connections),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new ManyAtOnce(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}

/** Otherwise Kysely would serialize all queries, reads behind waiting writes. */
export class ManyAtOnce extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

function createDriver({ writer, reader, assertKept, onCommit }: Connections): Driver {
  const unavailable = (why: string) => () => new Unavailable('database', new Error(why))
  const turns = createSemaphore({
    max: 1,
    maxWaiting: 1000,
    onFull: unavailable('too many writes are waiting'),
    onTimeout: unavailable('the wait for the writer timed out'),
  })

  const committing = <R>(commit: () => R): R => {
    assertKept()
    const result = commit()
    onCommit()
    return result
  }

  class Connection implements DatabaseConnection {
    isInTransaction = false

    async executeQuery<R>({ query, sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
      const params = parameters as readonly Param[]
      if (this.isInTransaction) return translating(() => resultOf<R>(writer, sql, params))
      if (query.kind === 'SelectQueryNode') return whileBusy(() => resultOf<R>(reader, sql, params))
      const until = patience()
      const write = () => whileBusy(() => committing(() => resultOf<R>(writer, sql, params)), until)
      return turns.run(write, { timeoutMs: until - performance.now() })
    }

    async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
      yield await this.executeQuery<R>(query)
    }
  }

  function finish(connection: Connection): void {
    if (connection.isInTransaction) turns.release()
    connection.isInTransaction = false
  }

  return {
    init: async () => {},
    acquireConnection: async () => new Connection(),
    releaseConnection: async () => {},
    destroy: async () => {},
    async beginTransaction(connection) {
      const until = patience()
      await turns.acquire({ timeoutMs: until - performance.now() })
      try {
        await whileBusy(() => writer.db.exec('BEGIN IMMEDIATE'), until)
      } catch (error) {
        turns.release()
        throw error
      }
      ;(connection as Connection).isInTransaction = true
    },
    async commitTransaction(connection) {
      committing(() => translating(() => writer.db.exec('COMMIT')))
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

function resultOf<R>(connection: SqliteConnection, sql: string, params: readonly Param[]): QueryResult<R> {
  const { rows, changes } = connection.run(sql, params)
  return { rows: rows as R[], numAffectedRows: BigInt(changes) }
}
