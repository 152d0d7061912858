import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openWorker, until } from '../status/worker-stage.ts'
import { type Store, stores } from '../support/stores.ts'

const timeout = 60_000
const [sqlite] = stores as [Store]

async function stage(t: TestContext) {
  const place = await sqlite.make()
  // The deadline check runs once an hour, so only ticks and requests can notice.
  const worker = await openWorker({ place, env: { STATUS_CHECK_INTERVAL_SECONDS: '3600' } })
  t.after(async () => {
    await worker.close()
    await place.drop()
  })
  await worker.beat('a', 'degraded')
  const path = join(place.env.DATA_DIR ?? '', 'status.db')
  const said = () => worker.logged().filter(({ msg }) => /status\.(db|lock)/.test(String(msg)))
  return { worker, path, said, texts: () => said().map(({ msg }) => String(msg)) }
}

describe('A status worker whose status.db is removed or moved away', () => {
  it('logs it once within a tick and refuses heartbeats; it creates no new file, and continues when the file is back', {
    timeout,
  }, async (t) => {
    const { worker, path, said, texts } = await stage(t)
    const away = `${path}.away`
    renameSync(path, away)
    await until(() => said().length > 0)
    assert.match(
      texts()[0] ?? '',
      /status\.db was removed or moved away: .* 503 until it is back\. .*restart the status worker/,
    )
    assert.equal(said()[0]?.level, 'error')
    for (const status of ['degraded', 'outage', 'degraded']) assert.equal((await worker.beat('a', status)).status, 503)
    assert.equal((await worker.beat('new')).status, 503)
    assert.equal((await worker.ask('GET', '/health/a')).status, 503)
    assert.match((await worker.ask('GET', '/metrics')).text, /^menagerie_status_active 0$/m)
    assert.deepEqual([said().length, existsSync(path)], [1, false])

    renameSync(away, path)
    assert.equal((await worker.beat('a', 'outage')).status, 200)
    assert.deepEqual([said().length, said()[1]?.level], [2, 'info'])
    const { transitions } = (await worker.ask('GET', '/history/a')).body
    assert.deepEqual(
      transitions.map(({ to }: { to: string }) => to),
      ['outage', 'degraded'],
    )
  })

  it('refuses heartbeats even before the tick', { timeout }, async (t) => {
    const { worker, path } = await stage(t)
    rmSync(path)
    assert.equal((await worker.beat('a', 'outage')).status, 503)
  })

  it('logs one line if the whole folder is missing, and continues when it is back', { timeout }, async (t) => {
    const { worker, path, texts } = await stage(t)
    const folder = dirname(path)
    renameSync(folder, `${folder}.away`)
    mkdirSync(folder)
    assert.equal((await worker.beat('a', 'outage')).status, 503)
    assert.equal(texts().length, 1)
    rmSync(folder, { recursive: true })
    renameSync(`${folder}.away`, folder)
    assert.equal((await worker.beat('a', 'outage')).status, 200)
    assert.match(texts()[1] ?? '', /is back/)
    assert.equal(texts().length, 2)
  })

  for (const suffix of ['-wal', '-shm'])
    it(`refuses heartbeats without its status.db${suffix}, so that no acknowledged one is lost`, {
      timeout,
    }, async (t) => {
      const { worker, path, texts } = await stage(t)
      rmSync(path + suffix)
      assert.equal((await worker.beat('a', 'outage')).status, 503)
      assert.match(texts()[0] ?? '', new RegExp(`status\\.db${suffix} was removed`))
      assert.equal(texts().length, 1)
    })
})

describe('A status worker whose files are replaced', () => {
  for (const name of ['status.db', 'status.lock'])
    it(`refuses heartbeats and logs that it must be restarted: ${name}`, { timeout }, async (t) => {
      const { worker, path, texts } = await stage(t)
      const file = path.replace('status.db', name)
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
      await until(() => texts().length > 0)
      assert.match(
        texts()[0] ?? '',
        new RegExp(`${name} was replaced .* 503\\. Stop the status worker, .* start it again`),
      )
      assert.deepEqual([(await worker.beat('a')).status, texts().length], [503, 1])
    })
})
