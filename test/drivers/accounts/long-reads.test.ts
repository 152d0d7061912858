import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import type { UserFilter } from '../../../src/accounts/directory.ts'
import { fileName, openSqlite } from '../../../src/drivers/accounts/sqlite.ts'
import { TooSlow } from '../../../src/lib/unavailable.ts'
import { created } from '../../support/account-editor.ts'
import { atEnd } from '../../support/at-end.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { accountOf, portsOf } from './stage.ts'

const byName = { by: 'username', descending: false } as const
const postgres = stores[1] as Store

/** From the first byte on, it counts as large. */
async function openLarge() {
  const folder = temporaryFolder()
  atEnd(() => folder.remove())
  const opened = () => openSqlite(folder.path, undefined, 0)
  const database = await opened()
  const close = atEnd(() => database.close())
  /** What another program does, such as release 0.2. */
  const elsewhere = (statements: string) => {
    const db = new DatabaseSync(join(folder.path, fileName))
    db.exec(statements)
    db.close()
  }
  return { database, close, opened, elsewhere, ...portsOf(database) }
}

const longQuery = sql<{ count: number }>`WITH RECURSIVE numbers (n) AS
  (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 200000) SELECT count(*) AS count FROM numbers`

describe('a large SQLite database', () => {
  it('does not block the event loop while an administrator reads it, and shows what was written before', async () => {
    const { database, users, directory } = await openLarge()
    let isRead = false
    const reading = longQuery.execute(database.longReads).then(({ rows }) => {
      isRead = true
      return rows
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isRead, false)
    await users.insert(accountOf('Ann'), created)
    assert.deepEqual(await reading, [{ count: 200_000 }])
    assert.equal((await directory.find({ username: 'ann' }))?.username, 'Ann')
    assert.deepEqual([(await directory.summary()).totalUsers, (await directory.roles()).user], [1, 1])
  })

  it('rejects what fails, reads on, and closes after the reads so far', async () => {
    const { database, close } = await openLarge()
    await assert.rejects(sql`SELECT id FROM nowhere`.execute(database.longReads), /no such table: nowhere/)
    const reading = longQuery.execute(database.longReads)
    await new Promise((resolve) => setImmediate(resolve))
    await close()
    assert.equal((await reading).rows[0]?.count, 200_000)
  })

  it('finds parts of names that another program adds, renames and deletes, and counts them', async () => {
    const { directory, elsewhere } = await openLarge()
    const found = async (part: string) => {
      const users = await directory.page({ filter: { part }, order: byName, after: null, limit: 9 })
      return users.map(({ username }) => username)
    }
    const added = ['Anna.Zyx', 'a_-b', 'ab9'].map((name, n) => `('id ${n}', '${name}', 'user', '', ${n}, ${n})`)
    elsewhere(
      `INSERT INTO users (id, username, role, password_hash, created_at, updated_at) VALUES ${added.join(', ')}`,
    )
    const parts = ['a', 'x', '9', '.', '_-', 'zy', 'B9', 'na.z', 'anna.zyx', 'zyx', '-b', 'axx', 'nn.z']
    const names = [
      ...[['a_-b', 'ab9', 'Anna.Zyx'], ['Anna.Zyx'], ['ab9'], ['Anna.Zyx'], ['a_-b'], ['Anna.Zyx'], ['ab9']],
      ...[['Anna.Zyx'], ['Anna.Zyx'], ['Anna.Zyx'], ['a_-b'], [], []],
    ]
    assert.deepEqual(await Promise.all(parts.map(found)), names)
    elsewhere("UPDATE users SET username = 'Bert' WHERE id = 'id 0'; DELETE FROM users WHERE id = 'id 1'")
    assert.deepEqual(await Promise.all(['zyx', 'ert', '_', 'b'].map(found)), [[], ['Bert'], [], ['ab9', 'Bert']])
    assert.equal((await directory.summary()).totalUsers, 2)
  })

  it('is indexed anew at a start that finds its rows renumbered, as VACUUM may do', async () => {
    const { users, close, opened, elsewhere } = await openLarge()
    for (const name of ['zyx-one', 'two', 'three']) await users.insert(accountOf(name), created)
    await close()
    elsewhere('UPDATE users SET rowid = rowid + 7')
    const again = await opened()
    atEnd(() => again.close())
    const found = await portsOf(again).directory.page({ filter: { part: 'zyx' }, order: byName, after: null, limit: 9 })
    assert.deepEqual(
      found.map(({ username }) => username),
      ['zyx-one'],
    )
  })

  it('reads few users if an index leaves few, instead of all in the order of the page', async () => {
    const { database } = await openLarge()
    await sql`INSERT INTO users (id, username, role, password_hash, created_at, updated_at)
      SELECT 'id ' || value, iif(value < 2000, 'name-', 'spam-') || value, 'user', '', value, value
      FROM json_each(${json(6_000)})`.execute(database.kysely)
    const few: [UserFilter, RegExp | null][] = [
      [{ role: 'owner', part: 'name' }, /users_staff/],
      [{ banned: true }, /users_banned_by_time/],
      [{ part: '99' }, /VIRTUAL TABLE/],
      // Many, registered one after another.
      [{ part: 'spam' }, /VIRTUAL TABLE/],
      [{ part: 'zz', banned: true }, /VIRTUAL TABLE/],
      [{ part: 'name', banned: true }, /users_banned_by_time/],
      [{ part: 'name' }, null],
      [{ role: 'user', banned: false }, null],
    ]
    for (const [filter, plan] of few) {
      const condition = await database.fewUsers(filter)
      if (plan === null) assert.equal(condition, null)
      else {
        const page = sql`EXPLAIN QUERY PLAN SELECT id FROM users WHERE ${condition} AND role = ${'x'} ORDER BY +total`
        assert.match(JSON.stringify((await page.execute(database.kysely)).rows), plan)
      }
    }
  })
})

const json = (count: number) => JSON.stringify(Array.from({ length: count }, (_, n) => n))

describe('a statement that takes PostgreSQL too long', { skip: postgres.skip }, () => {
  it('is no outage, and however many there are, other statements find a connection', async () => {
    const place = await postgres.make()
    const database = await place.open()
    const slow = Array.from({ length: 20 }, () => sql`SELECT pg_sleep(60)`.execute(database.longReads))
    const ended = Promise.allSettled(slow)
    const running = sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND query = 'SELECT pg_sleep(60)' AND state = 'active'`
    let isOver = false
    void ended.then(() => {
      isOver = true
    })
    await until(async () => {
      await database.ping()
      const { rows } = await running.execute(database.kysely)
      assert.ok(rows.length <= 5, 'half of the pool')
      // As statement_timeout does.
      for (const { pid } of rows) await sql`SELECT pg_cancel_backend(${pid}::int)`.execute(database.kysely)
      return isOver
    })
    const reasons = (await ended).map((each) => each.status === 'rejected' && each.reason)
    assert.ok(reasons.every((reason) => reason instanceof TooSlow))
  })
})
