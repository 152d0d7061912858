import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { claimsOf, signed } from '../support/signed-token.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const invalid = [401, { status: 401, message: 'Invalid or revoked access token' }]
const stranger = '019a2f6e-3c41-7d02-9b5e-4f8a6c21d7e3'

/** For each claim, JSON values that no token of the service has. */
const odd: Record<string, readonly string[]> = {
  sub: ['7', '{}', '[]', `["${stranger}"]`, '{"id":"x"}', 'null', 'true', '""', '"x"', '"\\u0000"', '"\\ud800"'].concat(
    `"${stranger}\\u0000"`,
    `"${stranger}\\n"`,
    `"${stranger.toUpperCase()}"`,
    `"${'x'.repeat(700)}"`,
  ),
  iat: ['1e300', '-1', '-1e300', '1e400', '1.5', '8640000000001', '253402300800', 'null', '"0"', '{}', '[1]', 'true'],
  exp: [
    ...['1e300', '1e400', '8640000000001', '253402300800', '4102444800.5', 'null', '"4102444800"', '{}'],
    ...['[4102444800]'],
  ],
  jti: ['7', '{}', '[]', 'null', 'true', '""', '"\\u0000"', '"another"'],
}

for (const store of stores) {
  describe(`A correctly signed token with unusual claims on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    const secret = () => stage.service.env.JWT_SECRET ?? ''
    let people = 0
    /** A token with the claims of a new user, where `json` replaces the claim `name` verbatim. */
    const tokenWith = async (name: string, json: string) => {
      const { accessToken } = await stage.service.register(`odd-${++people}`)
      const { [name]: _, ...rest } = claimsOf(accessToken)
      return signed({ alg: 'HS256' }, `${JSON.stringify(rest).slice(0, -1)},"${name}":${json}}`, secret())
    }

    for (const [name, values] of Object.entries(odd)) {
      for (const json of values) {
        it(`is 401 with ${name} = ${json.slice(0, 60)}`, async () => {
          const token = await tokenWith(name, json)
          for (const path of ['/auth/me', '/images/fox/random', '/admin/audit']) {
            const { status, body } = await stage.service.request('GET', path, { token })
            assert.deepEqual([status, body], invalid, path)
          }
        })
      }
    }

    it('is 401 if its claims are not an object, and logs no error', async () => {
      for (const json of ['null', '[]', '7', '"x"', '{', '']) {
        const token = signed({ alg: 'HS256' }, json, secret())
        const { status, body } = await stage.service.request('GET', '/auth/me', { token })
        assert.deepEqual([status, body], invalid, json)
      }
      assert.deepEqual(
        stage.service.logged().filter(({ level }) => level === 'error'),
        [],
      )
    })
  })
}
