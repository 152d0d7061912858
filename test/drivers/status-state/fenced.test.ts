import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import pg from 'pg'
import { openStateLease } from '../../../src/drivers/status-state/open-lease.ts'
import { postgresLease } from '../../../src/drivers/status-state/postgres.ts'
import { createLink } from '../../../src/drivers/status-state/postgres-link.ts'
import type { StateStore } from '../../../src/status/state-store.ts'
import { atEnd } from '../../support/at-end.ts'
import { pgbouncerSkip, startPgbouncer } from '../../support/pgbouncer.ts'
import { administer } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { never, numbered, numberedIn, type StatePlace, silentLog, stateStages, untilBlocked } from './stage.ts'

const stage = stateStages[1] ?? assert.fail()

describe('the state of one worker on PostgreSQL', { skip: stage.skip }, () => {
  let place: StatePlace
  let url: string
  let beside: pg.Client
  before(async () => {
    place = await stage.make()
    url = place.databaseUrl ?? assert.fail()
    beside = new pg.Client({ connectionString: url })
    await beside.connect()
  })
  after(async () => {
    await beside.end()
    await place.drop()
  })
  afterEach(() => administer('TRUNCATE status_components, status_incidents, status_transitions RESTART IDENTITY', url))

  /** Takes over without the lock. */
  const takeOver = () => beside.query("UPDATE status_meta SET value = 'another' WHERE name = 'holder'")
  const writes: Record<string, (store: StateStore) => Promise<unknown>> = {
    save: (store) => store.save(numbered(2)),
    retire: (store) => store.retire('c1', 1, 1, null),
    forget: (store) => store.forget(Number.MAX_SAFE_INTEGER),
  }

  for (const [name, write] of Object.entries(writes)) {
    it(`refuses a ${name} after another worker took over, whoever holds the lock`, async () => {
      const { store, lost, close } = await place.acquire()
      await store.save(numbered(1))
      await takeOver()
      await assert.rejects(write(store), { name: 'Unavailable' })
      assert.deepEqual(
        [store.holdsLease(), lost.map(({ message }) => message)],
        [false, ['another worker has taken over the state']],
      )
      await close()
      const next = await place.acquire()
      assert.equal(await numberedIn(next.store), 1)
      await next.close()
    })
  }

  it('refuses a save that began while another worker took over', async () => {
    const { store, lost, close } = await place.acquire()
    await store.save(numbered(1))
    await beside.query('BEGIN')
    await takeOver()
    const save = store.save(numbered(2))
    save.catch(() => {})
    await untilBlocked(beside)
    await beside.query('COMMIT')
    await assert.rejects(save, { name: 'Unavailable' })
    assert.equal(lost.length, 1)
    await close()
    const next = await place.acquire()
    assert.equal(await numberedIn(next.store), 1)
    await next.close()
  })

  it('is not opened on a read-only server, which is waited for', async () => {
    await (await place.acquire()).close()
    const name = new URL(url).pathname.slice(1)
    await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    const said: unknown[][] = []
    const log = { info() {}, warn: (...parts: unknown[]) => void said.push(parts) }
    const acquired = place.acquire({ log: log as never })
    await until(() => said.length > 0, 'the server to be found read-only')
    await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    const { store, close } = await acquired
    await store.save(numbered(1))
    await close()
  })

  it('is lost when its server becomes read-only', async () => {
    const lost: Error[] = []
    const link = createLink(url, { pollMs: 1_000, answerMs: 5_000 })
    await link.connect()
    link.watch((reason) => lost.push(reason))
    await link.query({ text: 'SET default_transaction_read_only = on' })
    await assert.rejects(link.query({ text: 'DELETE FROM status_components' }), /read-only/)
    assert.deepEqual([lost.length, link.isSure()], [1, false])
    link.destroy()
  })
})

describe('a status worker whose database is behind PgBouncer', { skip: pgbouncerSkip }, () => {
  for (const mode of ['transaction', 'session', 'statement'] as const) {
    it(`fails to start in ${mode} mode, with a line that names STATUS_DATABASE_URL`, async () => {
      const place = await stage.make()
      const bouncer = await startPgbouncer(place.databaseUrl ?? '', { mode })
      for (const setting of ['DATABASE_URL', 'STATUS_DATABASE_URL'] as const) {
        const lease = postgresLease({ url: bouncer.url, setting, log: silentLog })
        await assert.rejects(lease.acquire(never, assert.fail), {
          name: 'BadSetting',
          message: new RegExp(
            `^${setting}: [^\\n]*pooler[^\\n]*set STATUS_DATABASE_URL to the PostgreSQL server itself$`,
          ),
        })
      }
      await bouncer.stop()
      await place.drop()
    })
  }

  it('leads over STATUS_DATABASE_URL while DATABASE_URL is the pooler', async () => {
    const place = await stage.make()
    const bouncer = await startPgbouncer(place.databaseUrl ?? '')
    const settings = { DATA_DIR: '', DATABASE_URL: bouncer.url, STATUS_DATABASE_URL: place.databaseUrl }
    const lease = await openStateLease(settings, silentLog)
    const close = atEnd(() => lease.close())
    const store = await lease.acquire(never, assert.fail)
    await store.save(numbered(1))
    assert.equal(await numberedIn(store), 1)
    await close()
    await bouncer.stop()
    await place.drop()
  })
})
