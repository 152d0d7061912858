import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { answerOf } from '../support/people.ts'
import { type Person, password, type RequestOptions } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { keyStage } from './key-stage.ts'

const [sqlite = assert.fail()] = stores
const again = [403, { error: 'Sign in again or send your password' }]
const tenMinutes = 600_000

describe('The password again', () => {
  const clock = fakeClock()
  const env = { RATE_LIMIT_LOGIN_NAME_MAX: '5', RATE_LIMIT_LOGIN_ADDRESS_MAX: '8', TRUST_PROXY: 'loopback' }
  const { stage, create, somebody } = keyStage(sqlite, { env, overrides: { clock } })
  let addresses = 0

  /** What needs it, as calls of this person from an address of their own. */
  const actsOf = async ({ accessToken: token }: Pick<Person, 'accessToken'>) => {
    const headers = { 'x-forwarded-for': `10.0.0.${++addresses}` }
    const { id } = (await create({ accessToken: token })).body
    const call =
      (path: string, given: object) =>
      (secret?: unknown, options: RequestOptions = {}, query = '') => {
        const body = { ...given, ...(secret !== undefined && { password: secret }) }
        return stage.service.request('POST', path + query, { token, headers, body, ...options })
      }
    return [
      call('/auth/keys', { name: 'x', scopes: ['images'] }),
      call(`/auth/keys/${id}/rotate`, {}),
      call('/auth/embed', { kind: 'fox' }),
    ]
  }

  it('is needed for a new secret or link once the login is older than 10 minutes, and is read from the body alone', async () => {
    const acts = await actsOf(await somebody())
    clock.advance(tenMinutes - (clock.now() % 1_000))
    for (const act of acts) assert.ok((await act()).status < 300)
    clock.advance(1_000)
    for (const act of acts) {
      for (const none of [undefined, '', null, 7, [password]]) assert.deepEqual(answerOf(await act(none)), again)
      assert.deepEqual(answerOf(await act(undefined, {}, `?password=${encodeURIComponent(password)}`)), again)
      assert.deepEqual(answerOf(await act(undefined, { headers: { 'x-password': password } })), again)
      assert.ok((await act(password)).status < 300)
    }
  })

  it('is needed if the token is dated in the future', async () => {
    const acts = await actsOf(await somebody())
    clock.advance(-3_600_000)
    for (const act of acts) assert.deepEqual(answerOf(await act()), again)
    clock.advance(3_600_000)
  })

  it('counts as a failed login of its name and address if it is wrong, however recent the login is', async () => {
    const person = await somebody()
    const acts = await actsOf(person)
    const wrong = [401, { error: 'Invalid credentials' }]
    for (const act of [...acts, ...acts.slice(1)]) assert.deepEqual(answerOf(await act('wrong password')), wrong)
    for (const act of acts) assert.equal((await act(password)).status, 429, 'the right one comes too late')
    for (const act of acts) assert.ok((await act()).status < 300, 'the login is recent')
    assert.equal((await stage.service.login(person.username)).status, 429)
    const [act = assert.fail()] = await actsOf(await somebody())
    const headers = { 'x-forwarded-for': `10.0.0.${addresses - 1}` }
    const more = [await act('wrong password', { headers }), await act('wrong password', { headers })]
    assert.deepEqual(
      more.map(({ status }) => status),
      [429, 429],
      'of 8 by address, 5 and the 3 that came too late are used up',
    )
  })

  it('uses up nothing if it is right but the request is refused', async () => {
    const person = await somebody()
    const { accessToken: token } = person
    const path = `/auth/keys/${person.id}/rotate`
    for (let round = 0; round < 9; round++)
      assert.equal((await stage.service.request('POST', path, { token, body: { password } })).status, 404)
    assert.equal((await stage.service.login(person.username)).status, 200)
  })

  it('is asked of a token once the request is known to be valid', async () => {
    const { accessToken: token } = await somebody()
    clock.advance(tenMinutes + 1_000)
    for (const body of [
      { name: 'x', scopes: [] },
      { name: 'x', scopes: ['images'], expiresIn: 'soon' },
    ])
      assert.equal((await stage.service.request('POST', '/auth/keys', { token, body })).status, 400)
    assert.equal((await stage.service.request('POST', '/auth/embed', { token, body: { kind: 'cat' } })).status, 400)
  })
})
