import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type Param = string | number | null
const maxStatements = 500

interface Prepared {
  readonly statement: StatementSync
  readonly returnsRows: boolean
}

/** A connection with a cache of prepared statements. No statement stays open after a call. */
export class SqliteConnection {
  readonly db: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()
  #version: StatementSync | null = null

  /** `busyMs`: how long SQLite itself waits for a lock, blocking the event loop. */
  constructor(path: string, { readOnly, busyMs = 0 }: { readOnly: boolean; busyMs?: number }) {
    this.db = new DatabaseSync(path, { readOnly, timeout: busyMs, enableForeignKeyConstraints: true })
  }

  run(sql: string, params: readonly Param[]): { rows: Record<string, unknown>[]; changes: number } {
    const { statement, returnsRows } = this.#prepare(sql)
    if (returnsRows) return { rows: statement.all(...params), changes: 0 }
    return { rows: [], changes: Number(statement.run(...params).changes) }
  }

  get(sql: string, params: readonly Param[]): Record<string, unknown> | undefined {
    return this.#prepare(sql).statement.get(...params)
  }

  /** Changes with every commit of another connection or process. */
  dataVersion(): number {
    this.#version ??= this.#prepareVersion()
    const [version] = this.#version.get() as unknown as [number]
    return version
  }

  close(): void {
    this.#prepared.clear()
    if (this.db.isOpen) this.db.close()
  }

  #prepareVersion(): StatementSync {
    const statement = this.db.prepare('PRAGMA data_version')
    // Faster than row objects: this is read at every turn of the event loop.
    statement.setReturnArrays(true)
    return statement
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    const statement = this.db.prepare(sql)
    const prepared = { statement, returnsRows: statement.columns().length > 0 }
    if (this.#prepared.size >= maxStatements) this.#prepared.clear()
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
