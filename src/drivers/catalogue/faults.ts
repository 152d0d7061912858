import type { CatalogueEntry, Fault, SetAside } from '../../images/catalogue.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'
import { entryColumns } from './entry-rows.ts'

/** Their codes in the database are their ordinals, from 1 on. */
const faults: readonly Fault[] = ['bytes', 'type']

/** Null in the database: not known. */
export const codeOf = (fault: Fault | null): number => (fault === null ? 0 : faults.indexOf(fault) + 1)

/** Version 0.2 set objects aside for their bytes only, and stored no code. */
const readCode = (code: unknown): Fault => faults[Number(code ?? 1) - 1] ?? 'bytes'

type FaultRow = CatalogueEntry & { readonly fault: number | null }

/** The queries of a table of objects by their faults. Only those that name the index's condition use it. */
export function faultQueries(connection: SqliteConnection, kind: number) {
  const page = (condition: string, after: string, limit: number) => {
    const sql = `SELECT ${entryColumns}, fault FROM objects WHERE kind = ? ${condition} AND filename > ? ORDER BY filename LIMIT ?`
    return connection.run(sql, [kind, after, limit]).rows as unknown as FaultRow[]
  }
  return {
    /** Not known to be images or anything else. */
    unknown: (after: string, limit: number): CatalogueEntry[] =>
      page('AND fault IS NOT 0 AND fault IS NULL', after, limit).map(({ fault: _, ...entry }) => entry),

    /** Known not to be images. */
    faulty: (limit: number): SetAside[] => {
      const sql = `SELECT ${entryColumns}, fault FROM objects WHERE kind = ? AND fault IS NOT 0 AND fault > 0 LIMIT ?`
      return (connection.run(sql, [kind, limit]).rows as unknown as FaultRow[]).map(setAside)
    },

    all: (after: string, limit: number): SetAside[] => page('', after, limit).map(setAside),

    of(filename: string, etag: string): Fault | null | undefined {
      const sql = 'SELECT fault FROM objects WHERE kind = ? AND filename = ? AND etag = ?'
      const code = connection.get(sql, [kind, filename, etag])?.fault
      return code === undefined || code === null ? undefined : code === 0 ? null : readCode(code)
    },
  }
}

const setAside = ({ fault, ...entry }: FaultRow): SetAside => ({ entry, fault: readCode(fault) })
