import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { BadDatabase } from '../accounts/database.ts'
import { newerSchema, unfinishedMove } from '../migrations.ts'
import type { SqliteSchema } from '../sqlite/schema.ts'

export type Value = string | number | null
export type Row = Readonly<Record<string, Value>>

export interface Table {
  readonly name: string
  /** Without computed columns. */
  readonly columns: readonly string[]
  readonly key: readonly string[]
  /** The condition of the rows that move. */
  readonly where: string
  /** Whether migrations insert rows. */
  readonly isFilled: boolean
}

/** SQL for the tables of SQLite, without those of its search index. */
export const tableNames = `SELECT name FROM sqlite_schema JOIN pragma_table_list USING (name)
  WHERE pragma_table_list.type = 'table' ORDER BY sqlite_schema.rowid`

/** A database as a move sees it: one connection, one statement at a time. */
export interface TableStore {
  /** For messages: the file, or the database and its server. */
  readonly where: string
  /** The placeholder of the n-th value. */
  place(n: number): string
  query(text: string, values?: readonly Value[]): Promise<Row[]>
  /** In one transaction. */
  run(texts: readonly string[]): Promise<void>
  /** All or nothing. */
  insert(table: Table, rows: readonly Row[]): Promise<void>
  readVersion(): Promise<number>
  saveVersion(version: number): readonly string[]
  /** The statements to run after rows were inserted with their numbers. */
  settle(tables: readonly Table[]): Promise<readonly string[]>
  /** Throws if a program uses the database, or has used it since it was opened. */
  checkUnused(): Promise<void>
  close(): Promise<void>
}

/** empty: as migrations leave it. unfinished: the target of a move that has not ended. */
export type TargetState = 'empty' | 'unfinished' | 'used'

/**
 * Every table of the newest schema, referenced tables first. They come from the migrations, so that none can be
 * forgotten. `only`: which rows move, for tables that do not move whole.
 */
export function tablesOf({ migrations }: SqliteSchema, only: Readonly<Record<string, string>>): readonly Table[] {
  using db = new DatabaseSync(':memory:')
  const all = (sql: string) => db.prepare(sql).all() as { name: string; pk: number }[]
  for (const sql of migrations.flat()) db.exec(sql)
  const names = all(tableNames).map(({ name }) => name)
  return names
    .filter((name) => only[name] !== 'false')
    .map((name) => {
      const found = all(`SELECT name, pk FROM pragma_table_xinfo('${name}') WHERE hidden = 0`)
      const columns = found.map((column) => column.name)
      const key = found.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
      const isFilled = all(`SELECT 1 FROM ${name} LIMIT 1`).length > 0
      return {
        name,
        columns,
        key: key.length > 0 ? key.map((column) => column.name) : columns,
        where: only[name] ?? 'true',
        isFilled,
      }
    })
}

/** Throws unless the store has exactly this version: a move copies the tables that this program knows. */
export async function checkVersion(store: TableStore, newest: number): Promise<void> {
  const found = await store.readVersion()
  if (found === newest) return
  const older = `has schema version ${found}, older than this program's ${newest}; start the service once to migrate it`
  throw new BadDatabase(`${store.where} ${found > newest ? newerSchema(found, newest) : older}`)
}

export async function targetState(store: TableStore, tables: readonly Table[], newest: number): Promise<TargetState> {
  if ((await store.readVersion()) === unfinishedMove + newest) return 'unfinished'
  await checkVersion(store, newest)
  for (const { name, isFilled } of tables)
    if (!isFilled && (await store.query(`SELECT 1 AS one FROM ${name} LIMIT 1`)).length > 0) return 'used'
  return 'empty'
}

/** From here until the move ends, no program opens the target. */
export const beginMove = (store: TableStore, tables: readonly Table[], version: number): Promise<void> =>
  store.run([
    ...tables.filter(({ isFilled }) => isFilled).map(clearing),
    ...store.saveVersion(unfinishedMove + version),
  ])

export const endMove = async (store: TableStore, tables: readonly Table[], version: number): Promise<void> =>
  store.run([...(await store.settle(tables)), ...store.saveVersion(version)])

/** Continues where an earlier run was stopped, or starts over if the target's rows differ from the source's. */
export async function copyTable(from: TableStore, to: TableStore, table: Table, onRows: (count: number) => void) {
  if (await continueCopy(from, to, table, onRows)) return
  await to.run([clearing(table)])
  await continueCopy(from, to, table, () => {})
}

/** False if the target has other rows. Each page is inserted as a whole, so an equal page has already been copied. */
async function continueCopy(from: TableStore, to: TableStore, table: Table, onRows: (count: number) => void) {
  let isAtEnd = false
  let last: Row | undefined
  for await (const rows of pagesOf(from, table)) {
    const copied: Row[] = isAtEnd ? [] : await pageAfter(to, table, last)
    isAtEnd = copied.length === 0
    if (isAtEnd) await to.insert(table, rows)
    else if (JSON.stringify(copied) !== JSON.stringify(rows)) return false
    last = rows.at(-1)
    onRows(rows.length)
  }
  return isAtEnd || (await pageAfter(to, table, last)).length === 0
}

export interface Sum {
  readonly rows: number
  readonly sha256: string
}

export async function sumOf(store: TableStore, table: Table, onRows: (count: number) => void): Promise<Sum> {
  const sum = createHash('sha256')
  let count = 0
  for await (const rows of pagesOf(store, table)) {
    for (const row of rows) sum.update(`${JSON.stringify(row)}\n`)
    count += rows.length
    onRows(rows.length)
  }
  return { rows: count, sha256: sum.digest('hex') }
}

export async function countRows(store: TableStore, tables: readonly Table[]): Promise<number> {
  let sum = 0
  for (const { name, where } of tables)
    sum += Number((await store.query(`SELECT count(*) AS count FROM ${name} WHERE ${where}`))[0]?.count)
  return sum
}

const pageLength = 1_000

async function* pagesOf(store: TableStore, table: Table): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const rows = await pageAfter(store, table, last)
    if (rows.length > 0) yield rows
    if (rows.length < pageLength) return
    last = rows.at(-1)
  }
}

/** Ordered by the key, which sorts the same in both databases. */
function pageAfter(store: TableStore, { name, columns, key, where }: Table, last: Row | undefined): Promise<Row[]> {
  const places = key.map((_, index) => store.place(index + 1))
  const after = last ? ` AND (${key}) > (${places})` : ''
  const text = `SELECT ${columns} FROM ${name} WHERE ${where}${after} ORDER BY ${key} LIMIT ${pageLength}`
  return store.query(text, last && key.map((column) => last[column] ?? null))
}

const clearing = ({ name, where }: Table) => `DELETE FROM ${name} WHERE ${where}`
