import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, refused } from '../support/people.ts'
import { rawRequest } from '../support/raw-request.ts'
import { stores } from '../support/stores.ts'
import { keyStage } from './key-stage.ts'

const invalid = refused(401, 'Invalid or revoked access token')

for (const store of stores) {
  describe(`API keys on ${store.name}`, { skip: store.skip }, () => {
    const { stage, create, me, somebody } = keyStage(store)

    it('are shown once, listed without their secret, and open what their scopes name', async () => {
      const person = await somebody()
      const { status, body } = await create(person, { name: 'bot', scopes: ['images', 'images'], expiresIn: '30d' })
      const { id, createdAt } = body
      const expiresAt = new Date(Date.parse(createdAt) + 30 * 86_400_000).toISOString()
      const key = { id, name: 'bot', scopes: ['images'], limitPerMinute: null, createdAt, expiresAt }
      const unused = { ...key, lastUsedAt: null, requests: 0 }
      assert.deepEqual([status, body], [201, { status: 201, ...unused, key: body.key }])
      assert.match(body.key, /^mng_[0-9A-Za-z]{38}$/)
      const found = await me(body.key)
      const { id: userId, username } = person
      assert.deepEqual(
        [found.status, found.body.user, found.body.token, found.body.apiKey],
        [
          200,
          { id: userId, username, role: 'user', banned: false },
          { issuedAt: createdAt, expiresAt },
          { id, name: 'bot', scopes: ['images'] },
        ],
      )
      const list = await stage.service.request('GET', '/auth/keys', { token: person.accessToken })
      const minute = `${new Date().toISOString().slice(0, 16)}:00.000Z`
      const { lastUsedAt } = list.body.keys[0]
      assert.deepEqual(answerOf(list), [200, { status: 200, keys: [{ ...key, lastUsedAt, requests: 1 }] }])
      assert.ok(lastUsedAt <= minute && lastUsedAt.endsWith(':00.000Z'), lastUsedAt)
      assert.ok(!JSON.stringify(stage.service.logged()).includes(body.key.slice(4)))
    })

    it('are accepted in either header, and refused if the two differ', async () => {
      const person = await somebody()
      const [one, two] = [(await create(person)).body.key, (await create(person)).body.key]
      const ask = async (headers: Record<string, string>) =>
        (await stage.service.request('GET', '/auth/me', { headers })).status
      const bearer = { authorization: `Bearer ${one}` }
      assert.equal(await ask({ 'x-api-key': one }), 200)
      assert.equal(await ask({ ...bearer, 'x-api-key': one }), 200)
      assert.equal(await ask({ ...bearer, 'x-api-key': ' ' }), 200)
      assert.equal(await ask({ authorization: '', 'x-api-key': one }), 200)
      const token = { authorization: person.accessToken }
      for (const headers of [
        { ...bearer, 'x-api-key': two },
        { ...bearer, 'x-api-key': 'x' },
        { ...token, 'x-api-key': one },
        { authorization: 'Basic YTpi', 'x-api-key': one },
        { 'x-api-key': person.accessToken.slice(7) },
        { 'x-api-key': `${one}, ${one}` },
        { authorization: one },
      ])
        assert.equal(await ask(headers), 401, JSON.stringify(headers))
      const twice = (...values: string[]) => {
        const headers = ['host', 'localhost', ...values.flatMap((value) => ['authorization', value])]
        return rawRequest(`${stage.service.url}/auth/me`, { headers })
      }
      for (const other of [bearer.authorization, `Bearer ${two}`, 'Basic YTpi', '']) {
        assert.equal((await twice(person.accessToken, other)).status, 401, other)
        assert.equal((await twice(other, person.accessToken)).status, 401, other)
      }
      assert.equal((await twice(bearer.authorization, bearer.authorization)).status, 200)
    })

    it('are refused at the very next request once they are rotated, revoked or expired', async () => {
      const person = await somebody()
      const { id, key: secret } = (await create(person)).body
      const change = (method: string, path: string, body?: unknown) =>
        stage.service.request(method, `/auth/keys/${id}${path}`, { token: person.accessToken, body })
      const graced = await change('POST', '/rotate', { graceSeconds: 60 })
      assert.equal(graced.status, 200)
      for (const each of [secret, graced.body.key]) assert.equal((await me(each)).status, 200)
      const rotated = await change('POST', '/rotate')
      for (const each of [secret, graced.body.key]) assert.deepEqual(answerOf(await me(each)), invalid)
      assert.deepEqual((await me(rotated.body.key)).body.apiKey.id, id)
      assert.deepEqual(answerOf(await change('DELETE', '')), [200, { status: 200, message: 'API key revoked' }])
      assert.deepEqual(answerOf(await me(rotated.body.key)), invalid)
      for (const [method, path] of [
        ['DELETE', ''],
        ['POST', '/rotate'],
      ] as const)
        assert.deepEqual(answerOf(await change(method, path)), [404, { error: 'API key not found' }])
      const other = (await create(await somebody())).body
      const foreign = await stage.service.request('DELETE', `/auth/keys/${other.id}`, { token: person.accessToken })
      assert.equal(foreign.status, 404)
      assert.equal((await me(other.key)).status, 200)
    })

    it('end with the password, a revoked token and the account; a login ends none, and a key ends no token', async () => {
      const { request, login } = stage.service
      const person = await somebody()
      const first = (await create(person)).body.key
      assert.equal((await request('GET', '/auth/me', { token: person.accessToken })).status, 200)
      let token = (await login(person.username)).body.accessToken
      assert.equal((await me(first)).status, 200)
      const { password } = person
      const change = { currentPassword: password, newPassword: password }
      token = (await request('POST', '/auth/password', { token, body: change })).body.accessToken
      assert.deepEqual(answerOf(await me(first)), invalid)
      const second = (await create({ accessToken: token })).body.key
      await request('POST', '/auth/logout', { token })
      assert.equal((await me(second)).status, 200, 'a logout ends the token alone')
      const owner = await somebody('owner')
      const act = (path: string) => request('POST', path, { token: owner.accessToken, body: { userId: person.id } })
      assert.equal((await act('/admin/user/revoke-token')).status, 200)
      assert.deepEqual(answerOf(await me(second)), invalid)
      token = (await login(person.username)).body.accessToken
      const third = (await create({ accessToken: token })).body.key
      await act('/admin/ban')
      assert.deepEqual(answerOf(await me(third)), refused(403, 'User is banned'))
      await act('/admin/unban')
      assert.equal((await me(third)).status, 200)
      assert.equal((await act('/admin/user/delete')).status, 200)
      assert.deepEqual(answerOf(await me(third)), invalid)
    })

    it('are at most 50 for each user, however many are created at once; expired ones make room', async () => {
      const person = await somebody()
      const make = (expiresIn: number) => create(person, { name: 'x', scopes: ['images'], expiresIn })
      const all = await Promise.all(Array.from({ length: 60 }, () => make(3600)))
      assert.equal(all.filter(({ status }) => status === 201).length, 50)
      const refusals = all.filter(({ status }) => status !== 201).map(answerOf)
      const full = [409, { error: 'You have 50 API keys already; revoke one first' }]
      assert.deepEqual(refusals, Array(10).fill(full))
    })
  })
}
