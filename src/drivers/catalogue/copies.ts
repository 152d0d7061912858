import type { CatalogueEntry, Copies } from '../../images/catalogue.ts'
import type { Kind, Kinds } from '../../images/kinds.ts'
import type { SqliteConnection } from '../sqlite/connection.ts'

/** About a millisecond's work. */
const sliceEntries = 4_096
/** A slice covers at least one value of the first two bytes of the checksum. */
const maxSliceBits = 16

/** Finds entries with equal bytes by the index of checksums. */
export function createCopies(connection: SqliteConnection, kinds: Kinds) {
  const all = connection.run('SELECT id, name FROM kinds', []).rows as { id: number; name: Kind }[]
  const names = new Map(all.filter(({ name }) => kinds.has(name)).map(({ id, name }) => [id, name]))
  // Entries of other kinds stay in the file.
  const ids = JSON.stringify([...names.keys()])
  const those = 'FROM objects WHERE checksum = unhex(?) AND kind IN (SELECT value FROM json_each(?))'

  return {
    copies(md5: string, limit: number): Copies {
      const sql = `SELECT kind, filename, etag, size, modified ${those} LIMIT ?`
      const rows = connection.run(sql, [md5, ids, limit]).rows as unknown as (CatalogueEntry & { kind: number })[]
      const some = rows.map(({ kind, ...entry }) => ({ kind: names.get(kind) as Kind, entry }))
      if (some.length < limit) return { count: some.length, some }
      return { count: Number(connection.get(`SELECT count(*) AS count ${those}`, [md5, ids])?.count), some }
    },

    /** MD5s are evenly spread, so equal slices of their range have about the same number of entries. */
    *repeatedMd5s(after: string): Generator<readonly string[]> {
      const total = Number(connection.get('SELECT sum(count) AS total FROM kinds', [])?.total)
      const bits = Math.min(maxSliceBits, Math.max(0, Math.ceil(Math.log2(total / sliceEntries))))
      const boundary = (slice: number) => (slice << (maxSliceBits - bits)).toString(16).padStart(4, '0')
      const sql =
        'SELECT lower(hex(checksum)) AS md5 FROM objects WHERE checksum > unhex(?) AND checksum < unhex(?) GROUP BY checksum HAVING count(*) > 1 ORDER BY checksum'
      const first = Number.parseInt(after.slice(0, 4) || '0', 16) >>> (maxSliceBits - bits)
      for (let slice = first; slice < 2 ** bits; slice++) {
        const from = slice === first ? after : boundary(slice)
        const to = slice + 1 < 2 ** bits ? boundary(slice + 1) : 'ff'.repeat(17)
        yield connection.run(sql, [from, to]).rows.map(({ md5 }) => String(md5))
      }
    },
  }
}
