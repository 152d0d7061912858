import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { roles } from '../../../src/accounts/roles.ts'
import type { Account } from '../../../src/accounts/users.ts'
import { createUserStore } from '../../../src/drivers/accounts/user-store.ts'
import { created } from '../../support/account-editor.ts'
import { assertProperty } from '../../support/seed.ts'
import type { Store } from '../../support/stores.ts'
import { accountOf, dayMs, hourMs, withDatabase } from './stage.ts'

/** Ids and names that nobody has. */
export const hostile = [
  '',
  '%',
  'p%',
  '_atterned',
  "' OR ''='",
  '\u0000',
  'patterned ',
  'patterned\u0000',
  // The Kelvin sign, which is a k in lower case.
  '\u212Aelvin',
  '__proto__',
  'x'.repeat(10_000),
  '\ud800',
]

/** What every store of accounts promises of reads and inserts; run for each database. */
export function usersContract(store: Store): void {
  describe(`the store of accounts on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const { insert } = stage

    it('returns an account as it was inserted, by id and by name in any case', async () => {
      const ban = { reason: 'Wörds; "quoted"', since: 1_780_000_000_001, until: null, by: 'cli' }
      const account = await insert(accountOf('Round.Trip-1_', { role: 'owner', ban, tokenHash: null }))
      assert.deepEqual(await stage.users.find({ id: account.id }), account)
      for (const username of ['Round.Trip-1_', 'round.trip-1_', 'ROUND.TRIP-1_']) {
        assert.deepEqual(await stage.users.find({ username }), account)
      }
      const { id, username, role, banned, tokenHash } = account
      assert.deepEqual(await stage.users.findPrincipal(id), { id, username, role, banned, tokenHash })
    })

    it('finds nobody by an unknown or invalid id or name, and does not fail', async () => {
      await insert(accountOf('patterned'))
      await insert(accountOf('kelvin'))
      for (const text of hostile) {
        const label = text.slice(0, 20)
        assert.equal(await stage.users.find({ id: text }), null, label)
        assert.equal(await stage.users.find({ username: text }), null, label)
        assert.equal(await stage.users.findPrincipal(text), null, label)
        assert.equal(await stage.directory.find({ id: text }), null, label)
        assert.equal(await stage.directory.find({ username: text }), null, label)
      }
    })

    it('treats __proto__ and constructor as ordinary names', async () => {
      for (const username of ['__proto__', 'constructor']) {
        const account = await insert(accountOf(username))
        assert.deepEqual(await stage.users.find({ username: username.toUpperCase() }), account)
      }
    })

    it('refuses a taken name in any case, and leaves its owner and the audit unchanged', async () => {
      const held = await insert(accountOf('Held'))
      const late = accountOf('hELD', { role: 'owner' })
      assert.equal(await stage.users.insert(late, created), false)
      assert.deepEqual(await stage.users.find({ username: 'held' }), held)
      assert.deepEqual(await stage.directory.events({ target: late.id, before: null, limit: 9 }), [])
    })

    it('accepts one of 50 concurrent inserts of a name, with one event', async () => {
      const accounts = Array.from({ length: 50 }, () => accountOf('crowded'))
      const results = await Promise.all(accounts.map((account) => stage.users.insert(account, created)))
      assert.equal(results.filter((made) => made).length, 1)
      const winner = await stage.users.find({ username: 'crowded' })
      assert.deepEqual(winner, accounts[results.indexOf(true)])
      const events = await Promise.all(
        accounts.map(({ id }) => stage.directory.events({ target: id, before: null, limit: 9 })),
      )
      assert.deepEqual(
        events.flat().map(({ target }) => target),
        [winner?.id],
      )
    })

    it('writes the event of an insert with its actor and address', async () => {
      const account = accountOf('audited')
      const by = { actor: account.id, address: '2001:db8::1', requestId: 'request-1' }
      await stage.users.insert(account, { action: 'register', by })
      const [event, ...more] = await stage.directory.events({ target: account.id, before: null, limit: 9 })
      const { id, ...told } = event ?? { id: '' }
      assert.deepEqual(told, {
        ...by,
        at: stage.clock.now(),
        action: 'register',
        outcome: 'success',
        count: 1,
        target: account.id,
        before: null,
        after: { username: 'audited', role: 'user' },
      })
      assert.deepEqual([id.length, more], [36, []])
    })

    it('inserts nobody if the event cannot be written', async () => {
      const known = (await stage.directory.events({ before: null, limit: 1 }))[0]?.id ?? ''
      const users = createUserStore(stage.database, { clock: stage.clock, newId: () => known })
      const account = accountOf('eventless')
      await assert.rejects(async () => users.insert(account, created))
      assert.equal(await stage.users.find({ id: account.id }), null)
      assert.equal(await stage.users.insert(account, created), true)
    })

    it('ends a ban at its time for every reader, without a write', async () => {
      const until = stage.clock.now() + hourMs
      const ban = { reason: 'an hour', since: stage.clock.now(), until, by: null }
      const { id } = await insert(accountOf('an.hour', { ban }))
      const seen = async () => {
        let parties: unknown
        await stage.users.change({ action: 'ban', by: { ...created.by, actor: id }, target: { id } }, (both) => {
          parties = [both.target?.banned, both.target?.ban, both.actor?.banned, both.actor?.ban]
          return null
        })
        const { banned, ban: found } = (await stage.users.find({ id })) as Account
        const isListed = async (filter: { banned: boolean }) => {
          const order = { by: 'username', descending: false } as const
          const page = await stage.directory.page({ filter: { ...filter, part: 'an.h' }, order, after: null, limit: 9 })
          return page.map((user) => [user.id, user.banned, user.ban])
        }
        return {
          parties,
          found: [banned, found],
          principal: (await stage.users.findPrincipal(id))?.banned,
          listed: [await isListed({ banned: true }), await isListed({ banned: false })],
          shown: (await stage.directory.find({ id }))?.ban,
          sum: (await stage.directory.summary()).bannedUsers,
        }
      }
      const row = () => stage.database.kysely.selectFrom('users').selectAll().where('id', '=', id).execute()
      const [asWritten, sum] = [await row(), (await stage.directory.summary()).bannedUsers]
      const during = {
        parties: [true, ban, true, ban],
        found: [true, ban],
        principal: true,
        listed: [[[id, true, ban]], []],
        shown: ban,
        sum,
      }
      assert.deepEqual(await seen(), during)
      stage.clock.advance(hourMs - 1)
      assert.deepEqual(await seen(), during)
      stage.clock.advance(1)
      assert.deepEqual(await seen(), {
        parties: [false, null, false, null],
        found: [false, null],
        principal: false,
        listed: [[], [[id, false, null]]],
        shown: null,
        sum: sum - 1,
      })
      assert.deepEqual(await row(), asWritten)
    })

    it('keeps a ban without an end', async () => {
      const ban = { reason: null, since: stage.clock.now(), until: null, by: null }
      const { id } = await insert(accountOf('for.ever', { ban }))
      stage.clock.advance(10_000 * dayMs)
      assert.deepEqual((await stage.users.find({ id }))?.ban, ban)
      assert.equal((await stage.users.findPrincipal(id))?.banned, true)
    })

    it('shows its own writes to the guard at once', async () => {
      const { id } = await insert(accountOf('guarded'))
      const seen = async () => stage.users.findPrincipal(id)
      assert.equal((await seen())?.role, 'user')
      await stage.write(id, { role: 'moderator' })
      assert.equal((await seen())?.role, 'moderator')
      await stage.write(id, { ban: { reason: null, since: stage.clock.now(), until: null, by: 'cli' } })
      assert.equal((await seen())?.banned, true)
      await stage.write(id, { tokenHash: null })
      assert.equal((await seen())?.tokenHash, null)
      await stage.write(id, { username: 'Guarded.2' })
      assert.equal((await seen())?.username, 'Guarded.2')
      await stage.write(id, { role: 'owner' }, { isDryRun: true })
      assert.equal((await seen())?.role, 'moderator')
    })

    it('knows whether there is an owner', async () => {
      const other = await store.make()
      const database = await other.open()
      const users = createUserStore(database, { clock: stage.clock, newId: () => accountOf('any').id })
      const { id } = accountOf('first')
      assert.deepEqual([await users.isEmpty(), await users.ownerExists()], [true, false])
      await users.insert(accountOf('first', { id }), created)
      assert.deepEqual([await users.isEmpty(), await users.ownerExists()], [false, false])
      const make = (role: 'owner' | 'admin') =>
        users.change({ action: 'role', by: created.by, target: { id } }, () => ({ values: { role } }))
      await make('owner')
      assert.equal(await users.ownerExists(), true)
      await make('admin')
      assert.equal(await users.ownerExists(), false)
      await database.close()
      await other.drop()
    })

    it('distinguishes all valid names, and finds each in any case', async () => {
      const characters = [...'abcXYZ019_.-']
      const name = fc
        .array(fc.constantFrom(...characters), { minLength: 3, maxLength: 32 })
        .map((list) => list.join(''))
      const property = fc.asyncProperty(name, fc.constantFrom(...roles), async (username, role) => {
        const known = await stage.users.find({ username })
        const account = accountOf(username, { role })
        assert.equal(await stage.users.insert(account, created), known === null)
        assert.deepEqual(await stage.users.find({ username: username.toUpperCase() }), known ?? account)
      })
      await assertProperty(property, { seed: 42, numRuns: 100 })
    })
  })
}
