import assert from 'node:assert/strict'
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { openSqlite } from '../../../src/drivers/accounts/sqlite.ts'
import { created, userStoreOf } from '../../support/account-editor.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { startService } from '../../support/service.ts'
import { accountOf } from './stage.ts'

const advice = 'and nothing can be saved until it is back; move it back, or restart the API'

describe('the embedded database', () => {
  let folder: ReturnType<typeof temporaryFolder>
  let path: string
  beforeEach(() => {
    folder = temporaryFolder()
    path = join(folder.path, 'menagerie.db')
  })
  afterEach(() => folder.remove())

  const openAndClose = async () => (await openSqlite(folder.path)).close()
  const pragma = (sql: string) => {
    const db = new DatabaseSync(path)
    const row = db.prepare(`PRAGMA ${sql}`).get()
    db.close()
    return Object.values(row ?? {})[0]
  }

  it('uses a write-ahead log and full syncs, in a file only its owner can read', async () => {
    const database = await openSqlite(folder.path)
    assert.equal(pragma('journal_mode'), 'wal')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    await database.close()
  })

  it('opens an existing database, and the empty file of a first start that was killed', async () => {
    writeFileSync(path, '')
    await openAndClose()
    const database = await openSqlite(folder.path)
    await userStoreOf(database).insert(accountOf('kept'), created)
    await database.close()
    const again = await openSqlite(folder.path)
    assert.notEqual(await userStoreOf(again).find({ username: 'kept' }), null)
    await again.close()
  })

  it('is created once by two concurrent first starts', async () => {
    const both = await Promise.all([openSqlite(folder.path), openSqlite(folder.path), openSqlite(folder.path)])
    assert.equal(await userStoreOf(both[0]).insert(accountOf('one'), created), true)
    assert.notEqual(await userStoreOf(both[1]).find({ username: 'one' }), null)
    await Promise.all(both.map((database) => database.close()))
  })

  for (const suffix of ['', '-wal'])
    it(`is not reachable while menagerie.db${suffix} has been moved away or replaced, and refuses every write`, async () => {
      const database = await openSqlite(folder.path)
      const users = userStoreOf(database)
      const file = path + suffix
      const lost = { name: 'Unavailable', cause: new Error(`${file} was removed or replaced, ${advice}`) }
      await database.ping()
      renameSync(file, `${file}.away`)
      await assert.rejects(database.ping(), lost)
      await assert.rejects(users.insert(accountOf('lost'), created), lost)
      writeFileSync(file, '')
      await assert.rejects(database.ping(), lost)
      await assert.rejects(database.proveWritable(), lost)
      renameSync(`${file}.away`, file)
      await database.ping()
      assert.equal(await users.find({ username: 'lost' }), null)
      await users.insert(accountOf('kept'), created)
      await database.close()
      const again = await openSqlite(folder.path)
      assert.notEqual(await userStoreOf(again).find({ username: 'kept' }), null)
      await again.close()
    })

  it('refuses a database with a newer schema, and leaves it unchanged', async () => {
    await openAndClose()
    pragma('user_version = 99')
    const before = readFileSync(path)
    await assert.rejects(openSqlite(folder.path), {
      name: 'BadDatabase',
      message: /schema version 99, newer than this program's \d+/,
    })
    assert.deepEqual(readFileSync(path), before)
  })

  it('refuses a database of another program, and leaves it unchanged', async () => {
    const db = new DatabaseSync(path)
    db.exec('CREATE TABLE theirs (x)')
    db.close()
    const before = readFileSync(path)
    await assert.rejects(openSqlite(folder.path), { name: 'BadDatabase', message: /is not a database of Menagerie/ })
    assert.deepEqual(readFileSync(path), before)
  })

  it('refuses a database without its tables, or with a wrong version', async () => {
    for (const damage of ['DROP TABLE users', 'ALTER TABLE users DROP COLUMN token_hash', 'PRAGMA user_version = 0']) {
      await openAndClose()
      const db = new DatabaseSync(path)
      db.exec(damage)
      db.close()
      await assert.rejects(openSqlite(folder.path), {
        name: 'BadDatabase',
        message: /cannot be used: .*; restore it from a backup$/,
      })
      rmSync(path)
    }
  })

  for (const [what, damage] of [
    ['that is no database at all', () => writeFileSync(path, 'x'.repeat(20_000))],
    ['whose first page is overwritten', () => overwrite(path, 0, 4096)],
    ['whose schema is overwritten', () => overwrite(path, 100, 1500)],
    ['one of whose pages is overwritten', () => overwrite(path, 4096, 8192)],
    ['that was cut off', () => truncateSync(path, 6000)],
  ] as const) {
    it(`refuses a file ${what}, and leaves it unchanged`, async () => {
      const database = await openSqlite(folder.path)
      const users = userStoreOf(database)
      for (let n = 0; n < 50; n++) await users.insert(accountOf(`user${n}`), created)
      await database.close()
      damage()
      const before = readFileSync(path)
      await assert.rejects(openSqlite(folder.path), { name: 'BadDatabase' })
      assert.deepEqual(readFileSync(path), before)
    })
  }

  it('opens intact if its write-ahead log was removed', async () => {
    await openAndClose()
    rmSync(`${path}-wal`, { force: true })
    await openAndClose()
    assert.equal(pragma('integrity_check'), 'ok')
  })

  it('waits for another process that locks it, and /health does not wait', async () => {
    const service = await startService({
      place: { env: { DATA_DIR: folder.path }, open: () => openSqlite(folder.path), drop: async () => {} },
    })
    const holder = new DatabaseSync(path)
    holder.exec('BEGIN EXCLUSIVE')
    let answered = false
    const register = service.register('patient').finally(() => {
      answered = true
    })
    while (!answered && service.logged().filter(({ path: asked }) => asked === '/health').length < 30) {
      assert.equal((await service.request('GET', '/health')).status, 200)
    }
    assert.equal(answered, false)
    holder.exec('COMMIT')
    assert.equal((await register).username, 'patient')
    holder.close()
    await service.close()
  })

  it('once closed, makes register return the 500 of the contract and login 503', async () => {
    const service = await startService()
    await service.register('alice')
    const path = join(service.env.DATA_DIR ?? '', 'menagerie.db')
    overwrite(path, 0, statSync(path).size)
    overwrite(`${path}-wal`, 0, statSync(`${path}-wal`).size)
    const login = await service.login('alice')
    assert.ok([200, 503].includes(login.status))
    assert.equal((await service.request('GET', '/health')).status, 200)
    await service.close()
  })
})

function overwrite(path: string, from: number, to: number): void {
  const fd = openSync(path, 'r+')
  writeSync(fd, Buffer.alloc(to - from, 0xa5), 0, to - from, from)
  closeSync(fd)
}
