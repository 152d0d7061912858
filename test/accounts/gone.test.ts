import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { describe, it } from 'node:test'
import { createPasswords, hashLimits, type PasswordHasher } from '../../src/accounts/passwords.ts'
import { register } from '../../src/accounts/register.ts'
import { createTokens } from '../../src/accounts/tokens.ts'
import { createIds } from '../../src/lib/ids.ts'
import { head, Wire } from '../http/wire.ts'
import { userStoreOf } from '../support/account-editor.ts'
import { fakeClock } from '../support/clock.ts'
import { password, startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { until } from '../support/until.ts'

const hasher = (hash: PasswordHasher['hash']): PasswordHasher => ({
  hash,
  verify: async () => false,
  isOutdated: () => false,
  dummy: 'none',
})
const clientGone = { name: 'ClientGone' }

for (const store of stores) {
  describe(`A registration whose client leaves, on ${store.name}`, { skip: store.skip }, () => {
    it('creates nothing if the password is being hashed', async () => {
      const place = await store.make()
      const database = await place.open()
      const clock = fakeClock()
      const newId = createIds(clock)
      const users = userStoreOf(database)
      const tokens = createTokens({ secret: 'x'.repeat(32), ttlMs: 60_000, clock, newId })
      const leaving = new AbortController()
      const leaves = hasher(async () => {
        leaving.abort()
        return 'hash'
      })
      const passwords = createPasswords({ hasher: leaves, minLength: 8, slots: 1, queue: 1 })
      const wanted = { username: 'gone', password, from: { actor: null, address: null, requestId: null } }
      await assert.rejects(register({ users, passwords, tokens, clock, newId }, wanted, leaving.signal), clientGone)
      assert.equal(await users.find({ username: 'gone' }), null)
    })
  })
}

describe('A registration whose client leaves', () => {
  it('is not hashed and creates nothing if it waits for its turn', async () => {
    const held: { readonly text: string; go(): void }[] = []
    const holding = hasher(
      (text) => new Promise((resolve) => void held.push({ text, go: () => resolve(`hash of ${text}`) })),
    )
    const service = await startService({ overrides: { hasher: holding } })
    const waiting = async () =>
      Number(/_password_hashes\{state="waiting"\} (\d+)/.exec((await service.request('GET', '/metrics')).text)?.[1])
    const send = (username: string) => {
      const body = JSON.stringify({ username, password: `password of ${username}` })
      const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
      return new Wire(service.port).send(head('POST', '/auth/register', headers) + body)
    }
    const slots = Math.min(hashLimits.slots, availableParallelism())
    const staying = Array.from({ length: slots + 1 }, (_, index) => send(`stays-${index}`))
    await until(async () => held.length === slots && (await waiting()) === 1)
    const leaving = send('leaves')
    await until(async () => (await waiting()) === 2)
    leaving.socket.destroy()
    await until(async () => (await waiting()) === 1)
    for (let done = 0; done < staying.length; done++) {
      await until(() => held.length > done)
      held[done]?.go()
    }
    for (const wire of staying) {
      assert.equal((await wire.answer()).status, 201)
      wire.close()
    }
    assert.ok(held.every(({ text }) => text !== 'password of leaves'))
    const again = send('leaves')
    await until(() => held.length > staying.length)
    held.at(-1)?.go()
    assert.equal((await again.answer()).status, 201, 'the name is free')
    again.close()
  })
})
