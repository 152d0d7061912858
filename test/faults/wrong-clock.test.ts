import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { fakedClock, noFakedClock } from '../support/faked-clock.ts'
import { end, start } from '../support/killed-service.ts'
import { kill, start as startWorker } from '../support/killed-worker.ts'
import { clientOf } from '../support/owner-client.ts'
import { testFolder } from '../support/test-folder.ts'
import { atLeast, until } from '../support/until.ts'

const steps = ['+1h', '-1h', '+1d', '-1d', '+0']
const hoursOff = (terms: string) => Number.parseInt(terms, 10) * (terms.endsWith('d') ? 24 : 1)

describe('The clock of a running service that is set by an hour or a day, either way', { skip: noFakedClock }, () => {
  it('ends no token, key or limit, and no time goes back within a record', { timeout: 120_000 }, async () => {
    const { env, step } = fakedClock()
    const limit = { RATE_LIMIT_LOGIN_NAME_MAX: '3' }
    const variables = Object.entries({ ...env, ...limit }).map((each) => each.join('='))
    const api = await start(testFolder(), ['env', ...variables])
    atEnd(() => end(api))
    const { ask, post, login, register, token: owner, image, upload } = await clientOf(api)
    const get = async (path: string, token: string) => JSON.parse((await ask('GET', path, { token })).text)
    const { user, accessToken } = JSON.parse((await register('lasting')).text)
    const { key } = JSON.parse((await post('/auth/keys', { name: 'bot', scopes: ['images'] }, accessToken)).text)
    for (let guess = 0; guess < 4; guess++) await post('/auth/login', { username: 'guessed', password: 'wrong guess' })
    const bytes = Buffer.from('the bytes')
    assert.equal((await upload('fox/a.png', bytes)).status, 200)

    let last = { token: accessToken as string, uptime: 0 }
    for (const terms of steps) {
      step(terms)
      await until(async () => {
        const { timestamp } = await get('/health', '')
        return Math.abs(Date.parse(timestamp) - Date.now() - hoursOff(terms) * 3_600_000) < 60_000
      }, `its clock is ${terms} off`)
      const { uptimeSeconds } = await get('/health', '')
      assert.ok(uptimeSeconds >= last.uptime && uptimeSeconds < 3_600, `${uptimeSeconds}`)
      for (const valid of [last.token, owner, `Bearer ${key}`])
        assert.equal((await ask('GET', '/auth/me', { token: valid })).status, 200, terms)
      const again = await login('lasting')
      assert.equal(again.status, 200, terms)
      assert.equal((await ask('GET', '/auth/me', { token: last.token })).status, 401, 'replaced')
      last = { ...last, token: JSON.parse(again.text).accessToken, uptime: uptimeSeconds }
      assert.equal((await post('/auth/login', { username: 'guessed', password: 'wrong guess' })).status, 429, terms)
      for (const act of ['ban', 'unban'])
        assert.equal((await post(`/admin/${act}`, { userId: user.id }, owner)).status, 200, `${act} at ${terms}`)
      const { createdAt, updatedAt } = (await get(`/admin/user/search?userId=${user.id}`, owner)).user
      assert.ok(updatedAt >= createdAt, `${updatedAt} is before ${createdAt}`)
      assert.ok((await image('fox/a.png')).bytes.equals(bytes))
      assert.equal((await register(`at-${steps.indexOf(terms)}`)).status, 201)
    }
    assert.equal(api.child.exitCode, null)
  })

  it('accuses no component that is heard', async () => {
    const { env, step } = fakedClock()
    const seconds = { HEARTBEAT_TIMEOUT_SECONDS: '600', STATUS_CHECK_INTERVAL_SECONDS: '1' }
    const worker = await startWorker({ ...env, ...seconds, DATA_DIR: testFolder() })
    atEnd(() => kill(worker))
    const beat = (id: string) => fetch(`${worker.url}/heartbeat/${id}/operational`, { method: 'POST' })
    const incidents = async () => {
      const body = (await (await fetch(`${worker.url}/incidents`)).json()) as { incidents: unknown[] }
      return body.incidents
    }
    for (const terms of steps) {
      step(terms)
      assert.equal((await beat('heard')).status, 200)
      // At least one check of the deadlines.
      await atLeast(1_200)
      const found = await (await fetch(`${worker.url}/health/heard`)).json()
      assert.ok((found as { secondsSinceLastHeartbeat: number }).secondsSinceLastHeartbeat >= 0)
      assert.deepEqual(await incidents(), [], terms)
    }
  })
})
