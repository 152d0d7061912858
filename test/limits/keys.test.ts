import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { describe, it } from 'node:test'
import { makeSecret } from '../../src/accounts/key-secret.ts'
import type { Users } from '../../src/accounts/users.ts'
import { atEnd } from '../support/at-end.ts'
import { type Reply, startService } from '../support/service.ts'
import { isFullSize, sized } from '../support/size.ts'
import { aName, clientOf, limited, ofTheContract, places, tally, times, told, tooMany } from './stage.ts'

for (const place of places) {
  const exempt = aName()

  describe(`The limit of an API key, counted ${place.name}`, { skip: place.skip }, () => {
    const stage = limited(place, {
      RATE_LIMIT_EXEMPT_USERNAME: exempt,
      RATE_LIMIT_AUTH_SLOW_STEP_MS: '0',
    })
    const keyOf = async (username: string, limitPerMinute?: number) => {
      const { ask, register } = clientOf(stage.service)
      const { accessToken: token } = (await register(username)).body
      const { body } = await ask('POST', '/auth/keys', {
        token,
        body: { name: 'k', scopes: ['images'], limitPerMinute },
      })
      return { token: `Bearer ${body.key}` }
    }
    const scopesIn = ({ body }: Reply) => body.limits.map(({ scope }: { scope: string }) => scope)

    it('refuses with the 429 of the contract, wherever the requests come from, and is reported beside the others', async () => {
      const key = await keyOf(aName(), 5)
      const asked = await times(2, () => clientOf(stage.service).ask('GET', '/images', key))
      assert.deepEqual(
        asked.map(told).map(({ limit }) => limit),
        ['5', '5'],
      )
      const { body } = await clientOf(stage.service).ask('GET', '/auth/me', key)
      const [own, ...others] = body.limits.toReversed()
      assert.deepEqual([own.scope, own.limit, own.remaining], ['key', 5, 2])
      assert.equal(others.length, 6)
      const replies = await times(5, () => clientOf(stage.service).ask('GET', '/images', key))
      assert.deepEqual(tally(replies), { 200: 2, 429: 3 })
      const refusal = replies.find(({ status }) => status === 429) as Reply
      assert.deepEqual(refusal.body, tooMany)
      const { limit, remaining, retryAfter } = told(refusal)
      assert.deepEqual([limit, remaining], ['5', '0'])
      assert.ok(Number(retryAfter) > 0 && Number(retryAfter) <= 60, String(retryAfter))
      const other = await keyOf(aName(), 5)
      assert.equal((await clientOf(stage.service).ask('GET', '/images', other)).status, 200)
    })

    it("holds for the exempt user, whose keys count like anyone else's", async () => {
      const key = await keyOf(exempt, 3)
      const { ask } = clientOf(stage.service)
      assert.deepEqual(tally(await times(5, () => ask('GET', '/images', key))), { 200: 3, 429: 2 })
      const free = await keyOf(aName())
      const reply = await ask('GET', '/auth/me', free)
      assert.ok(!scopesIn(reply).includes('key'))
      assert.equal(told(await ask('GET', '/', free)).limit, '1000')
    })
  })
}

describe('API keys that are guessed', () => {
  it('are looked up no more often than the limit of the address allows, and not at all with a wrong checksum', async () => {
    let lookups = 0
    const counted = (real: Users): Users => ({
      ...real,
      findKey(secretHash) {
        lookups += 1
        return real.findKey(secretHash)
      },
    })
    const max = sized(200, 1_000)
    const env = { ...ofTheContract, ...(!isFullSize && { RATE_LIMIT_GLOBAL_MAX: String(max) }) }
    const service = await startService({ env, overrides: { users: counted } })
    const agent = new Agent({ keepAlive: true, maxSockets: 20 })
    atEnd(() => agent.destroy())
    const guess = (secret: string) =>
      new Promise<number>((resolve, reject) => {
        const headers = { 'x-api-key': secret }
        const req = get(`${service.url}/images`, { agent, headers }, (res) =>
          res.resume().on('end', () => resolve(res.statusCode ?? 0)),
        )
        req.on('error', reject)
      })
    const typos = await Promise.all(Array.from({ length: 100 }, () => guess(makeSecret().slice(0, -1))))
    assert.deepEqual([new Set(typos), lookups], [new Set([401]), 0])
    const total = sized(300, 10_000)
    const statuses = await Promise.all(Array.from({ length: total }, () => guess(makeSecret())))
    assert.deepEqual(
      [statuses.filter((status) => status === 401).length, statuses.filter((status) => status === 429).length],
      [max - 100, total - max + 100],
    )
    assert.equal(lookups, max - 100)
    assert.equal((await service.request('GET', '/health')).status, 429)
  })
})
