import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { advisoryLocks } from '../../../src/drivers/postgres/advisory-locks.ts'
import { postgresLease } from '../../../src/drivers/status-state/postgres.ts'
import { migrations } from '../../../src/drivers/status-state/schema.ts'
import { atEnd } from '../../support/at-end.ts'
import { administer, stores } from '../../support/stores.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { until } from '../../support/until.ts'
import {
  changesOf,
  componentOf,
  type Held,
  never,
  numbered,
  numberedIn,
  type StatePlace,
  silentLog,
  startHolder,
  stateStages,
  untilBlocked,
} from './stage.ts'

const stage = stateStages[1] ?? assert.fail()

const isLost = async ({ store, lost }: Held) => {
  await until(() => lost.length > 0)
  await assert.rejects(store.load(), { name: 'Unavailable' })
  await assert.rejects(store.save(changesOf({ components: [componentOf('late')] })), { name: 'Unavailable' })
  await assert.rejects(store.retire('a', 1, 1, null), { name: 'Unavailable' })
  assert.deepEqual([lost.length, store.holdsLease()], [1, false])
}

describe('the lease on a shared PostgreSQL', { skip: stage.skip }, () => {
  let place: StatePlace
  let url: string
  before(async () => {
    place = await stage.make()
    url = place.databaseUrl ?? assert.fail()
  })
  after(() => place.drop())

  const holder = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${advisoryLocks.state} AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  const endHolder = () => administer(`SELECT pg_terminate_backend(pid) FROM (${holder}) AS held`, url)
  const clean = () =>
    administer('TRUNCATE status_components, status_incidents, status_transitions RESTART IDENTITY', url)
  /** A connection of the test. */
  const beside = async () => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return { client, end: atEnd(() => client.end()) }
  }
  /** Resolves when the waiting lease has logged it. */
  const waiting = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { said: promise, log: { ...silentLog, info: (text: unknown) => /another/.test(String(text)) && resolve() } }
  }

  it('is not assumed by a leader that was suspended for longer than the session timeout', async () => {
    const held = await place.acquire({ answerMs: 1_000 })
    assert.equal(held.store.holdsLease(), true)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
    assert.equal(held.store.holdsLease(), false, 'before anything that came meanwhile was read')
    await isLost(held)
    await held.close()
  })

  it('goes to a stand-by when the leader closes, with everything it saved', async () => {
    const first = await place.acquire()
    const { said, log } = waiting()
    let isSecond = false
    const second = place.acquire({ log: log as typeof silentLog }).finally(() => {
      isSecond = true
    })
    await said
    for (let n = 1; n <= 5; n++) await first.store.save(numbered(n))
    assert.equal(isSecond, false)
    await first.store.close()
    const { store, close, lost } = await second
    assert.deepEqual([await numberedIn(store), store.source, lost, first.lost], [5, first.store.source, [], []])
    await close()
    await clean()
  })

  it('is reported lost once when the server ends the connection, and a stand-by gets it', async () => {
    const first = await place.acquire()
    const second = place.acquire()
    await endHolder()
    await isLost(first)
    const { close } = await second
    await close()
    await first.close()
  })

  it('leaves no partial save when the connection ends in the middle of one', async () => {
    const first = await place.acquire()
    await first.store.save(numbered(1))
    const other = await beside()
    await other.client.query('BEGIN; LOCK TABLE status_transitions')
    const save = first.store.save(numbered(2))
    save.catch(() => {})
    await untilBlocked(other.client)
    await endHolder()
    await assert.rejects(save, { name: 'Unavailable' })
    await isLost(first)
    await other.client.query('COMMIT')
    await other.end()
    const { store, close } = await place.acquire()
    assert.equal(await numberedIn(store), 1)
    await close()
    await clean()
  })

  it('is kept when a save times out', async () => {
    const { store, lost, close } = await place.acquire({ answerMs: 1_000 })
    const other = await beside()
    await other.client.query('BEGIN; LOCK TABLE status_components')
    const both = [numbered(1), numbered(1)].map((changes) => store.save(changes))
    for (const result of await Promise.allSettled(both)) assert.equal(result.status, 'rejected')
    await other.client.query('COMMIT')
    await other.end()
    await store.save(numbered(1))
    assert.deepEqual([await numberedIn(store), lost], [1, []])
    await close()
    await clean()
  })

  it('goes to a stand-by at its next poll when the leader is killed', async () => {
    const first = await startHolder(place)
    const { said, log } = waiting()
    const second = place.acquire({ log: log as typeof silentLog, pollMs: 2_000 })
    await said
    await first.kill()
    const { close } = await second
    await close()
  })

  it('goes to a stand-by when the leader is suspended, which loses it', async () => {
    const first = await startHolder(place, { pace: 'pollMs: 50, answerMs: 400' })
    const second = place.acquire()
    first.child.kill('SIGSTOP')
    const { close } = await second
    first.child.kill('SIGCONT')
    assert.equal((await first.lines.next()).value, 'lost')
    await close()
    await first.kill()
  })

  it('is lost when the server stops responding, and goes to a stand-by without a close', async () => {
    const proxy = await startTcpProxy(url)
    const first = await place.acquire({ url: proxy.url, answerMs: 300 })
    const second = place.acquire()
    proxy.be('silent')
    await isLost(first)
    const { close } = await second
    await close()
    await first.close()
    await proxy.close()
  })

  it('is waited for while the database is unreachable; that is logged once, and so is its end', async () => {
    const proxy = await startTcpProxy(url)
    proxy.be('ending')
    const said: string[] = []
    const tell = (...parts: unknown[]) => {
      said.push(JSON.stringify(parts))
    }
    const lease = postgresLease({ url: proxy.url, log: { info: tell, warn: tell }, pollMs: 10 })
    const acquired = lease.acquire(never, assert.fail)
    await until(() => said.length > 0 && proxy.tries() >= 5)
    proxy.be('open')
    const store = await acquired
    assert.deepEqual(await store.load(), [])
    assert.equal(said.length, 2)
    assert.match(said[0] ?? '', /the database is not reachable; the status worker waits for it/)
    assert.match(said[1] ?? '', /the database is reachable again/)
    const { host, username, password } = new URL(proxy.url)
    for (const secret of [proxy.url, host, `${username}:${password}`]) assert.ok(!said.join('').includes(secret))
    await lease.close()
    await proxy.close()
  })

  it('is waited for while the server is read-only, by any number of workers; each logs that and its end once', async () => {
    const readOnly = (change: string) =>
      administer(
        `ALTER DATABASE ${new URL(url).pathname.slice(1)} ${change.replace('?', 'default_transaction_read_only')}`,
      )
    const proxies = [await startTcpProxy(url), await startTcpProxy(url)] as const
    await readOnly('SET ? = on')
    const workers = proxies.map((proxy) => {
      const said: string[] = []
      const tell = (...parts: unknown[]) => {
        said.push(JSON.stringify(parts))
      }
      const lease = postgresLease({ url: proxy.url, log: { info: tell, warn: tell }, pollMs: 20 })
      return { said, lease, acquired: lease.acquire(never, assert.fail).catch(() => null) }
    })
    try {
      await until(() => proxies.every((proxy) => proxy.tries() >= 6))
      for (const { said } of workers) {
        assert.equal(said.length, 1, said.join('\n'))
        assert.match(said[0] ?? '', /read-only.*the database is not reachable; the status worker waits for it/)
      }
      await readOnly('RESET ?')
      await until(() => workers.every(({ said }) => said.length >= 2))
      for (const { said } of workers) assert.match(said[1] ?? '', /the database is reachable again/)
    } finally {
      await readOnly('RESET ?')
      for (const { lease } of workers) await lease.close()
      for (const proxy of proxies) await proxy.close()
    }
  })

  it('is no longer waited for after an abort or close', async () => {
    const proxy = await startTcpProxy(url)
    const silent = createServer((socket) => void atEnd(() => socket.destroy())).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const unanswered = new URL(url)
    unanswered.host = `127.0.0.1:${(silent.address() as AddressInfo).port}`
    const first = await place.acquire()
    proxy.be('ending')
    let unansweredTries = 0
    silent.on('connection', () => unansweredTries++)
    const waiters = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state IS NOT NULL`
    const other = await beside()
    const holders = (await other.client.query(waiters)).rowCount ?? 0
    const tried: [string, () => unknown][] = [
      [url, async () => ((await other.client.query(waiters)).rowCount ?? 0) >= holders + 2],
      [proxy.url, () => proxy.tries() >= 2],
      [unanswered.href, () => unansweredTries >= 2],
    ]
    for (const [each, isWaiting] of tried) {
      const reason = new Error('told to stop')
      const stop = new AbortController()
      const lease = postgresLease({ url: each, log: silentLog, pollMs: 60_000 })
      const waits = [lease.acquire(stop.signal, assert.fail), lease.acquire(never, assert.fail)]
      const ends = Promise.allSettled(waits)
      await until(isWaiting)
      stop.abort(reason)
      await lease.close()
      const [told, closed] = await ends
      assert.deepEqual(told, { status: 'rejected', reason })
      assert.match(String(closed?.status === 'rejected' && closed.reason), /Error: closed/)
    }
    await other.end()
    await first.close()
    silent.close()
    await proxy.close()
  })

  it('fails at once with an invalid password, database or certificate', async () => {
    const wrongs = { username: 'nobody-here', pathname: '/no_such_database', search: '?sslrootcert=/no/such/file' }
    for (const [part, value] of Object.entries(wrongs)) {
      const wrong = Object.assign(new URL(url), { [part]: value })
      const lease = postgresLease({ url: wrong.href, log: silentLog })
      await assert.rejects(lease.acquire(never, assert.fail), {
        name: 'BadSetting',
        message: /^DATABASE_URL: [^\n]+$/,
      })
    }
  })

  for (const [what, damage, message] of [
    [
      'newer',
      "UPDATE status_meta SET value = '99' WHERE name = 'version'",
      new RegExp(`schema version 99, newer than .* ${migrations.length};`),
    ],
    ['without a version', "DELETE FROM status_meta WHERE name = 'version'", /status_meta has no version/],
    ['without a source', "DELETE FROM status_meta WHERE name = 'source'", /status_meta is incomplete/],
    ['not all there', 'DROP TABLE status_incidents', /cannot be used: relation .* does not exist/],
    ['not as they should be', 'ALTER TABLE status_components DROP COLUMN state', /cannot be used: column .* not exist/],
    ["somebody else's", 'DROP TABLE status_meta', /cannot be used: relation .* already exists/],
  ] as const) {
    it(`fails if the tables are ${what}, and leaves them as they are`, async () => {
      const other = await stage.make()
      await (await other.acquire()).close()
      const otherUrl = other.databaseUrl ?? assert.fail()
      await administer(damage, otherUrl)
      for (let time = 0; time < 2; time++)
        await assert.rejects(other.lease().acquire(never, assert.fail), { name: 'BadSetting', message })
      await other.drop()
    })
  }

  it('migrates once with several concurrent first starts, which lead one after the other', async () => {
    const other = await stage.make()
    const sources = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { store, close } = await other.acquire()
        await store.load()
        await close()
        return store.source
      }),
    )
    assert.equal(new Set(sources).size, 1)
    await other.drop()
  })

  it('is independent of the accounts in the same database', async () => {
    const place = await (stores[1] ?? assert.fail()).make()
    const accounts = await place.open()
    const lease = postgresLease({ url: place.env.DATABASE_URL ?? '', log: silentLog })
    const store = await lease.acquire(never, assert.fail)
    await store.save(numbered(1))
    assert.equal(await numberedIn(store), 1)
    await accounts.ping()
    await lease.close()
    await accounts.close()
    await place.drop()
  })
})
