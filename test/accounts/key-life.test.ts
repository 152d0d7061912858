import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeSecret } from '../../src/accounts/key-secret.ts'
import { fakeClock } from '../support/clock.ts'
import { answerOf, refused } from '../support/people.ts'
import { type Reply, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { bearer, keyStage } from './key-stage.ts'

const invalid = refused(401, 'Invalid or revoked access token')
const statusesOf = (replies: readonly Reply[]) => replies.map(({ status }) => status)

for (const store of stores) {
  describe(`API keys over time on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const { stage, create, me, somebody } = keyStage(store, { overrides: { clock } })
    const lives = async (...secrets: readonly string[]) => statusesOf(await Promise.all(secrets.map(me)))

    it('end at their expiry, which a rotation does not move, and then make room', async () => {
      const person = await somebody()
      const token = person.accessToken
      const make = (expiresIn?: unknown) => create(person, { name: 'x', scopes: ['images'], expiresIn })
      const [{ body: text }, { body: number }, { body: never }] = [
        await make('90s'),
        await make(90),
        await make('never'),
      ]
      const aYear = new Date(clock.now() + 365 * 86_400_000).toISOString()
      for (const unsaid of [undefined, null]) assert.equal((await make(unsaid)).body.expiresAt, aYear)
      assert.equal(text.expiresAt, number.expiresAt)
      assert.equal(never.expiresAt, null)
      const rotate = (id: string) => stage.service.request('POST', `/auth/keys/${id}/rotate`, { token })
      const { body: rotated } = await rotate(number.id)
      clock.advance(89_999)
      assert.deepEqual(await lives(text.key, rotated.key, never.key), [200, 200, 200])
      clock.advance(1)
      assert.deepEqual(await lives(text.key, rotated.key, never.key), [401, 401, 200])
      const expired = [409, { error: 'API key has expired; create a new one' }]
      assert.deepEqual(answerOf(await rotate(number.id)), expired)
      const made = await Promise.all(Array.from({ length: 45 }, () => make()))
      assert.deepEqual(new Set(statusesOf(made)), new Set([201]))
      const list = async () => (await stage.service.request('GET', '/auth/keys', { token })).body.keys
      assert.equal((await list()).length, 50, 'until their places are needed, expired keys are listed')
      assert.deepEqual(statusesOf(await Promise.all([make(), make(), make()])).sort(), [201, 201, 409])
      assert.deepEqual(
        (await list()).filter(({ id }: { id: string }) => [text.id, number.id].includes(id)),
        [],
      )
    })

    it('lose each older secret after its own grace period, and no later than that of the last rotation', async () => {
      const person = await somebody()
      const { id, key: first } = (await create(person)).body
      const rotate = async (graceSeconds: number) => {
        const path = `/auth/keys/${id}/rotate`
        return (await stage.service.request('POST', path, { token: person.accessToken, body: { graceSeconds } })).body
          .key
      }
      const second = await rotate(60)
      clock.advance(30_000)
      const third = await rotate(86_400)
      clock.advance(29_999)
      assert.deepEqual(await lives(first, second, third), [200, 200, 200])
      clock.advance(1)
      assert.deepEqual(await lives(first, second, third), [401, 200, 200])
      const fourth = await rotate(10)
      clock.advance(10_000)
      assert.deepEqual(await lives(second, third, fourth), [401, 401, 200])
    })

    it('lose older secrets for good without a grace period, even if the clock is set back', async () => {
      const person = await somebody()
      const { id, key: first } = (await create(person)).body
      const path = `/auth/keys/${id}/rotate`
      const second = (await stage.service.request('POST', path, { token: person.accessToken })).body.key
      clock.advance(-3_600_000)
      await somebody()
      assert.deepEqual(await lives(first, second), [401, 200])
      clock.advance(3_600_000)
    })

    it('work again when the ban of their owner ends, and show their last use to the minute', async () => {
      const person = await somebody()
      const { key: secret } = (await create(person)).body
      await stage.accounts.ban(person.id, clock.now() + 120_000)
      assert.deepEqual(answerOf(await me(secret)), refused(403, 'User is banned'))
      clock.advance(119_999)
      assert.equal((await me(secret)).status, 403)
      clock.advance(1)
      assert.equal((await me(secret)).status, 200)
      const at = new Date(clock.now() - (clock.now() % 60_000)).toISOString()
      const [key] = (await stage.service.request('GET', '/auth/keys', { token: person.accessToken })).body.keys
      assert.deepEqual([key.lastUsedAt, key.requests], [at, 3])
    })
  })

  describe(`API keys on ${store.name}, across instances and requests`, { skip: store.skip }, () => {
    const { stage, create, me, somebody } = keyStage(store)

    it('are refused if they are forged, shortened, lengthened, of another installation, or in a query, and never logged', async () => {
      const { key: secret } = (await create(await somebody())).body
      // Two adjacent characters that differ.
      const at = [...secret].findIndex((mark, index) => index >= 10 && mark !== secret[index + 1])
      const swapped = secret.slice(0, at) + secret[at + 1] + secret[at] + secret.slice(at + 2)
      for (const odd of [
        makeSecret(),
        secret.slice(0, -1),
        `${secret}0`,
        swapped,
        secret.toLowerCase(),
        'mng_',
        'MNG_',
      ])
        assert.deepEqual(answerOf(await me(odd)), invalid, odd)
      const owner = await somebody('owner')
      for (const query of [
        `key=${secret}`,
        `api_key=${secret}`,
        `access_token=${secret}`,
        `X-API-Key=${secret}`,
        secret,
      ]) {
        assert.equal((await stage.service.request('GET', `/images?${query}`)).status, 401)
        await stage.service.request('GET', `/admin/audit?${query}`, { token: owner.accessToken })
      }
      for (const [method, path] of [
        ['DELETE', `/auth/keys/${secret}`],
        ['POST', `/auth/keys/${secret}/rotate`],
        ['DELETE', `/admin/user/keys/${secret}`],
        ['GET', `/images/${secret}`],
        ['GET', `/i/fox/${secret}`],
        ['GET', `/i/fox/mng%5F${secret.slice(4)}`],
        ['GET', `/${secret}`],
      ] as const)
        assert.equal((await stage.service.request(method, path, { token: owner.accessToken })).status, 404)
      assert.equal((await me(secret)).status, 200)
      const { text } = await stage.service.request('GET', '/admin/audit', { token: owner.accessToken })
      for (const kept of [JSON.stringify(stage.service.logged()), text]) assert.ok(!kept.includes(secret.slice(0, 12)))
    })

    it('end on every instance at once, and none outlives a password change that runs concurrently with its creation', async () => {
      const place = await store.make()
      const [one, two] = [await startService({ place }), await startService({ place })]
      for (let round = 0; round < 5; round++) {
        const person = await one.register(`racing${round}`)
        const { accessToken: token, password } = person
        const make = () => two.request('POST', '/auth/keys', { token, body: { name: 'x', scopes: ['images'] } })
        const change = { currentPassword: password, newPassword: password }
        const [changed, ...made] = await Promise.all([
          one.request('POST', '/auth/password', { token, body: change }),
          ...Array.from({ length: 6 }, make),
        ])
        assert.equal(changed.status, 200)
        for (const { body } of made.filter(({ status }) => status === 201)) {
          const asked = [one, two].map((each) => each.request('GET', '/auth/me', { token: bearer(body.key) }))
          assert.deepEqual(statusesOf(await Promise.all(asked)), [401, 401])
        }
      }
    })
  })
}
