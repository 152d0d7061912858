import { statSync } from 'node:fs'
import { DummyDriver, Kysely, type QueryResult, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Param, SqliteConnection } from '../sqlite/connection.ts'
import { whileBusy } from '../sqlite/errors.ts'
import { createReaderThread } from '../sqlite/reader-thread.ts'
import type { Tables } from './database.ts'
import { ManyAtOnce } from './sqlite-dialect.ts'

/** About 10,000 accounts: a scan of fewer blocks the event loop for some milliseconds, even on a cold page cache. */
export const threadFromBytes = 8_388_608

interface LongReads {
  readonly path: string
  readonly reader: SqliteConnection
  readonly threadFromBytes: number
}

/** For administrators' queries: reads a large database in a thread of its own, and a small one right here. */
export function createLongReads({ path, reader, threadFromBytes }: LongReads) {
  const thread = createReaderThread(path)
  const isLarge = () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= threadFromBytes
  const read = (sql: string, params: readonly Param[]) =>
    whileBusy(() => (isLarge() ? thread.run(sql, params) : reader.run(sql, params).rows))

  const connection = {
    async executeQuery<R>({ sql, parameters }: { readonly sql: string; readonly parameters: readonly unknown[] }) {
      return { rows: (await read(sql, parameters as readonly Param[])) as R[] } satisfies QueryResult<R>
    },
    async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {},
  }
  class ReadOnlyDriver extends DummyDriver {
    override acquireConnection = async () => connection
  }
  const kysely = new Kysely<Tables>({
    dialect: {
      createDriver: () => new ReadOnlyDriver(),
      createQueryCompiler: () => new SqliteQueryCompiler(),
      createAdapter: () => new ManyAtOnce(),
      createIntrospector: (db) => new SqliteIntrospector(db),
    },
  })
  return { kysely, close: thread.close }
}
