import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { migrations, sqliteDialect } from '../../src/drivers/accounts/migrations.ts'
import { fileName, schema } from '../../src/drivers/accounts/sqlite.ts'
import { atEnd } from '../support/at-end.ts'
import { freePort } from '../support/free-port.ts'
import { end, integrityOf, start } from '../support/killed-service.ts'
import { clientOf } from '../support/owner-client.ts'
import { sized } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { noTracing } from '../support/system-calls.ts'
import { testFolder } from '../support/test-folder.ts'

const program = join(import.meta.dirname, '../../src/bin/api.ts')
/** Each start is killed at this many further writes. */
const stride = sized(60, 60, 24)
const id = '0190a000-0000-7000-8000-000000000000'

/** As version 1 of the schema left it, with one account. */
function putOld(dataDir: string): void {
  const database = new DatabaseSync(join(dataDir, fileName))
  const statements = [
    ...(migrations[0]?.(sqliteDialect) ?? assert.fail()),
    `INSERT INTO users (id, username, role, banned, password_hash, token_hash, created_at, updated_at)
     VALUES ('${id}', 'from-before', 'moderator', 0, 'no hash', NULL, 1000, 1000)`,
    `PRAGMA application_id = ${schema.applicationId}`,
    'PRAGMA user_version = 1',
  ]
  database.exec(`BEGIN; ${statements.join('; ')}; COMMIT`)
  database.close()
}

/** Kills a start at its n-th write to a file. False if it wrote less than that, and is ready. */
async function killedAt(dataDir: string, write: number): Promise<boolean> {
  const inject = `inject=pwrite64:signal=KILL:when=${write}`
  const port = String(await freePort())
  const child = spawn(
    'strace',
    ['-f', '-o', '/dev/null', '-e', 'trace=pwrite64', '-e', inject, process.execPath, program],
    {
      env: { PATH: process.env.PATH, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: port, SAMPLE_IMAGES: 'false' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  )
  const ended = once(child, 'exit')
  let out = ''
  const listening = new Promise<'listening'>((resolve) =>
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (out.includes('is listening')) resolve('listening')
    }),
  )
  const first = await Promise.race([ended, listening])
  child.kill('SIGTERM')
  await ended
  return first !== 'listening'
}

describe('A start on SQLite that is killed at any of its writes', { skip: noTracing() }, () => {
  for (const [title, put] of [
    ['the first one', () => {}],
    ['one that migrates the schema of version 1', putOld],
  ] as const)
    it(`is finished by the next: ${title}`, { timeout: 120_000 }, async (t) => {
      let count = 0
      for (let write = 1; ; write += stride) {
        const dataDir = testFolder()
        put(dataDir)
        if (!(await killedAt(dataDir, write))) break
        count++
        const file = join(dataDir, fileName)
        if (existsSync(file) && readFileSync(file).length > 0) assert.deepEqual(integrityOf(dataDir), [], `at ${write}`)
        const api = await start(dataDir)
        atEnd(() => end(api))
        const client = await clientOf(api)
        assert.equal((await client.register('somebody')).status, 201, `at ${write}`)
        if (put === putOld) {
          const found = await client.ask('GET', `/admin/user/search?userId=${id}`, { token: client.token })
          const { username, role } = JSON.parse(found.text).user
          assert.deepEqual([username, role], ['from-before', 'moderator'], `at ${write}`)
        }
        await end(api)
      }
      t.diagnostic(`${count} kills`)
      assert.ok(count > 1)
    })
})
