import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { startService, type TestService } from '../support/service.ts'
import { aName, clientOf, places, tally, times, told, tooMany } from './stage.ts'

const notFound = { status: 404, message: 'Image not found' }

for (const place of places) {
  describe(`The limits of embed links, counted ${place.name}`, { skip: place.skip }, () => {
    let service: TestService
    const clock = fakeClock()
    const exempt = aName()
    const env = {
      TRUST_PROXY: 'loopback',
      RATE_LIMIT_EMBED_LINK_MAX: '7',
      RATE_LIMIT_EMBED_LINK_WINDOW_SECONDS: '30',
      RATE_LIMIT_EMBED_ADDRESS_MAX: '4',
      RATE_LIMIT_EXEMPT_USERNAME: exempt,
    }
    let token: string
    before(async () => {
      // Redis has its own clock.
      const overrides = { identifyMs: 30_000, ...(place.name === 'in memory' && { clock }) }
      service = await startService({ env: { ...env, ...place.env }, overrides })
      token = (await service.register(exempt)).accessToken
    })
    const create = async (of = token, at = clientOf(service)) => {
      const { body } = await at.ask('POST', '/auth/embed', { token: of, body: { kind: 'fox' } })
      return new URL(body.url).pathname
    }
    const client = () => clientOf(service)

    it('hold for each address over all links, and for each link over all addresses, whoever made the link', async () => {
      const [one, two] = [await create(), await create()]
      const { ask } = client()
      assert.deepEqual(told(await ask('GET', one)), { limit: '4', remaining: '3', retryAfter: null })
      const replies = await times(5, (index) => ask(index % 2 ? 'HEAD' : 'GET', index % 2 ? one : two))
      assert.deepEqual(tally(replies), { 404: 3, 429: 2 })
      const refused = await ask('GET', two)
      assert.deepEqual([refused.status, refused.body], [429, tooMany])
      assert.equal(refused.headers.get('access-control-allow-origin'), '*')
      assert.ok(Number(refused.headers.get('retry-after')) > 30)
      const link = await create()
      const others = await times(9, () => client().ask('GET', link))
      assert.deepEqual(tally(others), { 404: 7, 429: 2 })
      const retryAfter = Number(others.find(({ status }) => status === 429)?.headers.get('retry-after'))
      assert.ok(retryAfter > 0 && retryAfter <= 30, String(retryAfter))
      // Another spelling of the path is the same link.
      const encoded = link.replace(/^\/e\/(.)/, (_, char: string) => `/e/%${char.charCodeAt(0).toString(16)}`)
      assert.equal((await client().ask('GET', encoded)).status, 429)
      assert.deepEqual((await client().ask('GET', await create())).body, notFound)
    })

    it('leave a link usable for others while one address is over its limit', async () => {
      const link = await create()
      const { ask } = client()
      assert.deepEqual(tally(await times(20, () => ask('GET', link))), { 404: 4, 429: 16 })
      assert.deepEqual(tally(await times(4, () => client().ask('GET', link))), { 404: 3, 429: 1 })
    })

    it('count forged tokens by address alone, and nothing in GET /auth/me', async () => {
      const { ask } = client()
      assert.deepEqual(tally(await times(6, (index) => ask('GET', `/e/${index}`.padEnd(47, 'A')))), { 404: 4, 429: 2 })
      const { accessToken } = await service.register(aName())
      const { limits } = (await service.request('GET', '/auth/me', { token: accessToken })).body
      assert.deepEqual(
        limits.map(({ scope }: { scope: string }) => scope),
        ['global', 'auth', 'register', 'login_address', 'login_name', 'report'],
      )
    })

    it('are off at 0, while the global one holds', async () => {
      const off = { RATE_LIMIT_EMBED_LINK_MAX: '0', RATE_LIMIT_EMBED_ADDRESS_MAX: '0', RATE_LIMIT_GLOBAL_MAX: '40' }
      const free = await startService({ env: { ...env, ...place.env, ...off } })
      const maker = clientOf(free)
      const { accessToken } = (await maker.register(aName())).body
      const link = await create(accessToken, maker)
      const { ask } = clientOf(free)
      const replies = await times(42, () => ask('GET', link))
      assert.deepEqual(tally(replies), { 404: 40, 429: 2 })
      assert.equal(told(replies[0] ?? assert.fail()).limit, '40')
    })

    if (place.name !== 'in memory') return
    it('start from zero when their windows end', async () => {
      const { ask } = client()
      const link = await create()
      await times(5, () => ask('GET', link))
      assert.equal((await ask('GET', link)).status, 429)
      clock.advance(60_000)
      assert.equal((await ask('GET', link)).status, 404)
    })
  })
}
