import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isFullSize } from '../support/size.ts'
import { stores } from '../support/stores.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { until } from '../support/until.ts'
import { Running } from './processes.ts'

const owner = { username: 'keeper', password: 'correct horse battery' }
const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const alarms = (out: string) => out.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line))
const nobody = 'postgres://app:hunter2@127.0.0.1:1/app'

describe('The API, started while PostgreSQL is away', () => {
  it('listens, is not ready, logs that once without the password, and stops with 0', async () => {
    const env = { DATABASE_URL: nobody, JWT_SECRET: 'a secret of at least 32 characters', SAMPLE_IMAGES: 'true' }
    const running = await Running.listening('api', { env })
    await running.said(/filled the empty store/)
    const at = (path: string, init?: RequestInit) => fetch(running.url + path, init)
    assert.equal((await at('/health')).status, 200)
    const ready = await at('/ready')
    assert.equal(ready.status, 503)
    assert.equal(((await ready.json()) as { checks: { database: string } }).checks.database, 'down')
    const login = await at('/auth/login', post(owner))
    assert.deepEqual([login.status, login.headers.get('retry-after')], [503, '1'])
    // It may be a hidden one.
    assert.equal((await at('/i/fox/fox-asleep.png')).status, 404)
    running.child.kill('SIGTERM')
    await running.closed
    assert.deepEqual([(await running.ended).code, running.err], [0, ''])
    const [line = '', ...others] = alarms(running.out)
    assert.match(line, /"part":"database".*ECONNREFUSED 127.0.0.1:1.*a dependency is unavailable/)
    assert.deepEqual(others, [])
    assert.doesNotMatch(running.out, /hunter2/)
  })

  const postgres = stores.find(({ name }) => name === 'PostgreSQL')
  describe('and reached later', { skip: postgres?.skip ?? 'no PostgreSQL' }, () => {
    async function startLate(database: (url: URL) => void = () => {}) {
      const place = await postgres?.make()
      const url = new URL(place?.env.DATABASE_URL ?? '')
      const proxy = await startTcpProxy(url.href)
      proxy.be('ending')
      const late = new URL(proxy.url)
      database(late)
      const running = await Running.listening('api', {
        dataDir: place?.env.DATA_DIR ?? '',
        env: {
          DATABASE_URL: late.href,
          JWT_SECRET: 'a secret of at least 32 characters',
          SAMPLE_IMAGES: 'true',
          OWNER_USERNAME: owner.username,
          OWNER_PASSWORD: owner.password,
        },
      })
      await running.said(/a dependency is unavailable/)
      proxy.be('open')
      return running
    }

    it('migrates, creates the owner of its settings, and is ready', async () => {
      const running = await startLate()
      await until(async () => (await fetch(`${running.url}/ready`)).ok, 'the API to be ready')
      assert.equal((await fetch(`${running.url}/auth/login`, post(owner))).status, 200)
      assert.equal((await fetch(`${running.url}/i/fox/fox-asleep.png`)).status, 200)
      await running.said(/a dependency is available again/)
      assert.equal(alarms(running.out).length, 1, running.out)
    })

    it('ends with one line if what it then finds cannot be used', {
      skip: !isFullSize && 'in npm run test:all',
    }, async () => {
      const running = await startLate((url) => {
        url.pathname = '/no_such_database'
      })
      assert.equal((await running.ended).code, 1)
      await running.closed
      const [, fatal = '', ...others] = alarms(running.out)
      assert.match(
        fatal,
        /"level":"fatal".*DATABASE_URL: database \\"no_such_database\\" does not exist.*api is stopping/,
      )
      assert.deepEqual([others, running.err], [[], ''])
    })
  })
})
