import assert from 'node:assert/strict'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { before, describe, it } from 'node:test'
import { apiRoutes } from '../../src/api/routes.ts'
import { needsToken } from '../../src/http/route.ts'
import { builtInKinds } from '../../src/images/kinds.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { breakableUsers } from '../support/broken-users.ts'
import { fakeClock } from '../support/clock.ts'
import { answerOf } from '../support/people.ts'
import { type Person, startService, type TestService } from '../support/service.ts'
import { claimsOf, part, signed } from '../support/signed-token.ts'
import { sized } from '../support/size.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const guarded = apiRoutes(builtInKinds).filter(needsToken)
const required = { status: 401, message: 'Access token is required' }
const invalid = { status: 401, message: 'Invalid or revoked access token' }

for (const store of stores) {
  describe(`The guard on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    const me = (token?: string) => stage.service.request('GET', '/auth/me', { token })

    let bannedToken: string
    before(async () => {
      const { id, accessToken } = await stage.service.register('banned')
      await stage.accounts.ban(id)
      bannedToken = accessToken
    })
    for (const { method, path } of guarded) {
      it(`protects ${method} ${path}: 401 without a token, 401 with another, 403 for a banned user`, async () => {
        const { service } = stage
        const { status, body, headers } = await service.request(method, path)
        assert.deepEqual([status, body], [401, required])
        assert.equal(headers.get('www-authenticate'), 'Bearer realm="menagerie"')
        const other = await service.request(method, path, { token: 'Bearer nonsense' })
        assert.deepEqual(answerOf(other), [401, invalid])
        assert.match(other.headers.get('www-authenticate') ?? '', /^Bearer realm="menagerie", error="invalid_token"/)
        const banned = await service.request(method, path, { token: bannedToken })
        assert.deepEqual(answerOf(banned), [403, { status: 403, message: 'User is banned' }])
      })

      it(`answers before it reads a body: ${method} ${path}`, async () => {
        const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
        // Not a byte of the body is ever sent: a guard that waited for it would not reply.
        const headers = { 'content-type': 'application/json', 'content-length': 12 }
        const request = httpRequest(stage.service.url + path, { method, headers }, resolve)
        request.flushHeaders()
        assert.equal((await promise).statusCode, 401)
        request.destroy()
      })
    }

    it('answers "Access token is required" to an empty header, and the other text to any other invalid one', async () => {
      for (const token of ['', ' ']) assert.deepEqual((await me(token)).body, required)
      const { accessToken } = await stage.service.register('spelled')
      const bare = accessToken.slice(7)
      const odd = ['Bearer', 'Bearer ', 'Basic YTpi', bare, `Token ${bare}`, `Bearer ${bare} x`, `Bearer ${bare}x`]
      for (const token of [...odd, `Bearer ${bare.slice(0, -1)}`])
        assert.deepEqual(answerOf(await me(token)), [401, invalid], token.slice(0, 12))
    })

    it('ignores the case of the scheme and accepts a doubled Bearer', async () => {
      const { accessToken } = await stage.service.register('scheme')
      const bare = accessToken.slice(7)
      for (const token of [`bearer ${bare}`, `BEARER ${bare}`, `Bearer Bearer ${bare}`, `Bearer   ${bare}`]) {
        assert.equal((await me(token)).status, 200)
      }
    })

    it('rejects every token that it did not sign, whatever its header says', async () => {
      const person = await stage.service.register('forged')
      const secret = stage.service.env.JWT_SECRET ?? ''
      const [, claimsPart = ''] = person.accessToken.split('.')
      const claims = claimsOf(person.accessToken)
      assert.deepEqual(Object.keys(claims).sort(), ['exp', 'iat', 'iss', 'jti', 'sub'])
      for (const token of [
        `Bearer ${part({ alg: 'none' })}.${claimsPart}.`,
        signed({ alg: 'HS256' }, claims, 'another secret of at least 32 bytes'),
        signed({ alg: 'HS512' }, claims, secret, 'sha512'),
        signed({ alg: 'HS256', crit: ['x'], x: 1 }, claims, secret),
        signed({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }, claims, 'AAAA'),
        // Correctly signed, but never issued: its hash is not the stored one.
        signed({ alg: 'HS256' }, { ...claims, jti: 'x' }, secret),
        signed({ alg: 'HS256' }, { ...claims, sub: 'x' }, secret),
        signed({ alg: 'HS256' }, { ...claims, iss: 'x' }, secret),
      ]) {
        assert.deepEqual(answerOf(await me(token)), [401, invalid])
      }
      assert.equal((await me(person.accessToken)).status, 200)
    })

    it('applies changes by another process to the very next request', async () => {
      const { service, accounts } = stage
      const person = await service.register('watched')
      const role = async () => (await me(person.accessToken)).body.user.role
      assert.equal(await role(), 'user')
      for (let round = 0; round < 20; round++) {
        await accounts.setRole(person.id, 'admin')
        assert.equal(await role(), 'admin')
        await accounts.setRole(person.id, 'user')
        assert.equal(await role(), 'user')
      }
      await accounts.ban(person.id)
      assert.equal((await me(person.accessToken)).status, 403)
      await accounts.unban(person.id)
      assert.equal((await me(person.accessToken)).status, 200)
      await accounts.revokeToken(person.id)
      assert.deepEqual((await me(person.accessToken)).body, invalid)
    })

    it('works across instances: a login on one revokes the token on the other', async () => {
      const place = await store.make()
      const [one, two] = [await startService({ place }), await startService({ place })]
      const person = await one.register('roaming')
      assert.equal((await two.request('GET', '/auth/me', { token: person.accessToken })).status, 200)
      const { body } = await two.login('roaming')
      assert.equal((await one.request('GET', '/auth/me', { token: person.accessToken })).status, 401)
      assert.equal((await one.request('GET', '/auth/me', { token: body.accessToken })).status, 200)
    })

    it('applies an act to every request sent after it, even while many others share event-loop turns with it on two instances', async () => {
      const place = await store.make()
      const accounts = await UserStoreForTests.open(place)
      const services = [await startService({ place }), await startService({ place })] as const
      const [target, other] = [await services[0].register('target'), await services[0].register('other')]
      const keyOf = async ({ accessToken: token }: Person): Promise<string> => {
        const body = { name: 'flood', scopes: ['images'] }
        return `Bearer ${(await services[0].request('POST', '/auth/keys', { token, body })).body.key}`
      }
      const proofs = [target.accessToken, await keyOf(target)]
      const ask = async (token: string, n: number) =>
        (await (services[n % 2] as TestService).request('GET', '/auth/me', { token })).status
      let isOver = false
      const flood = [other.accessToken, await keyOf(other), ...proofs].map(async (token, n) => {
        while (!isOver) await ask(token, n)
      })
      const all = async (tokens: readonly string[]) =>
        new Set(await Promise.all(tokens.flatMap((token) => Array.from({ length: 4 }, (_, n) => ask(token, n)))))
      try {
        for (let round = 0; round < sized(4, 30, 100); round++) {
          await accounts.ban(target.id)
          assert.deepEqual(await all(proofs), new Set([403]))
          await accounts.unban(target.id)
          assert.deepEqual(await all(proofs), new Set([200]))
          const old = proofs[0] as string
          proofs[0] = (await services[1].login('target')).body.accessToken
          assert.deepEqual(await all([old]), new Set([401]))
          assert.deepEqual(await all(proofs), new Set([200]))
        }
        await accounts.remove(target.id)
        assert.deepEqual(await all(proofs), new Set([401]))
      } finally {
        isOver = true
        await Promise.all(flood)
      }
    })
  })

  describe(`The guard on ${store.name}, with its clock and database`, { skip: store.skip }, () => {
    it('expires a token after 60 s of leeway, on an instance with the token cached and on one without', async () => {
      const clock = fakeClock()
      const place = await store.make()
      const spec = { place, env: { TOKEN_TTL: '1h' }, overrides: { clock } }
      const service = await startService(spec)
      const statusOnNew = async (token: string) => {
        const other = await startService(spec)
        const { status } = await other.request('GET', '/auth/me', { token })
        await other.close()
        return status
      }
      const { accessToken } = await service.register('mortal')
      const status = async () => (await service.request('GET', '/auth/me', { token: accessToken })).status
      clock.advance(-3 * 3_600_000)
      assert.equal(await status(), 200)
      clock.advance(4 * 3_600_000 + 59_000)
      assert.deepEqual([await status(), await statusOnNew(accessToken)], [200, 200])
      clock.advance(2_000)
      assert.deepEqual([await status(), await statusOnNew(accessToken)], [401, 401])
    })

    it('answers 503 with Retry-After, never 401, while the database is down, and 200 after', async () => {
      const breakable = breakableUsers()
      const service = await startService({ store, overrides: { users: breakable.users } })
      const { accessToken } = await service.register('waiting')
      breakable.away = true
      for (const { method, path } of guarded) {
        const { status, body, headers } = await service.request(method, path, { token: accessToken })
        const away = { status: 503, message: 'Service is temporarily unavailable, please try again' }
        assert.deepEqual([status, body, headers.get('retry-after')], [503, away, '1'])
      }
      assert.equal((await service.request('GET', '/health')).status, 200)
      breakable.away = false
      assert.equal((await service.request('GET', '/auth/me', { token: accessToken })).status, 200)
    })
  })
}
