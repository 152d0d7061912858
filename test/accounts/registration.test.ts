import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { answerOf } from '../support/people.ts'
import { password, startService } from '../support/service.ts'

const closed = [403, { error: 'Registration is closed' }]

describe('REGISTRATION=closed', () => {
  it('refuses before any field is validated, but after the limits, and leaves no event', async () => {
    const service = await startService({
      env: {
        REGISTRATION: 'closed',
        RATE_LIMIT_REGISTER_MAX: '10',
        RATE_LIMIT_REGISTER_SLOW_STEP_MS: '0',
        OWNER_USERNAME: 'keeper',
        OWNER_PASSWORD: password,
      },
      overrides: { clock: fakeClock() },
    })
    const bodies = [{ username: 'alice', password }, {}, '{', '[]', undefined, { username: 'keeper', password }]
    for (const body of [...bodies, 'x'.repeat(20_000), { username: '!' }]) {
      const reply = await service.request('POST', '/auth/register', { body })
      assert.deepEqual(answerOf(reply), closed)
      assert.equal(reply.headers.get('x-ratelimit-limit'), '10')
    }
    const form = { body: 'username=alice', headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    assert.deepEqual(answerOf(await service.request('POST', '/auth/register', form)), closed)
    await service.request('POST', '/auth/register', { body: {} })
    assert.equal((await service.request('POST', '/auth/register', { body: {} })).status, 429)

    const { body } = await service.login('keeper')
    const token = body.accessToken
    const { events } = (await service.request('GET', '/admin/audit?action=register', { token })).body
    assert.deepEqual(events, [])
    const created = await service.request('POST', '/admin/user/create', {
      token,
      body: { username: 'al', role: 'user' },
    })
    assert.equal(created.status, 400)
    const made = await service.request('POST', '/admin/user/create', { token, body: { username: 'ali', role: 'user' } })
    assert.equal((await service.login('ali', made.body.password)).status, 200)
  })
})
