import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import { roles } from '../../src/accounts/roles.ts'
import type { Account } from '../../src/accounts/users.ts'
import type { Database } from '../../src/drivers/sql/database.ts'
import { createUserStore } from '../../src/drivers/sql/user-store.ts'
import { createIds } from '../../src/lib/ids.ts'
import { fakeClock } from '../support/clock.ts'
import type { Store } from '../support/stores.ts'

const newId = createIds(fakeClock())

export const accountOf = (username: string, more: Partial<Account> = {}): Account => ({
  id: newId(),
  username,
  role: 'user',
  banned: false,
  passwordHash: `hash of ${username}`,
  tokenHash: `token of ${username}`,
  createdAt: 1_780_000_000_000,
  updatedAt: 1_780_000_000_001,
  ...more,
})

/** What every store of accounts promises; run for each database. */
export function usersContract(store: Store): void {
  describe(`accounts on ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let database: Database
    let users: ReturnType<typeof createUserStore>
    before(async () => {
      place = await store.make()
      database = await place.open()
      users = createUserStore(database)
    })
    after(async () => {
      await database.close()
      await place.drop()
    })
    const insert = async (account: Account) => {
      assert.equal(await users.insert(account), true)
      return account
    }

    it('gives back an account as it was put in, by id and by name in any case', async () => {
      const account = await insert(accountOf('Round.Trip-1_', { role: 'owner', banned: true, tokenHash: null }))
      assert.deepEqual(await users.findById(account.id), account)
      for (const name of ['Round.Trip-1_', 'round.trip-1_', 'ROUND.TRIP-1_']) {
        assert.deepEqual(await users.findByName(name), account)
      }
      const { id, username, role, banned, tokenHash } = account
      assert.deepEqual(await users.findPrincipal(id), { id, username, role, banned, tokenHash })
    })

    it('finds nobody by an unknown id or name, or by a pattern', async () => {
      await insert(accountOf('patterned'))
      for (const text of ['', '%', 'p%', '_atterned', "' OR ''='", '\u0000', 'patterned ']) {
        if (store.name === 'PostgreSQL' && text === '\u0000') continue
        assert.equal(await users.findById(text), null)
        assert.equal(await users.findByName(text), null)
        assert.equal(await users.findPrincipal(text), null)
      }
    })

    it('refuses a name that is held, in any case, and leaves its holder alone', async () => {
      const held = await insert(accountOf('Held'))
      assert.equal(await users.insert(accountOf('hELD', { role: 'owner' })), false)
      assert.deepEqual(await users.findByName('held'), held)
    })

    it('lets one of 50 inserts of one name through', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, () => users.insert(accountOf('crowded'))))
      assert.equal(results.filter((made) => made).length, 1)
    })

    it('starts a session only while the password is the verified one and the account is not banned', async () => {
      const { id, passwordHash } = await insert(accountOf('session'))
      const start = (verifiedHash: string, tokenHash: string) =>
        users.startSession({ id, tokenHash, verifiedHash, rehashed: null })
      assert.equal(await start(passwordHash, 'first'), true)
      assert.equal(await start('another hash', 'second'), false)
      assert.equal((await users.findById(id))?.tokenHash, 'first')
      await users.setBanned(id, true, 5)
      assert.equal(await start(passwordHash, 'third'), false)
      assert.equal((await users.findById(id))?.tokenHash, 'first')
      assert.equal(
        await users.startSession({ id: 'nobody', tokenHash: 'x', verifiedHash: passwordHash, rehashed: null }),
        false,
      )
    })

    it('stores a stronger hash with the session, in one write', async () => {
      const { id, passwordHash } = await insert(accountOf('stronger'))
      await users.startSession({ id, tokenHash: 'new', verifiedHash: passwordHash, rehashed: 'stronger hash' })
      const { tokenHash, passwordHash: after } = (await users.findById(id)) ?? {}
      assert.deepEqual([tokenHash, after], ['new', 'stronger hash'])
    })

    it('answers the same to a write that is asked a second time, as after a lost connection', async () => {
      const account = await insert(accountOf('twice'))
      const { id, passwordHash: verifiedHash } = account
      assert.equal(await users.insert(account), true)
      const session = { id, tokenHash: 'second token', verifiedHash, rehashed: 'rehashed' }
      assert.deepEqual([await users.startSession(session), await users.startSession(session)], [true, true])
      const change = {
        id,
        passwordHash: 'p',
        tokenHash: 'third token',
        verifiedHash: 'rehashed',
        currentTokenHash: 'second token',
        at: 9,
      }
      assert.deepEqual([await users.changePassword(change), await users.changePassword(change)], [true, true])
      assert.equal(await users.insert(accountOf('twice')), false)
    })

    it('ends only the session that is meant', async () => {
      const { id } = await insert(accountOf('ending'))
      assert.equal(await users.endSession(id, 'an older token'), false)
      assert.equal((await users.findById(id))?.tokenHash, 'token of ending')
      assert.equal(await users.endSession(id, 'token of ending'), true)
      assert.equal((await users.findPrincipal(id))?.tokenHash, null)
    })

    it('changes a password only for the newest token, the verified password and a user who is not banned', async () => {
      const account = await insert(accountOf('passwords'))
      const right = {
        id: account.id,
        passwordHash: 'new hash',
        tokenHash: 'new token',
        verifiedHash: account.passwordHash,
        currentTokenHash: account.tokenHash ?? '',
        at: 77,
      }
      assert.equal(await users.changePassword({ ...right, currentTokenHash: 'older' }), false)
      assert.equal(await users.changePassword({ ...right, verifiedHash: 'older' }), false)
      await users.setBanned(account.id, true, 5)
      assert.equal(await users.changePassword(right), false)
      await users.setBanned(account.id, false, 5)
      assert.equal(await users.changePassword(right), true)
      const { passwordHash, tokenHash, updatedAt } = (await users.findById(account.id)) ?? {}
      assert.deepEqual([passwordHash, tokenHash, updatedAt], ['new hash', 'new token', 77])
    })

    it('shows every write of its own at once to the guard', async () => {
      const { id } = await insert(accountOf('guarded'))
      const seen = async () => users.findPrincipal(id)
      assert.equal((await seen())?.role, 'user')
      await users.setRole(id, 'moderator', 6)
      assert.equal((await seen())?.role, 'moderator')
      await users.setBanned(id, true, 6)
      assert.equal((await seen())?.banned, true)
      await users.revokeToken(id)
      assert.equal((await seen())?.tokenHash, null)
      await users.setPassword(id, 'operator hash', 8)
      const { passwordHash, tokenHash, updatedAt } = (await users.findById(id)) ?? {}
      assert.deepEqual([passwordHash, tokenHash, updatedAt], ['operator hash', null, 8])
    })

    it('answers false when the operator changes nobody', async () => {
      assert.deepEqual(
        [
          await users.setPassword('nobody', 'x', 1),
          await users.setRole('nobody', 'owner', 1),
          await users.setBanned('nobody', true, 1),
          await users.revokeToken('nobody'),
        ],
        [false, false, false, false],
      )
    })

    it('knows whether there is an owner, and how many', async () => {
      const owners = async () => (await users.list(null, 100, { role: 'owner' })).length
      const before = await owners()
      const { id } = await insert(accountOf('an.owner', { role: 'owner' }))
      assert.equal(await owners(), before + 1)
      assert.equal(await users.ownerExists(), true)
      await users.setRole(id, 'user', 1)
      assert.equal(await owners(), before)
      assert.equal(await users.isEmpty(), false)
    })

    it('lists every account once, in pages by id', async () => {
      const all: Account[] = []
      for (let page = await users.list(null, 3); page.length > 0; page = await users.list(page.at(-1)?.id ?? null, 3)) {
        all.push(...page)
      }
      const ids = all.map(({ id }) => id)
      assert.deepEqual(ids, [...ids].sort())
      assert.equal(new Set(ids).size, ids.length)
    })

    it('keeps every legal name apart from every other, and finds each under any spelling', async () => {
      const characters = [...'abcXYZ019_.-']
      const name = fc
        .array(fc.constantFrom(...characters), { minLength: 3, maxLength: 32 })
        .map((list) => list.join(''))
      const property = fc.asyncProperty(
        name,
        fc.constantFrom(...roles),
        fc.boolean(),
        async (username, role, banned) => {
          const known = await users.findByName(username)
          const account = accountOf(username, { role, banned })
          assert.equal(await users.insert(account), known === null)
          const found = await users.findByName(username.toUpperCase())
          assert.deepEqual(found, known ?? account)
        },
      )
      await fc.assert(property, { seed: 42, numRuns: 100 })
    })
  })
}
