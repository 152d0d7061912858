import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { migrations } from '../../src/drivers/accounts/migrations.ts'
import { startService } from '../support/service.ts'
import { itInFull, someOf } from '../support/size.ts'
import { queryServer, type Store, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { turns } from '../support/until.ts'
import { tool, toolHere, toolJson, toolProcess } from './tool.ts'

const password = 'correct horse battery'
const newest = migrations.length
const [, postgres] = stores as [Store, Store]

const folderFor = () => {
  const folder = testFolder()
  return folder
}
const everythingIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).map((entry) => {
    const file = join(entry.parentPath, entry.name)
    return [file, statSync(file).mtimeMs, entry.isFile() ? readFileSync(file).toString('base64') : '']
  })

describe('db status', () => {
  it('creates nothing if there is no database, and says so', async () => {
    const path = folderFor()
    const { code, stdout } = await tool({ DATA_DIR: join(path, 'nowhere') }, ['db', 'status'])
    assert.equal(code, 0)
    assert.match(stdout, /missing; db migrate or the next start of the service creates it/)
    assert.equal((await toolJson({ DATA_DIR: path }, ['db', 'status'])).state, 'missing')
    assert.deepEqual(readdirSync(path), [])
  })

  it('changes nothing in or beside an idle database', async () => {
    const path = folderFor()
    await toolJson({ DATA_DIR: path }, ['owner', 'create', 'olivia'], password)
    const before = everythingIn(path)
    assert.deepEqual(await toolJson({ DATA_DIR: path }, ['db', 'status']), {
      database: 'SQLite',
      where: join(path, 'menagerie.db'),
      state: 'ready',
      schemaVersion: { program: newest, database: newest },
      users: 1,
      owners: 1,
      banned: 0,
      integrity: 'ok',
    })
    assert.deepEqual(everythingIn(path), before)
  })

  it('sees the latest writes of the running service, and creates no file', async () => {
    const service = await startService()
    try {
      await service.register('alice')
      const path = service.env.DATA_DIR ?? ''
      const before = readdirSync(path).sort()
      assert.equal((await toolJson(service.env, ['db', 'status'])).users, 1)
      assert.deepEqual(readdirSync(path).sort(), before)
    } finally {
      await service.close()
    }
  })

  it('reports an older schema, which only db migrate and a start migrate', async () => {
    const path = folderFor()
    await toolJson({ DATA_DIR: path }, ['db', 'migrate'])
    change(path, 'PRAGMA user_version = 0')
    const before = everythingIn(path)
    assert.equal((await toolJson({ DATA_DIR: path }, ['db', 'status'])).state, 'older')
    const { code, stderr } = await tool({ DATA_DIR: path }, ['user', 'create', 'alice'], password)
    assert.equal(code, 1)
    assert.match(stderr, /is older than this program; .*db migrate/)
    assert.deepEqual(everythingIn(path), before)
  })

  const unusable: [string, string, RegExp, (path: string) => void][] = [
    ['a newer schema', 'newer', /newer than this program/, (path) => change(path, 'PRAGMA user_version = 99')],
    ['a foreign file', 'foreign', /not a Menagerie database/, (path) => change(path, 'PRAGMA application_id = 7')],
    [
      'a file that is no database',
      'damaged',
      /damaged/,
      (path) => writeFileSync(join(path, 'menagerie.db'), 'x'.repeat(9000)),
    ],
    ['a damaged page', 'damaged', /damaged/, damage],
  ]
  for (const [what, state, said, spoil] of unusable) {
    it(`${what} is exit code 1 for every command, and nothing is overwritten`, async () => {
      const path = folderFor()
      await toolJson({ DATA_DIR: path }, ['user', 'create', 'alice'], password)
      spoil(path)
      const before = everythingIn(path)
      const { code, stdout, stderr } = await tool({ DATA_DIR: path }, ['db', 'status', '--json'])
      assert.equal(code, 1)
      assert.equal(JSON.parse(stdout).state, state)
      assert.match(JSON.parse(stderr).error, said)
      for (const args of [
        ['db', 'migrate'],
        ['user', 'list'],
        ['user', 'create', 'bob'],
      ])
        assert.equal((await toolHere({ DATA_DIR: path }, args, password)).code, 1)
      assert.deepEqual(everythingIn(path), before)
    })
  }
})

describe('db migrate', () => {
  it('creates the database once, and says so', async () => {
    const env = { DATA_DIR: join(folderFor(), 'data') }
    const first = await toolJson(env, ['db', 'migrate'])
    assert.deepEqual([first.changed, first.from, first.to], [true, 0, newest])
    const second = await toolJson(env, ['db', 'migrate', '--yes'])
    assert.deepEqual([second.changed, second.from, second.to], [false, newest, newest])
  })

  itInFull('succeeds several times in parallel', async () => {
    const env = { DATA_DIR: folderFor() }
    const codes = await Promise.all(
      someOf(2, [1, 2, 3]).map(async () => (await toolProcess(env, ['db', 'migrate'])).code),
    )
    assert.deepEqual([...new Set(codes)], [0])
  })

  it('reading accounts creates no database', async () => {
    const path = folderFor()
    for (const args of [['list'], ['show', 'alice'], ['ban', 'alice', '--yes']]) {
      const { code, stderr } = await tool({ DATA_DIR: path }, ['user', ...args])
      assert.equal(code, 1)
      assert.match(stderr, /no database yet.*DATA_DIR/)
    }
    assert.deepEqual(readdirSync(path), [])
  })
})

describe('db status on PostgreSQL', { skip: postgres.skip }, () => {
  it('creates no table, and never shows the password', async () => {
    const place = await postgres.make()
    const url = new URL(place.env.DATABASE_URL ?? '')
    url.password = 'hunter2-secret'
    try {
      const status = await tool({ DATABASE_URL: url.href }, ['db', 'status', '--json'])
      assert.doesNotMatch(status.stdout + status.stderr, /hunter2/)
      assert.equal(JSON.parse(status.stdout).state, 'empty')
      assert.equal(await tablesIn(place.env.DATABASE_URL ?? ''), 0)
    } finally {
      await place.drop()
    }
  })

  it('shows versions and counts, and reports a missing database', async () => {
    const place = await postgres.make()
    const url = new URL(place.env.DATABASE_URL ?? '')
    const env = { DATABASE_URL: url.href }
    try {
      assert.equal((await toolJson(env, ['db', 'migrate'])).changed, true)
      await toolJson(env, ['owner', 'create', 'olivia'], password)
      const { database, state, schemaVersion, users, owners, integrity } = await toolJson(env, ['db', 'status'])
      assert.deepEqual(
        { database, state, users, owners, integrity },
        { database: 'PostgreSQL', state: 'ready', users: 1, owners: 1, integrity: null },
      )
      assert.deepEqual(schemaVersion, { program: newest, database: newest })
      url.pathname = '/menagerie_no_such_database'
      const { code, stdout } = await tool({ DATABASE_URL: url.href }, ['db', 'status', '--json'])
      assert.equal(code, 1)
      assert.equal(JSON.parse(stdout).state, 'missing')
    } finally {
      await place.drop()
    }
  })

  it('names the database that is used if the URL names none', async () => {
    const url = new URL((await postgres.make()).env.DATABASE_URL ?? '')
    url.pathname = ''
    // The server says so, whether it exists or not.
    const used = await queryServer('SELECT current_database() AS used', url.href).then(
      ([row]) => row?.used,
      ({ message }: Error) => /^database "(.+)" does not exist$/.exec(message)?.[1],
    )
    const { stdout } = await tool({ DATABASE_URL: url.href }, ['db', 'status'])
    assert.ok(stdout.includes(`PostgreSQL, ${used} on ${url.host}\n`), stdout)
  })
})

describe('an unavailable database', () => {
  it('is exit code 1, with the reason and without the password', async () => {
    const { code, stdout, stderr } = await tool({ DATABASE_URL: 'postgres://app:hunter2@127.0.0.1:1/app' }, [
      'user',
      'list',
    ])
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.match(
      stderr,
      /^DATABASE_URL: database is not reachable: connect ECONNREFUSED .*; check that it is running\n$/,
    )
    assert.doesNotMatch(stderr, /hunter2/)
  })

  it('is retried for seconds while it is locked', async () => {
    const env = { DATA_DIR: folderFor() }
    await toolJson(env, ['user', 'create', 'alice'], password)
    const db = new DatabaseSync(join(env.DATA_DIR, 'menagerie.db'))
    db.exec('BEGIN IMMEDIATE')
    const banning = toolHere(env, ['user', 'ban', 'alice', '--yes'])
    await turns(500)
    db.exec('COMMIT')
    db.close()
    assert.equal((await banning).code, 0)
  })
})

function change(path: string, sql: string): void {
  const db = new DatabaseSync(join(path, 'menagerie.db'))
  db.exec(sql)
  db.close()
}

/** Everything after the first page, which holds the schema. */
function damage(path: string): void {
  const file = join(path, 'menagerie.db')
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0x5a, 4096))
}

async function tablesIn(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query("SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'")
  await client.end()
  return Number(rows[0].n)
}
