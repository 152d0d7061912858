import pg from 'pg'
import type { Compacted } from '../sqlite/compact.ts'

/** Locks one table at a time. */
export async function compactServer(url: string): Promise<Omit<Compacted, 'database'>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const size = async () =>
    Number((await client.query('SELECT pg_database_size(current_database()) AS size')).rows[0].size)
  try {
    const bytesBefore = await size()
    await client.query('SET statement_timeout = 0')
    const tables = await client.query(
      'SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()',
    )
    for (const { name } of tables.rows) await client.query(`VACUUM (FULL, ANALYZE) ${name}`)
    return { bytesBefore, bytesAfter: await size() }
  } finally {
    await client.end()
  }
}
