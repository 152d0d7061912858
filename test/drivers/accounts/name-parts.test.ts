import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { stores } from '../../support/stores.ts'

const [, postgres] = stores

it('PostgreSQL finds a rare part of a name by an index, from two characters on', {
  skip: postgres?.skip ?? false,
}, async () => {
  const place = await postgres?.make()
  assert.ok(place)
  const { kysely, hasPart } = await place.open()
  await sql`INSERT INTO users (id, username, role, password_hash, created_at, updated_at)
    SELECT 'id ' || n, 'name-' || n || '.x', 'user', '', n, n FROM generate_series(1, 20000) AS n`.execute(kysely)
  await sql`VACUUM (ANALYZE) users`.execute(kysely)
  const planOf = async (part: string) => {
    const page = sql`SELECT id FROM users WHERE ${hasPart(part)} ORDER BY created_at, id LIMIT 50`
    return JSON.stringify((await sql`EXPLAIN ${page}`.execute(kysely)).rows)
  }
  for (const part of ['q-', '_q', 'q.', 'qqq'])
    assert.match(
      await planOf(part),
      part.length === 2 ? /Index Scan on users_name_pairs/ : /Index Scan on users_name_parts/,
      part,
    )
  // All names have it, so that the first page is found at once in its order.
  assert.match(await planOf('e-'), /Index Only Scan using users_by_time/)
})
