import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startService } from '../support/service.ts'
import { aName, clientOf, limited, ofTheContract, places, tally, times, told } from './stage.ts'

for (const place of places) {
  const exempt = aName()

  describe(`The exempt user, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place, {
      RATE_LIMIT_EXEMPT_USERNAME: exempt.toUpperCase(),
      RATE_LIMIT_GLOBAL_MAX: '5',
      RATE_LIMIT_AUTH_SLOW_STEP_MS: '0',
      OWNER_USERNAME: 'keeper',
      OWNER_PASSWORD: 'correct horse battery',
    })

    it('passes every limit with a valid token and has no limit headers; nobody else is exempt', async () => {
      const { ask, register } = clientOf(stage.service)
      const token = (await register(exempt)).body.accessToken as string
      const other = (await clientOf(stage.service).register(aName())).body.accessToken as string
      const replies = await times(40, () => ask('GET', '/images', { token }))
      assert.deepEqual(tally(replies), { 200: 40 })
      assert.ok(replies.every((reply) => told(reply).limit === null))
      assert.equal(told(await ask('GET', '/')).remaining, '3', 'of its address nothing was counted')
      assert.deepEqual(tally(await times(9, () => ask('GET', '/images', { token: other }))), { 200: 3, 429: 6 })
      for (const bad of [`${token}x`, 'Bearer x', `${token.slice(0, -4)}AAAA`])
        assert.equal((await ask('GET', '/', { token: bad })).status, 429)
      assert.equal((await ask('GET', '/images', { token })).status, 200)
      const { body } = await clientOf(stage.service).login(exempt)
      assert.equal(
        (await ask('GET', '/images', { token })).status,
        429,
        'a token that is not the newest proves nothing',
      )
      assert.equal((await ask('GET', '/images', { token: body.accessToken })).status, 200)
      assert.deepEqual(
        (await ask('GET', '/auth/me', { token: body.accessToken })).body.limits.map(
          ({ scope }: { scope: string }) => scope,
        ),
        ['login_address', 'login_name'],
      )
    })

    it('is not exempt while banned', async () => {
      const { service } = stage
      const keeper = { username: 'keeper', password: 'correct horse battery' }
      const token = (await clientOf(service).login(exempt)).body.accessToken as string
      const owner = (await clientOf(service).login(keeper.username, keeper.password)).body.accessToken as string
      const act = async (path: string) =>
        assert.equal(
          (await clientOf(service).ask('POST', path, { token: owner, body: { username: exempt } })).status,
          200,
        )
      await act('/admin/ban')
      const { ask } = clientOf(service)
      assert.deepEqual(tally(await times(20, () => ask('GET', '/images', { token }))), { 403: 5, 429: 15 })
      await act('/admin/unban')
      assert.deepEqual(tally(await times(20, () => ask('GET', '/images', { token }))), { 200: 20 })
    })

    it('is not exempt at a login, neither by the name in a body nor by a token', async () => {
      const { body } = await clientOf(stage.service).login(exempt)
      const token = body.accessToken as string
      const guess = () =>
        clientOf(stage.service).ask('POST', '/auth/login', {
          token,
          body: { username: exempt, password: 'wrong password' },
        })
      assert.deepEqual(tally(await times(20, guess)), { 401: 5, 429: 15 })
      const { ask } = clientOf(stage.service)
      const malformed = () => ask('POST', '/auth/login', { token, body: '{' })
      assert.deepEqual(tally(await times(20, malformed)), { 400: 8, 429: 12 })
    })
  })

  describe(`GET /auth/me, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place)

    it('reports what remains of each limit, for the address and for the name', async () => {
      const { ask, login, register } = clientOf(stage.service)
      const username = aName()
      await register(username)
      assert.equal((await login(username.toUpperCase(), 'wrong password')).status, 401)
      const token = (await login(username)).body.accessToken as string
      const { body } = await ask('GET', '/auth/me', { token })
      const left = body.limits.map(({ scope, limit, remaining }: Record<string, unknown>) => [scope, limit, remaining])
      assert.deepEqual(left, [
        ['global', 1000, 996],
        ['auth', 50, 46],
        ['register', 3, 2],
        ['login_address', 8, 7],
        ['login_name', 5, 4],
        ['report', 10, 10],
      ])
      for (const { scope, resetAt } of body.limits)
        assert.ok(scope === 'report' ? resetAt === null : Date.parse(resetAt) > Date.now(), scope)
      assert.deepEqual(Object.keys(body.limits[0]), ['scope', 'limit', 'remaining', 'resetAt'])
      const again = await ask('GET', '/auth/me', { token })
      assert.equal(again.body.limits[2].remaining, 2, 'looking uses nothing up')
    })
  })
}

describe('If the exempt name has no account, the process logs it at every start', () => {
  it('until the account exists', async () => {
    const name = aName()
    const said = (service: Awaited<ReturnType<typeof startService>>) =>
      service.logged().filter(({ msg }) => String(msg).includes('RATE_LIMIT_EXEMPT_USERNAME')).length
    const env = { ...ofTheContract, RATE_LIMIT_EXEMPT_USERNAME: name }
    const without = await startService({ env })
    assert.equal(said(without), 1)
    await without.close()
    const withOwner = await startService({
      env: { ...env, OWNER_USERNAME: name, OWNER_PASSWORD: 'correct horse battery' },
    })
    assert.equal(said(withOwner), 0)
  })
})
