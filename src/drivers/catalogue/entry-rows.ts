import type { CatalogueEntry } from '../../images/catalogue.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'

export const entryColumns = 'filename, etag, size, modified'

/** Prepares a query of entries. Reads arrays, since SQLite's row objects are slow to create and read. */
export function prepareEntries({ db }: SqliteConnection, from: string) {
  const statement = db.prepare(`SELECT ${entryColumns} FROM ${from}`)
  statement.setReturnArrays(true)
  return (...params: (string | number)[]): CatalogueEntry[] => statement.all(...params).map(entryOf)
}

function entryOf(row: unknown): CatalogueEntry {
  const [filename, etag, size, modified] = row as [string, string, number, number]
  return { filename, etag, size, modified }
}
