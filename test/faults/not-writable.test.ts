import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Running } from '../bin/processes.ts'
import { highLimits } from '../support/limits.ts'
import { mounted, noMounts } from '../support/own-mounts.ts'
import { send } from '../support/send.ts'
import { startService } from '../support/service.ts'
import { administer, type Store, stores } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'

let names = 0
const register = (url: string) =>
  fetch(`${url}/auth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: `somebody-${names++}`, password: 'correct horse battery' }),
  })

async function ready(url: string) {
  const answer = await fetch(`${url}/ready`)
  return { status: answer.status, body: (await answer.json()) as { message: string; checks: Record<string, string> } }
}

const away = { status: 503, message: 'Database is not available', checks: { database: 'down', objectStore: 'up' } }

describe('An API that cannot write', { concurrency: true }, () => {
  it('is not ready while its disk is full, and is ready when there is space', {
    skip: process.platform !== 'linux' && 'prlimit is of Linux',
  }, async () => {
    const running = await Running.listening('api', { env: highLimits })
    const { url, child } = running
    await until(async () => (await ready(url)).status === 200)
    assert.equal((await register(url)).status, 201)

    // No file of this process may grow, which SQLite reports as a full disk.
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=1:'])
    const refused = await register(url)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    const without = { ...away, checks: { database: 'down', objectStore: 'degraded' } }
    await until(async () => isDeepStrictEqual((await ready(url)).body, without))
    assert.equal((await ready(url)).status, 503)
    assert.equal((await fetch(`${url}/health`)).status, 200)

    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited:'])
    await until(async () => (await ready(url)).status === 200)
    assert.equal((await register(url)).status, 201)
    await running.said(/"part":"objectStore","msg":"a dependency is available again"/)
    const outages = running.out.split('\n').filter((line) => line.includes('"msg":"a dependency is '))
    assert.equal(outages.length, 4, running.out)
  })

  it('takes no upload and no delete while menagerie.db is moved away, and has the event of each that it took', async () => {
    const dataDir = testFolder()
    const owner = { username: 'keeper', password: 'correct horse battery' }
    const env = { ...highLimits, DATA_DIR: dataDir, OWNER_USERNAME: owner.username, OWNER_PASSWORD: owner.password }
    const events = async (url: string, token: string) => {
      const reply = await send('GET', `${url}/admin/audit?action=upload&outcome=success`, {
        headers: { Authorization: token },
      })
      return reply.status === 200 ? reply.body.events.length : reply.status
    }
    const signedIn = async (url: string) => (await send('POST', `${url}/auth/login`, { body: owner })).body.accessToken
    const path = join(dataDir, 'menagerie.db')
    const first = await Running.listening('api', { env })
    const token = await signedIn(first.url)
    renameSync(path, `${path}.away`)
    const upload = () =>
      fetch(`${first.url}/admin/s3/upload?bucketName=images&objectName=fox/a.png`, {
        method: 'POST',
        headers: { Authorization: token, 'Content-Type': 'image/png' },
        body: 'an image',
      })
    assert.equal((await upload()).status, 503)
    renameSync(`${path}.away`, path)
    assert.equal((await fetch(`${first.url}/i/fox/a.png`)).status, 404)
    assert.equal((await upload()).status, 200)
    renameSync(path, `${path}.away`)
    const body = { bucketName: 'images', objectName: 'fox/a.png' }
    const refused = await send('DELETE', `${first.url}/admin/s3/delete`, { headers: { Authorization: token }, body })
    assert.equal(refused.status, 503)
    assert.equal((await fetch(`${first.url}/i/fox/a.png`)).status, 200)
    renameSync(`${path}.away`, path)
    assert.equal(await events(first.url, token), 1)
    first.child.kill('SIGTERM')
    assert.deepEqual(await first.ended, { code: 0, signal: null })
    const second = await Running.listening('api', { env })
    assert.equal(await events(second.url, await signedIn(second.url)), 1)
  })

  it('accepts no account while menagerie.db is moved away, serves images meanwhile, and loses nothing once it is back', async () => {
    const dataDir = testFolder()
    mkdirSync(join(dataDir, 'objects', 'images', 'fox'), { recursive: true })
    writeFileSync(join(dataDir, 'objects', 'images', 'fox', 'a.png'), 'an image')
    const running = await Running.listening('api', { env: { ...highLimits, DATA_DIR: dataDir } })
    const { url } = running
    await until(async () => (await ready(url)).status === 200)
    const path = join(dataDir, 'menagerie.db')
    renameSync(path, `${path}.away`)
    for (const _ of ['missing', 'replaced']) {
      const refused = await register(url)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
      await until(async () => (await ready(url)).status === 503)
      assert.equal((await fetch(`${url}/i/fox/a.png`)).status, 200)
      writeFileSync(path, '')
    }
    renameSync(`${path}.away`, path)
    assert.equal((await register(url)).status, 201)
    await until(async () => (await ready(url)).status === 200)
  })

  it('is ready, with its object store degraded, while only the disk of the objects is full', {
    skip: noMounts(),
  }, async () => {
    const dataDir = testFolder()
    const objects = join(dataDir, 'objects')
    mkdirSync(objects)
    const program = join(import.meta.dirname, '../../src/bin/api.ts')
    const { url, child } = await Running.listening('api', {
      dataDir,
      command: [...mounted('mount -t tmpfs -o size=64k tmpfs "$DATA_DIR/objects"'), process.execPath, program],
    })
    const isStore = (state: string) =>
      until(async () =>
        isDeepStrictEqual(await ready(url), {
          status: 200,
          body: { status: 200, message: 'Ready', checks: { database: 'up', objectStore: state } },
        }),
      )
    await isStore('up')
    const filler = `/proc/${child.pid}/root${objects}/filler`
    assert.throws(() => writeFileSync(filler, Buffer.alloc(65_537)), { code: 'ENOSPC' })
    await isStore('degraded')
    rmSync(filler)
    await isStore('up')
  })

  const { skip, make } = stores.find(({ name }) => name === 'PostgreSQL') as Store
  it('is not ready while PostgreSQL is read-only, and is ready when it is writable', { skip }, async () => {
    const place = await make()
    const service = await startService({ place })
    const database = new URL(place.env.DATABASE_URL ?? '').pathname.slice(1)
    const become = (value: 'on' | 'off') =>
      administer(
        `ALTER DATABASE ${database} SET default_transaction_read_only = ${value};
         SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`,
      )
    assert.equal((await ready(service.url)).status, 200)

    await become('on')
    await until(async () => (await ready(service.url)).status === 503)
    assert.deepEqual((await ready(service.url)).body, away)
    const refused = await register(service.url)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])

    await become('off')
    await until(async () => (await ready(service.url)).status === 200)
    assert.equal((await register(service.url)).status, 201)
  })

  it('is not ready while PostgreSQL has no disk for new pages, though the row of the probe still fits', {
    skip,
  }, async () => {
    const place = await make()
    const service = await startService({ place })
    const url = place.env.DATABASE_URL ?? ''
    const full = "BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END"
    await administer(
      `CREATE FUNCTION no_page() RETURNS trigger LANGUAGE plpgsql AS $$ ${full} $$;
       CREATE FUNCTION no_file() RETURNS event_trigger LANGUAGE plpgsql AS $$ ${full} $$;
       CREATE TRIGGER no_page BEFORE INSERT ON users EXECUTE FUNCTION no_page();
       CREATE EVENT TRIGGER no_file ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION no_file()`,
      url,
    )
    assert.equal((await register(service.url)).status, 503)
    await until(async () => (await ready(service.url)).status === 503)
    assert.deepEqual((await ready(service.url)).body, away)

    await administer('DROP EVENT TRIGGER no_file; DROP TRIGGER no_page ON users', url)
    await until(async () => (await ready(service.url)).status === 200)
    assert.equal((await register(service.url)).status, 201)
  })
})
