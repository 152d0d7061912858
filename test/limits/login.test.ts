import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { password } from '../support/service.ts'
import { aName, clientOf, limited, places, tally, times, told, tooMany } from './stage.ts'

const keeper = { username: 'keeper', password: 'correct horse of the keeper' }

/** Only the limits of logins; the others have tests of their own. */
const loginsOnly = { RATE_LIMIT_GLOBAL_MAX: '0', RATE_LIMIT_AUTH_MAX: '0', RATE_LIMIT_REGISTER_MAX: '0' }

for (const place of places) {
  describe(`Password guessing, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place, { ...loginsOnly, OWNER_USERNAME: keeper.username, OWNER_PASSWORD: keeper.password })
    const client = () => clientOf(stage.service)
    const known = async () => {
      const username = aName()
      const { body } = await client().register(username)
      return { username, token: body.accessToken as string }
    }

    it('gets 5 answers for 100 concurrent guesses at one name from 100 addresses', async () => {
      const { username } = await known()
      const replies = await times(100, () => client().login(username, 'wrong password'))
      assert.deepEqual(tally(replies), { 401: 5, 429: 95 })
      assert.deepEqual((await client().login(username)).body, tooMany, 'the right password comes too late')
    })

    it('gets 5 answers from one address too, and refused guesses count there as well', async () => {
      const { username } = await known()
      const { login } = client()
      assert.deepEqual(tally(await times(100, () => login(username, 'wrong password'))), { 401: 5, 429: 95 })
      assert.deepEqual((await login(aName())).body, tooMany)
    })

    it('does not affect 20 concurrent correct logins, from one address or from many', async () => {
      const { username } = await known()
      const { login } = client()
      assert.deepEqual(tally(await times(20, () => login(username))), { 200: 20 })
      assert.deepEqual(tally(await times(20, () => client().login(username))), { 200: 20 })
      const last = await login(username)
      assert.deepEqual([last.status, told(last).limit, told(last).remaining], [200, '5', '5'])
    })

    it('counts by name in any spelling, and for unknown names alike', async () => {
      const { username } = await known()
      for (const name of [username, aName()]) {
        const spellings = [name, name.toUpperCase(), `N${name.slice(1)}`, name, name.toUpperCase()]
        for (const [index, spelling] of spellings.entries()) {
          const reply = await client().login(spelling, 'wrong password')
          assert.deepEqual([reply.status, told(reply).remaining], [401, String(4 - index)])
        }
        const refused = await client().login(name, 'wrong password')
        assert.deepEqual([refused.status, refused.body, told(refused).limit], [429, tooMany, '5'])
        assert.ok(Number(told(refused).retryAfter) > 800)
      }
    })

    it('gets 8 failures from one address, of any kind, including invalid bodies', async () => {
      const { ask, login } = client()
      const { username } = await known()
      const bodies = ['{', '[]', { username: 'x' }, { username: '!', password }, {}, 'null']
      for (const [index, body] of bodies.entries()) {
        const reply = await ask('POST', '/auth/login', { body })
        assert.deepEqual(
          [reply.status, told(reply).limit, told(reply).remaining],
          [400, '8', String(7 - index)],
          String(body),
        )
      }
      const wrongType = await ask('POST', '/auth/%6Cogin', {
        body: 'username=a',
        headers: { 'content-type': 'text/plain' },
      })
      assert.equal(wrongType.status, 415)
      assert.equal((await login(aName(), 'wrong password')).status, 401)
      assert.deepEqual((await login(username)).body, tooMany)
      assert.equal((await client().login(username)).status, 200, 'another address is another')
    })

    it('gets 8 answers for 40 concurrent malformed bodies from one address', async () => {
      const { ask } = client()
      assert.deepEqual(tally(await times(40, () => ask('POST', '/auth/login', { body: '{' }))), { 400: 8, 429: 32 })
    })

    it('of a user whose password an administrator resets is forgotten, though not by a dry run', async () => {
      const { username } = await known()
      const guess = () => client().login(username, 'wrong password')
      assert.deepEqual(tally(await times(6, guess)), { 401: 5, 429: 1 })
      const token = (await client().login(keeper.username, keeper.password)).body.accessToken
      const reset = (query: string) =>
        client().ask('POST', `/admin/user/reset-password${query}`, { token, body: { username } })
      assert.equal((await reset('?dryRun=true')).status, 200)
      assert.equal((await client().login(username)).status, 429)
      const { password: made } = (await reset('')).body
      const reply = await client().login(username, made)
      assert.deepEqual([reply.status, told(reply).remaining], [200, '5'])
      assert.deepEqual(tally(await times(6, guess)), { 401: 5, 429: 1 })
    })

    it('at a banned account counts, even with the correct password', async () => {
      const { username } = await known()
      const owner = await client().login(keeper.username, keeper.password)
      const token = owner.body.accessToken
      assert.equal((await client().ask('POST', '/admin/ban', { token, body: { username } })).status, 200)
      assert.deepEqual(tally(await times(7, () => client().login(username))), { 403: 5, 429: 2 })
    })

    it('at a password change counts as a failed login of that name', async () => {
      const { username, token } = await known()
      const change = (currentPassword: string, newPassword: string) =>
        client().ask('POST', '/auth/password', { token, body: { currentPassword, newPassword } })
      assert.equal((await change('wrong password', 'short')).status, 400, 'which is judged before anybody guesses')
      assert.deepEqual(tally(await times(9, () => change('wrong password', 'a new long password'))), { 401: 5, 429: 4 })
      assert.equal((await client().login(username)).status, 429)
    })

    it("at an account's own deletion counts as a failed login of that name", async () => {
      const { username, token } = await known()
      const leave = (secret: string) => client().ask('POST', '/auth/delete', { token, body: { password: secret } })
      assert.deepEqual(tally(await times(9, () => leave('wrong password'))), { 401: 5, 429: 4 })
      assert.deepEqual((await leave(password)).body, tooMany, 'the right password comes too late')
      assert.equal((await client().login(username)).status, 429)
    })

    it('keeps no reservation for clients that leave at once', async () => {
      const { username } = await known()
      const { address, login } = client()
      const body = JSON.stringify({ username, password })
      const request = `POST /auth/login HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
      await times(60, async (index) => {
        const socket = connect(stage.service.port, '127.0.0.1')
        await once(socket, 'connect')
        socket.on('error', () => {})
        if (index % 2) socket.end(request)
        else socket.write(request, () => socket.resetAndDestroy())
        if (!socket.destroyed) await once(socket.resume(), 'close')
      })
      assert.equal((await login(username)).status, 200)
      assert.deepEqual(tally(await times(8, () => login(aName(), 'wrong password'))), { 401: 8 })
    })

    it('reports to concurrent guesses what remains after all of them', async () => {
      const name = aName()
      const replies = await times(20, () => client().login(name, 'wrong password'))
      const left = replies.filter(({ status }) => status === 401).map((reply) => Number(told(reply).remaining))
      assert.deepEqual([left.length, Math.min(...left)], [5, 0])
    })

    it('is not affected by successes: after 30 correct logins 5 wrong ones are answered', async () => {
      const { username } = await known()
      for (let index = 0; index < 30; index++) assert.equal((await client().login(username)).status, 200)
      for (let index = 0; index < 5; index++) assert.equal((await client().login(username, 'wrong')).status, 401)
      assert.equal((await client().login(username, 'wrong')).status, 429)
    })
  })
}
