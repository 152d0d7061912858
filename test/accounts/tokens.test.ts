import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTokens } from '../../src/accounts/tokens.ts'
import { createIds } from '../../src/lib/ids.ts'
import { fakeClock } from '../support/clock.ts'
import { claimsOf, part, signed } from '../support/signed-token.ts'

const secret = 'a secret for tests that is long enough'
const clock = fakeClock()
const newId = createIds(clock)
const tokens = () => createTokens({ secret, ttlMs: 3_600_000, clock, newId })
const userId = newId()
const { token: issued } = await tokens().issue(userId)
const claims = claimsOf(issued)
const header = { alg: 'HS256' }

const isRead = async (authorization: string) => (await tokens().read(authorization)) !== null

describe('A token signed with our key', () => {
  it('is accepted with our algorithm, issuer and claims', async () => {
    assert.deepEqual(Object.keys(claims).sort(), ['exp', 'iat', 'iss', 'jti', 'sub'])
    assert.equal((await tokens().read(signed(header, claims, secret)))?.userId, userId)
  })

  for (const name of ['sub', 'jti', 'iat', 'exp', 'iss'])
    it(`is rejected without ${name}`, async () => {
      const { [name]: _, ...rest } = claims
      assert.equal(await isRead(signed(header, rest, secret)), false)
    })

  for (const iss of ['another', 'Menagerie', 'menagerie ', '', 7, ['menagerie'], null])
    it(`is rejected from another issuer: ${JSON.stringify(iss)}`, async () => {
      assert.equal(await isRead(signed(header, { ...claims, iss }, secret)), false)
    })

  for (const alg of ['HS384', 'HS512', 'RS256', 'none', 'hs256'])
    it(`is rejected with another algorithm: ${alg}`, async () => {
      assert.equal(await isRead(signed({ alg }, claims, secret, `sha${/\d+/.exec(alg)?.[0] ?? 256}`)), false)
    })

  it('is rejected without a signature', async () => {
    assert.equal(await isRead(`Bearer ${part({ alg: 'none' })}.${part(claims)}.`), false)
    assert.equal(await isRead(`Bearer ${part(header)}.${part(claims)}.`), false)
  })

  it('is rejected beyond 1024 characters', async () => {
    /** Padded so that the whole token has this length. */
    const ofLength = (length: number) => {
      const bare = signed(header, { ...claims, jti: '' }, secret).length - 'Bearer '.length
      for (let pad = Math.floor(((length - bare) * 3) / 4) - 3; ; pad++) {
        const token = signed(header, { ...claims, jti: 'x'.repeat(pad) }, secret)
        const found = token.length - 'Bearer '.length
        if (found === length) return token
        if (found > length) throw new Error(`no token is ${length} long`)
      }
    }
    assert.equal(await isRead(ofLength(1_024)), true)
    assert.equal(await isRead(ofLength(1_025)), false)
    assert.equal(await isRead(ofLength(8_000)), false)
  })
})
