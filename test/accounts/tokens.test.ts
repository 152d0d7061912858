import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { createTokens } from '../../src/accounts/tokens.ts'
import { createIds, isId } from '../../src/lib/ids.ts'
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

/** With a clock of its own. */
function stage(ttlMs = 3_600_000) {
  const own = fakeClock(Date.parse('2026-06-01T12:00:00.700Z'))
  return { clock: own, tokens: createTokens({ secret, ttlMs, clock: own, newId }) }
}

describe('An issued token', () => {
  it('names its user, its time in whole seconds, and an id of its own', async () => {
    const { tokens } = stage(90_999)
    const { token, verified } = await tokens.issue(userId)
    const iat = Date.parse('2026-06-01T12:00:00Z') / 1_000
    const { jti, ...others } = claimsOf(token)
    assert.deepEqual(others, { sub: userId, iat, exp: iat + 90, iss: 'menagerie' })
    assert.ok(isId(String(jti)))
    assert.notEqual(claimsOf((await tokens.issue(userId)).token).jti, jti)
    assert.deepEqual(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()), header)
    assert.deepEqual(verified, {
      userId,
      tokenHash: createHash('sha256').update(token).digest('base64url'),
      issuedAt: '2026-06-01T12:00:00.000Z',
      issuedAtMs: iat * 1_000,
      expiresAt: '2026-06-01T12:01:30.000Z',
      expiresAtMs: (iat + 90) * 1_000,
    })
    assert.deepEqual(await tokens.read(`Bearer ${token}`), verified)
  })

  it('is read from a header in any case of the scheme, which may be doubled, and from no other', async () => {
    const { tokens } = stage()
    const { token, verified } = await tokens.issue(userId)
    for (const head of ['Bearer ', 'bearer ', 'BEARER   ', 'Bearer Bearer ', 'bearer  bearer  ', '  Bearer '])
      assert.deepEqual(await tokens.read(`${head}${token} `), verified, head)
    for (const head of ['', 'Bearer', 'Basic ', 'x Bearer ', 'Bearer a ', 'BearerBearer ', 'Bearer Bearer Bearer '])
      assert.equal(await tokens.read(head + token), null, head)
    for (const wrong of [`${token} a`, `${token}=`, `${token}.`, `.${token}`, `${token.slice(0, -4)}AAAA`])
      assert.equal(await tokens.read(`Bearer ${wrong}`), null, wrong)
  })

  it('is accepted for 60 s after its end, also if it was read before', async () => {
    for (const isKnown of [false, true]) {
      const { clock, tokens } = stage()
      const { token } = await tokens.issue(userId)
      if (isKnown) await tokens.read(`Bearer ${token}`)
      // It was issued 700 ms after the second that it names.
      clock.advance(3_600_000 - 700 + 59_999)
      assert.notEqual(await tokens.read(`Bearer ${token}`), null)
      clock.advance(1)
      assert.equal(await tokens.read(`Bearer ${token}`), null)
    }
  })

  it('is verified once, unless its header is longer than a token may be', async () => {
    const { tokens } = stage()
    const read = async (head: string) => tokens.read(signed(header, { ...claims }, secret).replace('Bearer ', head))
    assert.equal(await read('Bearer '), await read('Bearer '))
    const length = signed(header, claims, secret).length - 'Bearer '.length
    const spaces = (count: number) => `Bearer${' '.repeat(count)}`
    assert.equal(await read(spaces(1_018 - length)), await read(spaces(1_018 - length)))
    assert.notEqual(await read(spaces(1_019 - length)), await read(spaces(1_019 - length)))
    assert.notEqual(await read(spaces(1_019 - length)), null)
  })
})

describe('The claims of a token from other software with our key', () => {
  const lastSecond = Date.parse('9999-12-31T23:59:59Z') / 1_000

  it('name a user by id', async () => {
    for (const sub of ['fox', '', `${userId}0`, 7, null, [userId]])
      assert.equal(await isRead(signed(header, { ...claims, sub }, secret)), false, String(sub))
  })

  it('have times in whole seconds from 1970 to 9999', async () => {
    for (const iat of [0, 1, lastSecond]) assert.equal(await isRead(signed(header, { ...claims, iat }, secret)), true)
    for (const iat of [-1, 0.5, lastSecond + 1, 2 ** 53, '1', null])
      assert.equal(await isRead(signed(header, { ...claims, iat }, secret)), false, String(iat))
    assert.equal(await isRead(signed(header, { ...claims, exp: lastSecond }, secret)), true)
    for (const exp of [lastSecond + 1, lastSecond + 0.5, 2 ** 60])
      assert.equal(await isRead(signed(header, { ...claims, exp }, secret)), false, String(exp))
  })
})
