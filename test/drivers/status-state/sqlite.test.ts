import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { migrations, sqliteDialect } from '../../../src/drivers/status-state/schema.ts'
import { sqliteLease } from '../../../src/drivers/status-state/sqlite.ts'
import { sqliteDatabase } from '../../../src/drivers/status-state/sqlite-database.ts'
import { createStateStore } from '../../../src/drivers/status-state/store.ts'
import { itInFull } from '../../support/size.ts'
import { turns } from '../../support/until.ts'
import {
  allIncidents,
  changesOf,
  componentOf,
  never,
  numbered,
  numberedIn,
  type StatePlace,
  startHolder,
  stateStages,
} from './stage.ts'

const [stage] = stateStages

/** A folder that a worker has used, and its database file. */
async function used() {
  const place = await (stage ?? assert.fail()).make()
  const { store, close } = await place.acquire()
  for (let n = 1; n <= 200; n++) await store.save(numbered(n))
  await close()
  return { place, path: join(place.dataDir, 'status.db') }
}

function change(path: string, sql: string): void {
  const db = new DatabaseSync(path)
  db.exec(sql)
  db.close()
}

function overwrite(path: string, from: number, to: number): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(to - from, 0xa5), 0, to - from, from)
  closeSync(fd)
}

/** The error of another process that runs this on a database. */
function tried(path: string, sql: string): string {
  const script = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec(${JSON.stringify(sql)})`
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' }).stderr
}

const isRefused = ({ dataDir }: Pick<StatePlace, 'dataDir'>, message: RegExp) =>
  assert.rejects(sqliteLease({ dataDir }).acquire(never, assert.fail), (error: Error) => {
    assert.equal(error.name, 'BadSetting')
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /\n/)
    return true
  })

describe("the file of the worker's state", () => {
  it('is readable by its owner alone, and uses WAL', async () => {
    const { place, path } = await used()
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const db = new DatabaseSync(path)
    assert.equal(db.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal')
    db.close()
    await place.drop()
  })

  itInFull('is not touched by another worker', async () => {
    const { place, path } = await used()
    const worker = await startHolder(place)
    const inUse = /^DATA_DIR: .*status\.db is in use by another status worker; stop it or choose another folder$/
    await isRefused(place, inUse)
    await worker.kill()
    const { store, close } = await place.acquire()
    await isRefused(place, inUse)
    // The refused one opened and closed the lock file in this process; the lock survives that.
    assert.match(tried(`${path.replace('.db', '.lock')}`, 'BEGIN EXCLUSIVE'), /database is locked/)
    assert.equal(await numberedIn(store), 200)
    await close()
    await place.drop()
  })

  itInFull('can be copied while a worker writes to it, and the copy is consistent', async () => {
    const { place, path } = await used()
    const worker = await startHolder(place, { writesFrom: 201 })
    const copies = await (stage ?? assert.fail()).make()
    await worker.lines.next()
    const source = new DatabaseSync(path, { readOnly: true })
    await backup(source, join(copies.dataDir, 'status.db'), { rate: 1_000_000 })
    source.close()
    await worker.kill()
    const { store, close } = await copies.acquire()
    const copied = await numberedIn(store)
    assert.ok(copied >= 201, String(copied))
    await close()
    await copies.drop()
    await place.drop()
  })

  it('has one worker at a time, even if one is of version 0.1, which locks the file itself', async () => {
    const { place, path } = await used()
    const as01 = 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT; PRAGMA journal_mode = WAL'
    const { close } = await place.acquire()
    assert.match(tried(path, as01), /database is locked/)
    await close()
    const old = new DatabaseSync(path, { timeout: 0 })
    old.exec(`${as01}; BEGIN IMMEDIATE; UPDATE status_meta SET value = value; COMMIT`)
    await isRefused(place, /status\.db is in use by another status worker/)
    old.close()
    await (await place.acquire()).close()
    await place.drop()
  })

  it("is no longer its worker's once the lock file was removed or replaced", async () => {
    const { place, path } = await used()
    const { store, close } = await place.acquire()
    assert.equal(store.holdsLease(), true)
    await nextTurn()
    rmSync(path.replace('.db', '.lock'))
    assert.equal(store.holdsLease(), false)
    await nextTurn()
    writeFileSync(path.replace('.db', '.lock'), '')
    assert.equal(store.holdsLease(), false)
    await close()
    await place.drop()
  })

  it('may be read by another process for a moment, which a start waits for', async () => {
    const { place, path } = await used()
    const reader = new DatabaseSync(path)
    reader.exec('BEGIN; SELECT count(*) FROM status_meta')
    const acquiring = place.acquire()
    await turns(200)
    reader.close()
    const { close } = await acquiring
    await close()
    await place.drop()
  })

  it('may be empty after a first start that was killed', async () => {
    const place = await (stage ?? assert.fail()).make()
    writeFileSync(join(place.dataDir, 'status.db'), '')
    const { store, close } = await place.acquire()
    assert.deepEqual(await store.load(), [])
    await close()
    await place.drop()
  })

  for (const [what, damage, message] of [
    [
      'of a newer program',
      (path) => change(path, 'PRAGMA user_version = 99'),
      new RegExp(`schema version 99, newer than .* ${migrations.length};`),
    ],
    ['of another program', (path) => change(path, 'PRAGMA application_id = 7'), /is not the state of a status worker/],
    ['that is no database', (path) => writeFileSync(path, 'x'.repeat(20_000)), /cannot be used|cannot be opened/],
    ['whose first page is overwritten', (path) => overwrite(path, 0, 4096), /cannot be used/],
    ['whose schema is overwritten', (path) => overwrite(path, 100, 1500), /cannot be used|damaged/],
    ['one of whose pages is overwritten', (path) => overwrite(path, 8192, 12_288), /cannot be used|damaged/],
    ['that was cut off', (path) => truncateSync(path, 6_000), /cannot be used|damaged/],
    ['without a table', (path) => change(path, 'DROP TABLE status_incidents'), /cannot be used: no such table/],
    ['without its source', (path) => change(path, 'DELETE FROM status_meta'), /status_meta is incomplete/],
  ] satisfies [string, (path: string) => void, RegExp][]) {
    it(`is refused if it is one ${what}, and left unchanged`, async () => {
      const { place, path } = await used()
      damage(path)
      const before = readFileSync(path)
      await isRefused(place, message)
      assert.deepEqual(readFileSync(path), before)
      await place.drop()
    })
  }

  it('is refused if the folder is no directory or not writable', async () => {
    const { place } = await used()
    chmodSync(place.dataDir, 0o500)
    if (process.getuid?.() !== 0) await isRefused(place, /^DATA_DIR: expected a writable folder/)
    chmodSync(place.dataDir, 0o700)
    await isRefused({ dataDir: join(place.dataDir, 'status.db') }, /^DATA_DIR: expected/)
    await place.drop()
  })

  it('is not written to once it was removed', async () => {
    const { place, path } = await used()
    const { store, close } = await place.acquire()
    rmSync(path)
    await assert.rejects(store.save(numbered(201)), { name: 'Unavailable' })
    await assert.rejects(store.retire('c1', 1, 1, null), { name: 'Unavailable' })
    assert.equal(store.holdsLease(), false)
    await close()
    await place.drop()
  })

  it('is unchanged by a save on a full disk, and accepts the next one when there is space', async () => {
    const db = new DatabaseSync(':memory:')
    for (const sql of migrations.flatMap((migration) => migration(sqliteDialect))) db.exec(sql)
    const store = createStateStore(sqliteDatabase(db), { source: 'a source', retiredSequence: 0 })
    for (let n = 1; n <= 20; n++) await store.save(numbered(n))
    db.exec(`PRAGMA max_page_count = ${db.prepare('PRAGMA page_count').get()?.page_count}`)
    const saved = [await store.load(), await allIncidents(store)]
    const components = Array.from({ length: 1_000 }, (_, n) => componentOf(`many-${n}`))
    await assert.rejects(store.save(changesOf({ components })), { name: 'Unavailable' })
    assert.deepEqual([await store.load(), await allIncidents(store)], saved)
    db.exec('PRAGMA max_page_count = 1000000')
    await store.save(changesOf({ components }))
    assert.equal((await store.load()).length, 1_005)
    await store.close()
  })
})
