import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/drivers/accounts/postgres.ts'
import { openFolderStore } from '../../src/drivers/objects/folder/folder.ts'
import { atEnd } from '../support/at-end.ts'
import { md5Of, objectStores, putInto } from '../support/object-stores.ts'
import { pgbouncerSkip, startPgbouncer } from '../support/pgbouncer.ts'
import { itInFull } from '../support/size.ts'
import { spawn } from '../support/spawn.ts'
import { queryServer, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { contentsOf, filledFolder, tracesOf } from './move-stage.ts'
import { picture } from './pictures.ts'
import { toolHere, toolJson } from './tool.ts'

const binary = join(import.meta.dirname, '../../src/bin/cli.ts')

async function objectsIn(dataDir: string, bucket = 'images') {
  const store = await openFolderStore({ dataDir })
  const pages = await Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false }))
  const each = pages.flat().map(async ({ name, etag, size }) => {
    return { name, etag, size, type: (await store.head({ bucket, name }))?.type }
  })
  return (await Promise.all(each)).sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function folderWithBucket(bucket: string): Promise<string> {
  const dataDir = testFolder()
  const store = await openFolderStore({ dataDir })
  await store.createBucket(bucket)
  await putInto(store, bucket)('fox/a.png', picture('png', 'a'))
  await store.close()
  return dataDir
}

async function isRefused(env: Record<string, string>, args: readonly string[], reason: RegExp, code = 1) {
  const ran = await toolHere(env, ['move', ...args])
  assert.equal(ran.code, code, ran.stdout + ran.stderr)
  assert.match(ran.stderr, reason)
  assert.match(ran.stderr, /^[^\n]+\n$/)
}

for (const store of stores) {
  for (const objects of objectStores.slice(0, store.name === 'SQLite' ? 1 : 2)) {
    const skip = store.skip || objects.skip
    describe(`A move to ${store.name} with ${objects.name}, and back`, { skip }, () => {
      it('copies every row of every table, every object and the secret, and leaves the source as it was', async () => {
        const source = await filledFolder()
        const before = tracesOf(source)
        const { env: place } = await objects.make()
        // It does not have to be there.
        const here = join(testFolder(), 'a', 'data')
        const env: Record<string, string> = { ...place, ...(await store.make()).env, DATA_DIR: here }
        const up = await toolJson(env, ['move', '--from', source, '--to', 'env'])
        assert.equal(up.secret.areTokensKept, true)
        const back = join(testFolder(), 'data')
        // Without other stores, env is only a target.
        const isInFolder = !env.DATABASE_URL && !env.S3_ENDPOINT
        const down = isInFolder ? { ...env, DATA_DIR: back } : env
        const route = isInFolder ? ([here, 'env'] as const) : (['env', back] as const)
        await toolJson(down, ['move', '--from', route[0], '--to', route[1]])
        assert.deepEqual(contentsOf(back), contentsOf(source))
        assert.deepEqual(await objectsIn(back, place.S3_BUCKET), await objectsIn(source))
        assert.deepEqual(readFileSync(join(back, 'jwt-secret')), readFileSync(join(source, 'jwt-secret')))
        assert.deepEqual(tracesOf(source), before)
        for (const [settings, from, to] of [[env, source, 'env'] as const, [down, ...route] as const]) {
          const again = await toolHere(settings, ['move', '--from', from, '--to', to])
          assert.equal(again.code, 0, again.stderr)
          assert.match(again.stdout, /^An earlier move was already complete/)
        }
        assert.deepEqual(contentsOf(back), contentsOf(source))
        if (place.S3_ENDPOINT)
          await isRefused(
            { ...env, S3_BUCKET: place.S3_BUCKET as string },
            ['--from', 'env', '--to', await folderWithBucket('other')],
            /already has images, in the bucket other; choose a new folder\.$/m,
          )
        const foreign = await filledFolder()
        const change = new DatabaseSync(join(foreign, 'menagerie.db'))
        change.exec("UPDATE audit SET action = 'changed'; PRAGMA journal_mode = DELETE")
        change.close()
        await isRefused(
          env,
          ['--from', foreign, '--to', 'env'],
          /is not empty, and differs from .*menagerie\.db: its acc/,
        )
      })
    })
  }
}

const [, postgres] = stores
const [, s3] = objectStores

describe('A move to PostgreSQL', { skip: postgres?.skip }, () => {
  const make = async () => {
    const { env } = (await postgres?.make()) ?? assert.fail()
    return { env, url: env.DATABASE_URL ?? '', source: await filledFolder() }
  }
  const run = (env: Record<string, string>, source: string) => toolHere(env, ['move', '--from', source, '--to', 'env'])

  it('covers every table: those of the migrations, and that of the version', async () => {
    const { env, url, source } = await make()
    const { databases } = await toolJson(env, ['move', '--from', source, '--to', 'env'])
    const moved = databases.flatMap(({ tables }: { tables: object }) => Object.keys(tables))
    const there = await queryServer(
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
      url,
    )
    assert.deepEqual(
      [...moved, 'probe', 'schema_version', 'schema_readers', 'status_readers'].sort(),
      there.map((each) => each.table_name).sort(),
    )
    // New rows are numbered after those that were copied.
    const [next] = await queryServer(
      `INSERT INTO status_incidents (id, component_id, started_at, detected_at, last_reported_status)
        VALUES ('new', 'c', 1, 1, 'outage') RETURNING number = (SELECT max(number) + 1 FROM status_incidents) AS is_next`,
      url,
    )
    assert.equal(next?.is_next, true)
  })

  it('continues after a kill -9, also if the source has changed since; until then no service opens the target', async () => {
    const { env, url, source } = await make()
    await (await openPostgres(url)).close()
    const client = new pg.Client({ connectionString: url })
    atEnd(() => client.end())
    await client.connect()
    await client.query('BEGIN; LOCK TABLE audit IN SHARE MODE')
    const child = spawn(process.execPath, [binary, 'move', '--from', source, '--to', 'env'], { env, stdio: 'ignore' })
    const waits = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    await until(async () => (await queryServer(waits, url)).length > 0, 'the move to reach the audit')
    child.kill('SIGKILL')
    await once(child, 'exit')
    await client.query('COMMIT')
    await until(async () => (await queryServer(waits, url)).length === 0, 'the end of its session')
    const versionsOf = async () =>
      (await queryServer('SELECT id, xmin::text FROM users ORDER BY id', url)).map(Object.values)
    const copied = await versionsOf()
    assert.equal(copied.length, 2_100)
    await assert.rejects(openPostgres(url), /is the target of an unfinished move; run the same cli move again/)
    const status = await toolHere(env, ['db', 'status'])
    assert.deepEqual([status.code, /target of an unfinished move/.test(status.stdout)], [1, true])
    const shift = (versions: number) => queryServer(`UPDATE schema_version SET version = version + ${versions}`, url)
    await shift(-1)
    await isRefused(
      env,
      ['--from', source, '--to', 'env'],
      /by a program of schema version \d+, and .* empty it, and run/,
    )
    await shift(1)

    const change = new DatabaseSync(join(source, 'menagerie.db'))
    change.exec("DELETE FROM usage WHERE rowid % 2; UPDATE audit SET action = 'changed'; PRAGMA journal_mode = DELETE")
    change.close()
    const ran = await run(env, source)
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(await versionsOf(), copied, 'the accounts were not copied again')
    const back = join(testFolder(), 'data')
    await toolJson(env, ['move', '--from', 'env', '--to', back])
    assert.deepEqual(contentsOf(back), contentsOf(source))
  })

  it('refuses while a service, a worker or another move uses it, and continues after a lost connection', async () => {
    const { env, url, source } = await make()
    const service = await openPostgres(url)
    await service.ping()
    await isRefused(env, ['--from', source, '--to', 'env'], /^DATABASE_URL: .* is in use; stop the service first/)
    await service.close()
    const client = new pg.Client({ connectionString: url })
    atEnd(() => client.end())
    await client.connect()
    for (const lock of [6_177_105, 6_177_106]) {
      await client.query(`SELECT pg_advisory_lock(${lock})`)
      await isRefused(env, ['--from', source, '--to', 'env'], /is in use by another move, or by a status worker/)
      await client.query(`SELECT pg_advisory_unlock(${lock})`)
    }
    await client.query('BEGIN; LOCK TABLE audit IN SHARE MODE')
    const moving = run(env, source)
    const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    await until(async () => (await queryServer(ended, url)).length > 0, 'the move to reach the audit')
    const { code, stderr } = await moving
    assert.deepEqual([code, stderr.split('\n').length], [1, 2])
    assert.match(stderr, /^DATABASE_URL: terminating connection.*The move is not finished: run the same command again/)
    await client.query('COMMIT')
    assert.equal((await run(env, source)).code, 0)
  })
})

describe('A move through PgBouncer', { skip: pgbouncerSkip }, () => {
  it('is refused: no lock of its session would hold', async () => {
    const { env } = (await postgres?.make()) ?? assert.fail()
    const { url } = await startPgbouncer(env.DATABASE_URL ?? '')
    const args = ['--from', await filledFolder(), '--to', 'env']
    await isRefused({ ...env, DATABASE_URL: url }, args, /^DATABASE_URL: this is a connection pooler \(PgBouncer\)/)
  })
})

describe('A move to an S3 server', { skip: s3?.skip }, () => {
  it('refuses a bucket with any other object, and continues with those that are there', async () => {
    const { store, bucket, env } = (await s3?.make()) ?? assert.fail()
    const source = await filledFolder()
    const args = ['--from', source, '--to', 'env']
    const folder = { ...env, DATA_DIR: join(testFolder(), 'data') }
    const put = putInto(store, bucket)
    await put('fox/a.png', picture('png', 'a'))
    await put('fox/b.png', picture('png', 'another'))
    await isRefused(folder, args, /1 object failed, first .*fox\/b.png: the source has no such object, or another one/)
    assert.equal(await store.head({ bucket, name: 'notes/read.me' }), null)
    await put('fox/b.png', picture('png', 'b'))
    await put('fox/c.png', picture('png', 'c'))
    await isRefused(folder, args, /fox\/c.png: the source has no such object/)
    await store.remove({ bucket, name: 'fox/c.png' })
    const { images } = await toolJson(folder, ['move', ...args])
    assert.equal(images.objects, 4)
    const head = await store.head({ bucket, name: 'fox/deep/ä b+c.svg' })
    assert.deepEqual([head?.type, head?.etag], ['image/svg+xml', md5Of(Buffer.from('<svg/>'))])
  })
})

describe('A move', () => {
  it('refuses wrong arguments, folders that are missing or in use, and what is not its own', async () => {
    const source = await filledFolder()
    const env = { DATA_DIR: source }
    const into = testFolder()
    for (const args of [[], ['--to'], ['--to', into], ['--to', 'env', '--from', 'env'], ['--to', '', '--from', 'env']])
      await isRefused(env, args, /--to/, 2)
    await isRefused(env, ['--to', 'env'], /^Nothing to move \(accounts, in menagerie.db of .* before and after;/)
    await isRefused(env, ['--from', join(into, 'none'), '--to', 'env'], /none: no such folder/)
    const lone =
      /^Nothing to move \(everything is in .*\)\. Check DATABASE_URL, STATUS_DATABASE_URL and S3_ENDPOINT\.\n$/
    await isRefused(env, ['--from', 'env', '--to', join(into, 'back')], lone)
    const away = { ...env, S3_ENDPOINT: 'http://127.0.0.1:9', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 's' }
    await isRefused(away, ['--from', 'env', '--to', join(source, 'in')], /are inside one another/)
    writeFileSync(join(into, 'file'), '')
    await isRefused(away, ['--from', 'env', '--to', join(into, 'file')], /file/)
    writeFileSync(join(into, 'menagerie.db'), 'some other file, long enough to be read as the header of a database')
    await isRefused(away, ['--from', 'env', '--to', into], /menagerie.db cannot be used: file is not a database/)
    const user = spawn('sleep', ['100'], {
      stdio: [(await import('node:fs')).openSync(join(source, 'status.db'), 'r'), 'ignore', 'ignore'],
    })
    await isRefused(
      away,
      ['--from', 'env', '--to', join(into, 'new')],
      new RegExp(`is in use by process ${user.pid}; stop the service`),
    )
    user.kill('SIGKILL')
    assert.deepEqual(readdirSync(into).sort(), ['file', 'menagerie.db'])
  })

  itInFull('says whether tokens end, and by which secret', async () => {
    const own = 's'.repeat(43)
    const cases: [string | null, string | null, boolean | null, RegExp][] = [
      [own, own, true, /^Tokens and embed links stay valid: JWT_SECRET has the same secret\.$/],
      [
        own,
        'x'.repeat(32),
        false,
        /^All tokens and embed links end: JWT_SECRET is another secret than .*jwt-secret\. To keep/,
      ],
      [own, null, true, /^Tokens and embed links stay valid: .*jwt-secret has the same secret\.$/],
      [null, own, null, /tokens stay valid if the service ran with this JWT_SECRET before/],
      [null, null, false, /the next start generates .*jwt-secret, and earlier tokens and embed links end/],
    ]
    for (const [file, setting, kept, text] of cases) {
      const source = testFolder()
      await toolJson({ DATA_DIR: source }, ['user', 'create', 'alice'], 'correct horse battery')
      if (file !== null) writeFileSync(join(source, 'jwt-secret'), file, { mode: 0o600 })
      const env = { DATA_DIR: join(testFolder(), 'data'), ...(setting !== null && { JWT_SECRET: setting }) }
      const { secret } = await toolJson(env, ['move', '--from', source, '--to', 'env'])
      assert.equal(secret.areTokensKept, kept)
      assert.match(secret.text, text)
    }
  })

  itInFull('reads what a killed service has left in its log', async () => {
    const source = await filledFolder()
    const killed = testFolder()
    const db = new DatabaseSync(join(source, 'menagerie.db'))
    db.exec("PRAGMA wal_autocheckpoint = 0; UPDATE users SET username = 'late' WHERE id = (SELECT min(id) FROM users)")
    for (const end of ['', '-wal', '-shm'])
      writeFileSync(join(killed, `menagerie.db${end}`), readFileSync(join(source, `menagerie.db${end}`)))
    db.close()
    mkdirSync(join(killed, 'objects'))
    const to = join(testFolder(), 'data')
    const before = readFileSync(join(killed, 'menagerie.db'))
    await toolJson({ DATA_DIR: to }, ['move', '--from', killed, '--to', 'env'])
    assert.deepEqual(readFileSync(join(killed, 'menagerie.db')), before)
    const { stdout } = await toolHere({ DATA_DIR: to }, ['user', 'show', 'late'])
    assert.match(stdout, /late/)
  })
})
