import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createServer, type Socket } from 'node:net'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { openPostgres } from '../../../src/drivers/accounts/postgres.ts'
import { Unavailable } from '../../../src/lib/unavailable.ts'
import { created, userStoreOf } from '../../support/account-editor.ts'
import { fakeClock } from '../../support/clock.ts'
import { password, startService, type TestService } from '../../support/service.ts'
import { administer, patientPool, type Store, stores } from '../../support/stores.ts'
import { accountOf } from './stage.ts'

const store = stores[1] as Store

describe('PostgreSQL', { skip: store.skip }, () => {
  let place: Awaited<ReturnType<Store['make']>>
  let service: TestService
  before(async () => {
    place = await store.make()
    service = await startService({ place })
  })

  const name = () => new URL(place.env.DATABASE_URL ?? '').pathname.slice(1)
  const endConnections = () =>
    administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`)

  it('may close every connection: reads and logins continue', async () => {
    const { accessToken } = await service.register('survivor')
    for (let round = 0; round < 5; round++) {
      await endConnections()
      const me = await Promise.all(
        Array.from({ length: 5 }, () => service.request('GET', '/auth/me', { token: accessToken })),
      )
      assert.deepEqual(
        me.map(({ status }) => status),
        [200, 200, 200, 200, 200],
      )
    }
    await endConnections()
    assert.equal((await service.login('survivor')).status, 200)
  })

  it('may close many connections right after they were opened: a statement tries them all', async () => {
    const other = await store.make()
    const { kysely, close } = await other.open()
    const together = () => Promise.all(Array.from({ length: 5 }, () => sql`SELECT pg_sleep(0.05)`.execute(kysely)))
    await together()
    // Blocks the event loop, so that the pool cannot notice before it hands them out.
    const end =
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
    const script = `import pg from 'pg'; const client = new pg.Client(process.env.URL); await client.connect(); await client.query("${end}"); await client.end()`
    execFileSync(process.execPath, ['--input-type=module', '--eval', script], { env: { URL: other.env.DATABASE_URL } })
    await sql`SELECT 1`.execute(kysely)
    await close()
  })

  it('that refuses connections makes guarded routes, login and register return 503', async () => {
    const { accessToken } = await service.register('waiting')
    await administer(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS false`)
    await endConnections()
    const body = { username: 'nobody', password }
    const replies = [
      await service.request('GET', '/auth/me', { token: accessToken }),
      await service.login('waiting'),
      await service.request('POST', '/auth/register', { body }),
      await service.request('GET', '/health'),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [503, 503, 503, 200],
    )
    await administer(`ALTER DATABASE ${name()} ALLOW_CONNECTIONS true`)
    assert.equal((await service.request('GET', '/auth/me', { token: accessToken })).status, 200)
  })

  it('with a newer schema is refused, and left unchanged', async () => {
    const other = await store.make()
    const database = await other.open()
    await database.kysely.schema.createTable('later').addColumn('x', 'text').execute()
    await database.close()
    const url = other.env.DATABASE_URL ?? ''
    await administer('UPDATE schema_version SET version = 99', url)
    await assert.rejects(openPostgres(url, { times: patientPool }), {
      name: 'BadDatabase',
      message: /DATABASE_URL: the database has schema version 99, newer than this program's \d+/,
    })
  })

  it('without its tables is refused', async () => {
    const other = await store.make()
    await (await other.open()).close()
    await administer('DROP TABLE users', other.env.DATABASE_URL)
    await assert.rejects(other.open(), { name: 'BadDatabase', message: /DATABASE_URL: the database cannot be used: / })
  })

  it('is migrated once by five concurrent first starts', async () => {
    const other = await store.make()
    const all = await Promise.all(Array.from({ length: 5 }, () => other.open()))
    assert.equal(await userStoreOf(all[0] as (typeof all)[number]).insert(accountOf('one'), created), true)
    for (const database of all) assert.notEqual(await userStoreOf(database).find({ username: 'one' }), null)
    await Promise.all(all.map((database) => database.close()))
  })

  it('sorts names by bytes, whatever the locale of the database', async () => {
    const other = await store.make()
    const made = new URL(other.env.DATABASE_URL ?? '').pathname.slice(1)
    await administer(`DROP DATABASE ${made}`)
    await administer(`CREATE DATABASE ${made} TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`)
    const database = await other.open()
    const names = ['a_b', 'a.b', 'a-b', 'AB9', 'a1b', 'ab1', 'zed', 'ABC', '_ab', '-ab', '0ab']
    const users = userStoreOf(database)
    for (const name of names) assert.equal(await users.insert(accountOf(name), created), true)
    const page = { filter: {}, order: { by: 'username', descending: false }, after: null, limit: 99 } as const
    const found = await createDirectory(database, { clock: fakeClock() }).page(page)
    const keys = found.map(({ username }) => username.toLowerCase())
    assert.deepEqual(keys, names.map((name) => name.toLowerCase()).sort())
  })

  it('that accepts connections and never responds fails the start when the connection times out, naming the database', async () => {
    const sockets: Socket[] = []
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const { port } = silent.address() as { port: number }
    await assert.rejects(
      openPostgres(`postgres://app@127.0.0.1:${port}/app`, { times: { connectMs: 500 } }),
      (error) => error instanceof Unavailable,
    )
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
})
