import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { embeddedDatabases } from '../../src/drivers/embedded-databases.ts'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import type { SqliteSchema } from '../../src/drivers/sqlite/schema.ts'
import { migrate } from '../../src/drivers/sqlite/schema.ts'
import { tableNames } from '../../src/drivers/tables/tables.ts'
import { putInto } from '../support/object-stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { picture } from './pictures.ts'

const secret = 's'.repeat(43)
/** More than two pages of a move in these tables, which all others resemble. */
const rows = 2_100
const long = ['users', 'usage', 'audit', 'status_transitions']

/** The tables of which not all rows move, because some belong to their place. */
const moved: Readonly<Record<string, string>> = {
  user_count: 'false',
  probe: 'false',
  schema_readers: 'false',
  status_readers: 'false',
  status_meta: "name IN ('source', 'retired_sequence')",
}

/** A DATA_DIR with rows in every table of the migrations, of any version, and with images. */
export async function filledFolder(): Promise<string> {
  const path = testFolder()
  for (const [name, schema] of embeddedDatabases) fill(join(path, name), schema)
  writeFileSync(join(path, 'jwt-secret'), secret, { mode: 0o600 })
  const store = await openFolderStore({ dataDir: path })
  await store.createBucket('images')
  const put = putInto(store, 'images')
  for (const name of ['a', 'b']) await put(`fox/${name}.png`, picture('png', name))
  await put('notes/read.me', Buffer.from('not an image'), { type: 'text/x-note' })
  await put('fox/deep/ä b+c.svg', Buffer.from('<svg/>'), { type: 'image/svg+xml' })
  return path
}

interface Column {
  readonly name: string
  readonly type: string
  readonly dflt_value: string | null
  readonly notnull: number
}

function fill(path: string, schema: SqliteSchema): void {
  const db = new DatabaseSync(path)
  const all = <Row>(sql: string) => db.prepare(sql).all() as Row[]
  db.exec('PRAGMA foreign_keys = ON; BEGIN')
  migrate(db, schema)
  for (const { name: table } of all<{ name: string }>(tableNames)) {
    if (moved[table] === 'false') continue
    const columns = all<Column>(`SELECT * FROM pragma_table_xinfo('${table}') WHERE hidden = 0`)
    // A default is allowed; other values may not be.
    const given = columns.filter(({ notnull, dflt_value }) => !(notnull && dflt_value !== null))
    const parents = new Map(
      all<{ from: string; table: string; to: string }>(`SELECT * FROM pragma_foreign_key_list('${table}')`).map(
        (key) => [key.from, key],
      ),
    )
    const valueFor = ({ name, type }: Column, index: number): SQLInputValue => {
      const parent = parents.get(name)
      if (parent) return `${parent.table} ${parent.to} ${index}`
      if (name === 'role') return 'support'
      if (name === 'action') return 'keep'
      if (/^(before|after)$/.test(name)) return index % 2 ? null : JSON.stringify({ username: `${index} "é`, n: null })
      // Some in microseconds, negative, or missing.
      if (type === 'INTEGER') return [1_795_000_000_000_000 + index, index, -index][index % 3] as number
      return `${table} ${name} ${index}`
    }
    const insert = db.prepare(
      `INSERT INTO ${table} (${given.map(({ name }) => name)}) VALUES (${given.map(() => '?')})`,
    )
    for (let index = 1; index <= (long.includes(table) ? rows : 7); index++)
      insert.run(...given.map((column) => valueFor(column, index)))
  }
  if (schema.name.includes('worker')) db.exec("INSERT INTO status_meta VALUES ('source', 'that of the folder')")
  db.exec('COMMIT; PRAGMA journal_mode = WAL')
  db.close()
}

/** Everything in the databases that moves. */
export function contentsOf(folder: string) {
  return [...embeddedDatabases.keys()].map((name) => {
    const db = new DatabaseSync(join(folder, name), { readOnly: true })
    const tables = db.prepare(tableNames).all() as {
      name: string
    }[]
    const contents = tables
      .filter(({ name }) => moved[name] !== 'false')
      .map(({ name: table }) => {
        const found = db.prepare(`SELECT * FROM ${table} WHERE ${moved[table] ?? 'true'}`).all()
        return { table, rows: found.map((row) => JSON.stringify(row)).sort() }
      })
    db.close()
    return { name, contents }
  })
}

/** Bytes and times of the files that a move must not change. */
export const tracesOf = (folder: string) =>
  [...embeddedDatabases.keys(), 'jwt-secret', 'objects/images/fox/a.png'].map((name) => {
    const { ino, mtimeNs } = statSync(join(folder, name), { bigint: true })
    return { name, ino, mtimeNs, bytes: readFileSync(join(folder, name)).toString('base64') }
  })
