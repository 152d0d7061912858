import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { databaseProbe, storeProbe } from '../../src/api/probes.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { fakeClock } from '../support/clock.ts'
import { stores } from '../support/stores.ts'

function stage(waitMs = 60_000) {
  const clock = fakeClock()
  const seen = { reads: 0, writes: 0 }
  const database = {
    read: async () => {},
    write: async () => {},
    ping() {
      seen.reads += 1
      return this.read()
    },
    proveWritable() {
      seen.writes += 1
      return this.write()
    },
  }
  return { clock, seen, database, probe: databaseProbe(database, clock, waitMs) }
}

const full = async () => {
  throw new Unavailable('database', new Error('database or disk is full'))
}

describe('The database probe', () => {
  it('reads each time, and writes at most every 10 s', async () => {
    const { clock, seen, probe } = stage()
    for (let look = 0; look < 31; look++) {
      await probe.check(false)
      clock.advance(2_000)
    }
    assert.deepEqual(seen, { reads: 31, writes: 7 })
  })

  it('fails after a failed write, retries it with each probe, and succeeds again with the first write that succeeds', async () => {
    const { clock, seen, database, probe } = stage()
    await probe.check(false)
    clock.advance(10_000)
    database.write = full
    for (let look = 0; look < 3; look++) {
      await assert.rejects(probe.check(false), Unavailable)
      clock.advance(2_000)
    }
    assert.equal(seen.writes, 4)
    database.write = async () => {}
    await probe.check(false)
    clock.advance(9_999)
    await probe.check(false)
    assert.equal(seen.writes, 5)
  })

  it('writes at once, and waits for that, if requests have found that the database is away', async () => {
    const { clock, seen, database, probe } = stage(1)
    await probe.check(false)
    clock.advance(2_000)
    database.write = full
    await assert.rejects(probe.check(true), Unavailable)
    assert.equal(seen.writes, 2)
  })

  it('succeeds while a write waits for a lock, without another one, after a first success', async () => {
    const { clock, seen, database, probe } = stage(1)
    await probe.check(false)
    const lock = Promise.withResolvers<void>()
    database.write = () => lock.promise
    for (let look = 0; look < 3; look++) {
      clock.advance(10_000)
      await probe.check(false)
    }
    assert.equal(seen.writes, 2)
    lock.resolve()
  })

  it('waits for the first write, and writes nothing while the database cannot be read', async () => {
    const { seen, database, probe } = stage()
    database.read = full
    await assert.rejects(probe.check(false), Unavailable)
    assert.equal(seen.writes, 0)
    database.read = async () => {}
    database.write = full
    await assert.rejects(probe.check(false), Unavailable)
  })

  for (const store of stores)
    it(`writes a different value each time on ${store.name}`, { skip: store.skip }, async () => {
      const place = await store.make()
      const database = await place.open()
      const contents = new Set<string>()
      for (let time = 0; time < 3; time++) {
        await database.proveWritable()
        const { rows } = await sql<{ content: string }>`SELECT content FROM probe`.execute(database.kysely)
        assert.equal(rows.length, 1)
        contents.add(rows[0]?.content ?? '')
      }
      assert.equal(contents.size, 3)
    })
})

describe('The probe of the object store', () => {
  const failing = (error: Error) => {
    const ping = async () => {
      throw error
    }
    const store = { ping, proveWritable: async () => {} }
    return storeProbe(store, fakeClock(), () => 'S3_ENDPOINT: check the keys.').check(false)
  }

  it('says what to check, except if this process has no file descriptor left', async () => {
    await assert.rejects(failing(new Error('refused')), { message: 'S3_ENDPOINT: check the keys.' })
    const none = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })
    const away = new Unavailable('the object store', none)
    await assert.rejects(failing(away), (error) => error === away)
  })
})
