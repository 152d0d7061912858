import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import pg from 'pg'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { createFinder } from '../../../src/drivers/accounts/postgres-finder.ts'
import { type ConnectionPool, createPool } from '../../../src/drivers/accounts/postgres-pool.ts'
import { Unavailable } from '../../../src/lib/unavailable.ts'
import { created, userStoreOf } from '../../support/account-editor.ts'
import { atEnd } from '../../support/at-end.ts'
import { administer, patientPool, type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { accountOf } from './stage.ts'

const store = stores[1] as Store
const user = { columns: ['id', 'username'], from: 'users', key: 'id' }
const secret = { columns: ['key_id'], from: 'key_secrets', key: 'hash' }

describe('Rows that guards read from PostgreSQL', { skip: store.skip }, () => {
  let url: string
  let database: Database
  const accounts = Array.from({ length: 20 }, (_, n) => accountOf(`person-${n}`))
  const [first = accountOf('first'), second = accountOf('second')] = accounts
  before(async () => {
    const place = await store.make()
    url = place.env.DATABASE_URL as string
    database = await place.open()
    const users = userStoreOf(database)
    for (const account of accounts) await users.insert(account, created)
  })

  const atOnce = (): Promise<unknown> => Promise.resolve()
  /** A finder, and what it sends. `connecting` may hold a connection back, or fail; `answering` holds an answer back. */
  const open = (connecting = atOnce, answering = atOnce) => {
    const pool = createPool(url, { times: patientPool })
    atEnd(() => pool.end())
    const statements: string[] = []
    const watched = new WeakSet<pg.PoolClient>()
    const connect = async () => {
      await connecting()
      const client = await pool.connect()
      if (watched.has(client)) return client
      watched.add(client)
      const { query } = client
      const note = async (...args: unknown[]) => {
        statements.push((args[0] as pg.QueryConfig).text)
        const result = await Reflect.apply(query, client, args)
        await answering()
        return result
      }
      return Object.assign(client, { query: note })
    }
    const finder = createFinder({ ...pool, connect } as ConnectionPool)
    const find = finder(user, (row: { id: string; username: string }) => row)
    return { find, findSecret: finder(secret, (row) => row), statements }
  }
  const rename = (id: string, name: string) =>
    administer(`UPDATE users SET username = '${name}' WHERE id = '${id}'`, url)

  it('are read by one statement per kind of row and turn of the event loop, and each request gets its own', async () => {
    const { find, findSecret, statements } = open()
    const odd = ['', 'NULL', '{}', 'a,b', '"', '\\', "'; DROP TABLE users", 'ü']
    const asked = [...accounts.map(({ id }) => id), ...odd, first.id]
    const found = await Promise.all(asked.map((id) => find(id)))
    assert.deepEqual(
      found.map((row) => row?.username ?? null),
      [...accounts.map(({ username }) => username), ...odd.map(() => null), first.username],
    )
    assert.deepEqual(await Promise.all([find(first.id), findSecret('none'), find('none')]), [found[0], null, null])
    assert.equal(statements.length, 3)
    await find(first.id)
    assert.equal(statements.length, 4)
  })

  it('never come from a statement that was sent before they were requested', async () => {
    const [answered, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holds = [gate.promise]
    const { find, statements } = open(atOnce, () => {
      answered.resolve()
      return holds.pop() ?? atOnce()
    })
    const earlier = find(first.id)
    await answered.promise
    await rename(first.id, 'renamed')
    const later = find(first.id)
    await until(() => statements.length === 2)
    assert.equal((await later)?.username, 'renamed')
    gate.resolve()
    assert.equal((await earlier)?.username, first.username)
    await rename(first.id, first.username)
  })

  it('are unavailable only to the turn that got no connection in time', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let connections = 0
    const { find } = open(() => gates[connections++]?.promise ?? Promise.resolve())
    const earlier = assert.rejects(async () => find(first.id), Unavailable)
    await until(() => connections === 1)
    const later = find(second.id)
    await until(() => connections === 2)
    gates[0]?.reject(new Unavailable('database'))
    await earlier
    gates[1]?.resolve()
    assert.equal((await later)?.username, second.username)
  })

  it('are not held up by a statement that hangs', async () => {
    const { find, findSecret, statements } = open()
    const locking = new pg.Client({ connectionString: url })
    await locking.connect()
    await locking.query('BEGIN; LOCK TABLE users')
    const held = find(first.id)
    await until(() => statements.length === 1)
    assert.equal(await findSecret('none'), null)
    await locking.query('COMMIT')
    assert.equal((await held)?.username, first.username)
    await locking.end()
  })

  it('are unavailable only where the server refuses the statement', async () => {
    const { find, findSecret } = open()
    await administer('ALTER TABLE key_secrets RENAME TO elsewhere', url)
    const outcomes = await Promise.allSettled([find(first.id), findSecret('none'), find(second.id)])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await administer('ALTER TABLE elsewhere RENAME TO key_secrets', url)
    assert.equal(await findSecret('none'), null)
  })
})
