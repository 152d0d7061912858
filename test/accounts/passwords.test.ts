import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createPasswords, type PasswordHasher } from '../../src/accounts/passwords.ts'
import { argon2Hasher } from '../../src/drivers/accounts/argon2.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { sameOrigin } from '../support/console-browser.ts'
import { password, startService } from '../support/service.ts'
import { type Store, stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { withService } from '../support/with-service.ts'

const shippedCosts = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/

/** A hasher that finishes when it is told to. */
function heldHasher() {
  const held: (() => void)[] = []
  const wait = () => new Promise<void>((resolve) => held.push(resolve))
  const hasher: PasswordHasher = {
    hash: async (text) => wait().then(() => `hash of ${text}`),
    verify: async (hash, text) => wait().then(() => hash === `hash of ${text}`),
    isOutdated: () => false,
    dummy: 'none',
  }
  return { hasher, held, release: () => held.shift()?.() }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const tooMany = { name: 'Refused', message: 'Too many logins at the moment, please try again' }

describe('The queue of hashes', () => {
  it('refuses at once when it is full, and accepts again when a place is free', async () => {
    const { hasher, release } = heldHasher()
    const passwords = createPasswords({ hasher, minLength: 8, slots: 1, queue: 2 })
    const first = passwords.hash('1')
    const waiting = [passwords.hash('2'), passwords.hash('3')]
    await assert.rejects(passwords.hash('4'), tooMany)
    release()
    await first
    const last = passwords.hash('5')
    for (let n = 0; n < 3; n++) {
      await settled()
      release()
    }
    assert.deepEqual(await Promise.all([...waiting, last]), ['hash of 2', 'hash of 3', 'hash of 5'])
  })

  it('frees the place of a client that has left, without a hash', async () => {
    const { hasher, held, release } = heldHasher()
    const passwords = createPasswords({ hasher, minLength: 8, slots: 1, queue: 1 })
    const first = passwords.hash('1')
    const gone = new AbortController()
    const left = passwords.hash('2', gone.signal)
    gone.abort()
    await assert.rejects(left, { name: 'ClientGone' })
    const next = passwords.hash('3')
    release()
    await first
    await settled()
    assert.equal(held.length, 1)
    release()
    assert.equal(await next, 'hash of 3')
    await assert.rejects(passwords.hash('4', AbortSignal.abort()), { name: 'ClientGone' })
  })
})

describe('Passwords', () => {
  it('cost an unknown name one hash too, which never matches', async () => {
    const seen: string[] = []
    const hasher = {
      ...argon2Hasher,
      verify: (hash: string, text: string) => {
        seen.push(hash)
        return argon2Hasher.verify(hash, text)
      },
    }
    const passwords = createPasswords({ hasher, minLength: 8, slots: 2, queue: 64 })
    assert.equal(await passwords.verify(null, password), false)
    assert.deepEqual(seen, [argon2Hasher.dummy])
    const [known, unknown] = [await argon2Hasher.hash(password), argon2Hasher.dummy]
    for (const hash of [known, unknown]) assert.match(hash, shippedCosts)
    const [, , , , ...sizes] = known.split('$').map((part) => part.length)
    assert.deepEqual(
      unknown
        .split('$')
        .slice(4)
        .map((part) => part.length),
      sizes,
    )
  })

  it('are salted: one password, two hashes', async () => {
    assert.notEqual(await argon2Hasher.hash(password), await argon2Hasher.hash(password))
  })
})

describe('The default service', () => {
  const stage = withService(stores[0] as Store, { overrides: { hasher: undefined } })

  it('hashes with the full costs', async () => {
    const { id } = await stage.service.register('known')
    assert.match((await stage.accounts.find(id)).passwordHash, shippedCosts)
  })
})

describe('A login', () => {
  it('costs one hash for an unknown name, as for a known one', async () => {
    const seen: string[] = []
    const verify = (hash: string, text: string) => {
      seen.push(hash)
      return argon2Hasher.verify(hash, text)
    }
    const service = await startService({ overrides: { hasher: { ...argon2Hasher, verify } } })
    await service.register('known')
    for (const name of ['known', 'unknown']) assert.equal((await service.login(name, 'wrong password')).status, 401)
    await service.close()
    assert.deepEqual([seen.length, seen[1]], [2, argon2Hasher.dummy])
  })
})

describe('Logins beyond the queue', () => {
  it('get 503 with Retry-After, as do register, password, delete, create, reset and the first owner, while /health works', async () => {
    const { hasher, held, release } = heldHasher()
    const fast = {
      hash: async (text: string) => `hash of ${text}`,
      verify: async (hash: string, text: string) => hash === `hash of ${text}`,
    }
    let busy = false
    const [sqlite = assert.fail()] = stores
    const place = await sqlite.make()
    const service = await startService({
      place,
      overrides: {
        hasher: {
          ...hasher,
          hash: (text) => (busy ? hasher : fast).hash(text),
          verify: (hash, text) => (busy ? hasher : fast).verify(hash, text),
        },
      },
    })
    const person = await service.register('alice')
    const { id, accessToken } = await service.register('keeper')
    const accounts = await UserStoreForTests.open(place)
    await accounts.setRole(id, 'admin')
    await accounts.close()
    busy = true
    const crowd = Array.from({ length: 66 }, () => service.login('alice'))
    await until(() => held.length >= 2)
    await service.request('GET', '/health')
    const body = { username: 'bob', password }
    const change = { currentPassword: password, newPassword: 'another password' }
    const refused = [
      await service.login('alice'),
      await service.request('POST', '/auth/register', { body }),
      await service.request('POST', '/auth/password', { token: person.accessToken, body: change }),
      await service.request('POST', '/auth/delete', { token: person.accessToken, body: { password } }),
      await service.request('POST', '/admin/user/create', { token: accessToken, body: { ...body, role: 'user' } }),
      await service.request('POST', '/admin/user/reset-password', { token: accessToken, body: { username: 'alice' } }),
      await service.request('POST', '/console/session', { headers: sameOrigin, body }),
      await service.request('POST', '/auth/keys', {
        token: person.accessToken,
        body: { name: 'bot', scopes: ['images'], password },
      }),
      await service.request('POST', `/auth/keys/${id}/rotate`, { token: person.accessToken, body: { password } }),
      await service.request('POST', '/auth/embed', { token: person.accessToken, body: { kind: 'fox', password } }),
      await service.request('DELETE', `/auth/sessions/${id}`, { token: person.accessToken, body: { password } }),
      await service.request('POST', '/console/owner', {
        headers: sameOrigin,
        body: { ...body, code: service.advice.slice(-16) },
      }),
    ]
    const message = 'Too many logins at the moment, please try again'
    for (const { status, body: answer, headers } of refused)
      assert.deepEqual([status, answer, headers.get('retry-after')], [503, { status: 503, message }, '1'])
    assert.equal((await service.request('GET', '/health')).status, 200)
    let answered = 0
    for (const login of crowd) login.then(() => answered++)
    while (answered < crowd.length) {
      release()
      await settled()
    }
    assert.ok((await Promise.all(crowd)).every(({ status }) => status === 200))
    await service.close()
    await place.drop()
  })
})
