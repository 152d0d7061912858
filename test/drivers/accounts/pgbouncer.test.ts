import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { openPostgres } from '../../../src/drivers/accounts/postgres.ts'
import { readPostgresStatus } from '../../../src/drivers/accounts/postgres-status.ts'
import { describeFailure } from '../../../src/lib/failure.ts'
import { atEnd } from '../../support/at-end.ts'
import { pgbouncerSkip, startPgbouncer } from '../../support/pgbouncer.ts'
import { startService, type TestService } from '../../support/service.ts'
import { administer, type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { usersContract } from './user-store.contract.ts'

const postgres = stores[1] as Store

/** Databases of the same server, reached through a PgBouncer of their own. */
const pooled: Store = {
  name: 'PostgreSQL behind PgBouncer',
  skip: pgbouncerSkip,
  async make() {
    const place = await postgres.make()
    const bouncer = await startPgbouncer(place.env.DATABASE_URL ?? '')
    return {
      env: { ...place.env, DATABASE_URL: bouncer.url },
      open: () => openPostgres(bouncer.url),
      drop: async () => {
        await bouncer.stop()
        await place.drop()
      },
    }
  },
}

usersContract(pooled)

describe('PgBouncer in transaction mode', { skip: pgbouncerSkip }, () => {
  let place: Awaited<ReturnType<Store['make']>>
  let url: string
  const services: TestService[] = []
  before(async () => {
    place = await pooled.make()
    url = place.env.DATABASE_URL ?? ''
    services.push(...(await Promise.all([startService({ place }), startService({ place })])))
  })
  const serviceOf = (n: number) => services[n % services.length] as TestService
  const everywhere = <T>(count: number, ask: (service: TestService, n: number) => Promise<T>) =>
    Promise.all(Array.from({ length: count }, (_, n) => ask(serviceOf(n), n)))

  it('serves two concurrent instances over few server sessions, each statement with its own result', async () => {
    const people = await everywhere(12, (service, n) => service.register(`person-${n}`))
    for (let round = 0; round < 5; round++) {
      const replies = await everywhere(48, (service, n) =>
        service.request('GET', '/auth/me', { token: people[n % 12]?.accessToken }),
      )
      for (const [n, { status, body }] of replies.entries())
        assert.deepEqual([status, body.user?.username], [200, `person-${n % 12}`])
    }
    const logins = await everywhere(6, (service, n) => service.login(`person-${n}`))
    assert.deepEqual(new Set(logins.map(({ status }) => status)), new Set([200]))
  })

  it('cannot LISTEN, so instances log that they share neither changes of images nor, without S3, images', async () => {
    const expected =
      /pooler, which cannot LISTEN; set STATUS_DATABASE_URL .* without S3_ENDPOINT each also has images of its own$/
    for (const { logged } of services) await until(() => logged().some(({ msg }) => expected.test(String(msg))))
  })

  it('sets the timeouts in every transaction, and keeps neither them nor a statement afterwards', async () => {
    const database = await openPostgres(url)
    const close = atEnd(() => database.close())
    const shown = (kysely: Pick<Database['kysely'], 'getExecutor'>) =>
      sql<{ timeout: string }>`SELECT current_setting('statement_timeout') AS timeout, ${1}::int`.execute(
        kysely as never,
      )
    const [alone, within] = [await shown(database.kysely), await database.transaction(shown)]
    assert.deepEqual(
      [alone, within].map(({ rows }) => rows[0]?.timeout),
      ['2500ms', '2500ms'],
    )
    await close()
    const text = `SELECT current_setting('statement_timeout') AS timeout, current_setting('random_page_cost') AS cost,
      (SELECT count(*)::int FROM pg_prepared_statements WHERE name <> '') AS prepared`
    const clients = Array.from({ length: 3 }, () => new pg.Client({ connectionString: url }))
    for (const client of clients) await client.connect()
    // All at once, so that they are in different sessions of the server.
    for (const client of clients) await client.query('BEGIN')
    for (const client of clients)
      assert.deepEqual((await client.query(text)).rows, [{ timeout: '0', cost: '4', prepared: 0 }])
    for (const client of clients) await client.end()
  })

  it('may lose all server sessions: reads and logins continue', async () => {
    const { accessToken } = await serviceOf(0).register('survivor')
    const name = new URL(url).pathname.slice(1)
    for (let round = 0; round < 5; round++) {
      await administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`)
      const replies = await everywhere(6, (service) => service.request('GET', '/auth/me', { token: accessToken }))
      assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
    }
    assert.equal((await serviceOf(1).login('survivor')).status, 200)
  })

  it('reports the state of the database to cli db', async () => {
    const { state, counts } = await readPostgresStatus(url, { deep: true, now: Date.now() })
    assert.deepEqual([state, Number(counts?.users) > 0], ['ready', true])
  })

  it('that accepts no more clients lets requests wait for an open connection', async () => {
    const full = await startPgbouncer(url, { settings: { max_client_conn: 2 } })
    const database = await openPostgres(full.url)
    const close = atEnd(() => database.close())
    await Promise.all(Array.from({ length: 50 }, () => database.ping()))
    await close()
    await full.stop()
  })
})

describe('PgBouncer in another mode', { skip: pgbouncerSkip }, () => {
  it('works with pool_mode session', async () => {
    const place = await postgres.make()
    const bouncer = await startPgbouncer(place.env.DATABASE_URL ?? '', { mode: 'session' })
    const database = await openPostgres(bouncer.url)
    await Promise.all(Array.from({ length: 3 }, () => database.ping()))
    await database.close()
    await bouncer.stop()
  })

  it('with pool_mode session lets requests wait for a connection with a server session if all are in use', {
    timeout: 60_000,
  }, async (t) => {
    const place = await postgres.make()
    const { url, stop } = await startPgbouncer(place.env.DATABASE_URL ?? '', {
      mode: 'session',
      settings: { default_pool_size: 2 },
    })
    const databases = [await openPostgres(url), await openPostgres(url)]
    t.after(async () => {
      for (const database of databases) await database.close()
      await stop()
      await place.drop()
    })
    // Each keeps one of the two sessions.
    for (const database of databases) await database.ping()
    const asked = databases.flatMap((database) => Array.from({ length: 20 }, () => database.ping()))
    const failed = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')
    assert.deepEqual(failed, [])
  })

  it('with pool_mode statement fails the start with one line', async () => {
    const place = await postgres.make()
    const bouncer = await startPgbouncer(place.env.DATABASE_URL ?? '', { mode: 'statement' })
    await assert.rejects(openPostgres(bouncer.url), (error) => {
      assert.match(describeFailure(error) ?? '', /^DATABASE_URL: [^\n]*statement pooling/)
      return true
    })
    await bouncer.stop()
  })
})
