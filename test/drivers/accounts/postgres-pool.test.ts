import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { openPostgres } from '../../../src/drivers/accounts/postgres.ts'
import { type PoolOptions, poolTimes } from '../../../src/drivers/accounts/postgres-pool.ts'
import { describeFailure } from '../../../src/lib/failure.ts'
import { Unavailable } from '../../../src/lib/unavailable.ts'
import { created } from '../../support/account-editor.ts'
import { atEnd } from '../../support/at-end.ts'
import { startService } from '../../support/service.ts'
import { administer, patientPool, type Store, stores } from '../../support/stores.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import { accountOf, portsOf } from './stage.ts'

const store = stores[1] as Store

/** A proxy that counts the connections, and serves new ones once `held` resolves. */
async function startCounter(url: string) {
  const gate = { held: Promise.resolve() }
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let count = 0
  const server = createServer((near) => {
    count += 1
    const far = connect(Number(target.port || 5432), target.hostname)
    for (const socket of [near, far]) sockets.add(socket.on('error', () => {}).on('close', () => near.destroy()))
    near.pipe(far)
    void gate.held.then(() => far.pipe(near))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = atEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return Object.assign(gate, { url: through.href, count: () => count, close })
}

describe('connections to PostgreSQL', { skip: store.skip }, () => {
  const limit = 3
  const role = `menagerie_test_role_${randomBytes(6).toString('hex')}`
  let place: Awaited<ReturnType<Store['make']>>
  let url: string
  let sessionsOfRole: string
  before(async () => {
    place = await store.make()
    const limited = new URL(place.env.DATABASE_URL ?? '')
    // This limit has the same error as the limit of the whole server: 53300.
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'plain' CONNECTION LIMIT ${limit}`)
    await administer(`GRANT ALL ON SCHEMA public TO ${role}`, limited.href)
    Object.assign(limited, { username: role, password: 'plain' })
    url = limited.href
    sessionsOfRole = `FROM pg_stat_activity WHERE usename = '${role}'`
  })
  after(async () => {
    await place.drop()
    await administer(`DROP ROLE ${role}`)
  })

  const open = async (options?: PoolOptions, where = url) => {
    const said: unknown[][] = []
    const log = { warn: (...parts: unknown[]) => void said.push(parts) }
    const database = await openPostgres(where, { log: log as never, times: patientPool, ...options })
    return { database, said, close: atEnd(() => database.close()) }
  }
  const sessions = async () => {
    const client = new pg.Client({ connectionString: place.env.DATABASE_URL })
    await client.connect()
    const { rows } = await client.query(`SELECT count(*)::int AS count ${sessionsOfRole}`)
    await client.end()
    return rows[0].count as number
  }
  /** Takes this many connections of the role, once ending sessions have ended. */
  const occupy = async (count: number) => {
    const clients: pg.Client[] = []
    await until(async () => {
      const client = new pg.Client({ connectionString: url }).on('error', () => {})
      return (await client.connect().catch(() => null)) && clients.push(client) === count
    }, 'every connection of the role')
    return atEnd(() => Promise.all(clients.map((client) => client.end())))
  }
  /** Takes a connection of the pool until the result is called. */
  const occupyByTransaction = async (database: Database) => {
    const [inUse, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const transaction = database.transaction(async () => {
      inUse.resolve()
      await mayEnd.promise
    })
    await inUse.promise
    return atEnd(() => {
      mayEnd.resolve()
      return transaction
    })
  }
  const times = <T>(count: number, act: () => Promise<T>) => Promise.all(Array.from({ length: count }, act))

  it('are shared by all requests if the server accepts no more, which is logged once', async () => {
    const { database, said, close } = await open()
    const { users } = portsOf(database)
    const names = Array.from({ length: 40 }, (_, n) => `sharer-${n}`)
    const release = await occupy(limit - 1)
    const made = await Promise.all([
      ...names.map((name) => users.insert(accountOf(name), created)),
      ...Array.from({ length: 40 }, () => database.ping().then(() => true)),
    ])
    assert.deepEqual(new Set(made), new Set([true]))
    assert.equal(said.length, 1)
    assert.match(String(said[0]?.[1]), /no further connection.*max_connections.*DATABASE_POOL_MAX/)
    await release()
    // A request that finds them all in use opens the next one again.
    await until(async () => {
      await times(20, () => sql`SELECT pg_sleep(0.01)`.execute(database.kysely))
      return (await sessions()) === limit
    }, 'the pool to grow again')
    await close()
  })

  it('are also shared by a request for which the server took long to refuse another one', async () => {
    const between = await startCounter(url)
    const { database, close } = await open({}, between.url)
    const release = await occupy(limit - 1)
    await database.ping()
    const endTransaction = await occupyByTransaction(database)
    const refusal = Promise.withResolvers<void>()
    atEnd(refusal.resolve)
    between.held = refusal.promise
    const count = between.count()
    const request = database.ping()
    await until(() => between.count() > count, 'an attempt to connect')
    refusal.resolve()
    await Promise.all([endTransaction(), request])
    await release()
    await close()
    await between.close()
  })

  it('are reused as they become free by a request whose new one cannot be opened because its packets are dropped', async () => {
    const link = await startTcpProxy(url)
    const { database, close } = await open({ times: { ...patientPool, connectMs: 1_000 } }, link.url)
    await database.ping()
    const accept = await link.dropNew()
    const endTransaction = await occupyByTransaction(database)
    const requests = times(20, () => database.ping())
    await Promise.all([endTransaction(), requests])
    await accept()
    await close()
  })

  it('serve every request of a steady load while no other can be opened because packets are dropped', async () => {
    const connectMs = 700
    const link = await startTcpProxy(url)
    const { database, said, close } = await open({ times: { ...patientPool, connectMs } }, link.url)
    await database.ping()
    const accept = await link.dropNew()
    const endAt = performance.now() + 6 * connectMs
    const oneAfterAnother = async () => {
      while (performance.now() < endAt) await sql`SELECT pg_sleep(0.005)`.execute(database.kysely)
    }
    await times(8, oneAfterAnother)
    const text = 'no further connection to the database opens within 700 ms: requests wait for one of the pool'
    assert.deepEqual(
      said.map(([, message]) => message),
      [text],
    )
    await accept()
    await close()
  })

  it('are awaited if the pool has none, and opened as soon as the server accepts one', async () => {
    const { database, said, close } = await open()
    await administer(`SELECT pg_terminate_backend(pid) ${sessionsOfRole}`)
    await until(async () => (await sessions()) === 0)
    const release = await occupy(limit)
    const asked = times(20, () => database.ping())
    asked.catch(() => {})
    await until(() => said.length > 0, 'a connection to be refused')
    await release()
    await asked
    await close()
  })

  it('are tried again only now and then while the server refuses them, and requests end in 503', async () => {
    const counter = await startCounter(url)
    const { database, close } = await open({ times: poolTimes }, counter.url)
    await administer(`SELECT pg_terminate_backend(pid) ${sessionsOfRole}`)
    await until(async () => (await sessions()) === 0)
    const release = await occupy(limit)
    const before = counter.count()
    const results = await Promise.allSettled(Array.from({ length: 200 }, () => database.ping()))
    for (const result of results) {
      assert.ok(result.status === 'rejected' && result.reason instanceof Unavailable)
      assert.match(describeFailure(result.reason) ?? '', /^DATABASE_URL: too many connections for role/)
    }
    // The 10 that the pool opened before it knew, and then two after each pause.
    assert.ok(counter.count() - before < 40, `${counter.count() - before} attempts`)
    await release()
    await until(() =>
      database.ping().then(
        () => true,
        () => false,
      ),
    )
    await close()
    await counter.close()
  })

  it('are at most DATABASE_POOL_MAX', async () => {
    const folder = { env: { ...place.env, DATABASE_URL: url }, open: () => openPostgres(url), drop: async () => {} }
    const service = await startService({ place: folder, env: { DATABASE_POOL_MAX: '1' } })
    const { accessToken } = await service.register('alone')
    for (let round = 0; round < 5; round++) {
      const asked = times(20, () => service.request('GET', '/auth/me', { token: accessToken }))
      assert.equal(await sessions(), 1)
      assert.deepEqual(new Set((await asked).map(({ status }) => status)), new Set([200]))
    }
  })

  it('prepare each statement under a name derived from its text, the same on all instances', async () => {
    const driver = join(import.meta.dirname, '../../../src/drivers/accounts/postgres.ts')
    const namesAfter = async (texts: readonly string[]) => {
      const script = `
        const { openPostgres } = await import(${JSON.stringify(driver)})
        const { kysely, close } = await openPostgres(${JSON.stringify(url)}, { max: 1, times: ${JSON.stringify(patientPool)} })
        for (const sql of ${JSON.stringify(texts)}) await kysely.executeQuery({ sql, parameters: ['x'] })
        const sql = "SELECT name, statement FROM pg_prepared_statements WHERE statement LIKE '%::text AS%' ORDER BY 2"
        console.log(JSON.stringify((await kysely.executeQuery({ sql, parameters: [] })).rows))
        await close()`
      return JSON.parse((await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])).stdout)
    }
    const texts = ['a', 'b', 'c'].map((name) => `SELECT $1::text AS ${name}`)
    const [one, other] = [await namesAfter(texts), await namesAfter([...texts].reverse())]
    assert.equal(one.length, texts.length)
    assert.deepEqual(one, other)
  })

  it('to a server that became read-only are replaced, so that a new primary is reached', async () => {
    const { database, close } = await open()
    const { users } = portsOf(database)
    const name = new URL(url).pathname.slice(1)
    // Sessions that begin now behave like those of a demoted server for as long as they last.
    await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await administer(`SELECT pg_terminate_backend(pid) ${sessionsOfRole}`)
    await times(limit, () => sql`SELECT pg_sleep(0.05)`.execute(database.kysely))
    const write = (username: string) => users.insert(accountOf(username), created)
    await assert.rejects(write('too-early'), { name: 'Unavailable' })
    await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    let attempts = 0
    await until(async () => {
      // All connections are in use all the time: none is closed for being idle.
      const written = write(`late-${attempts++}`).catch(() => false)
      await times(limit, () => sql`SELECT pg_sleep(0.02)`.execute(database.kysely))
      return await written
    }, 'a write to reach the new primary')
    const all = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => write(`after-${n}`)))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set(['fulfilled']))
    await close()
  })
})
