import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import type { Account, Act, Parties, Values } from '../../../src/accounts/users.ts'
import { createUserStore } from '../../../src/drivers/accounts/user-store.ts'
import type { Store } from '../../support/stores.ts'
import { accountOf, hourMs, newId, withDatabase } from './stage.ts'
import { hostile } from './user-store.contract.ts'

/** What a single act on an account promises; run for each database. */
export function changeContract(store: Store): void {
  describe(`an act on an account on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const { insert } = stage
    const find = async (id: string) => (await stage.users.find({ id })) as Account
    const act = (target: Act['target'], more: Partial<Act> = {}): Act => ({
      action: 'rename',
      by: cliOrigin,
      target,
      ...more,
    })

    it('is judged over the current state of both parties', async () => {
      const target = await insert(accountOf('judged', { role: 'support' }))
      const actor = await insert(accountOf('judging', { role: 'admin', tokenHash: null }))
      const seen: Parties[] = []
      const look = async (change: Act) =>
        stage.users.change(change, (parties) => {
          seen.push(parties)
          return null
        })
      const by = { ...cliOrigin, actor: actor.id }
      await look(act({ id: target.id }, { by }))
      await look(act({ username: 'JUDGED' }, { by }))
      await look(act({ id: actor.id }, { by }))
      await look(act({ username: 'Judging' }))
      await look(act({ id: newId() }, { by }))
      await look(act({ username: 'nobody' }, { by: { ...by, actor: null } }))
      assert.deepEqual(seen, [
        { target, actor },
        { target, actor },
        { target: actor, actor },
        { target: actor, actor: null },
        { target: null, actor },
        { target: null, actor: null },
      ])
    })

    it('on or by an invalid id or name has no target or actor', async () => {
      for (const text of hostile.filter((name) => name !== '__proto__')) {
        for (const target of [{ id: text }, { username: text }]) {
          const outcome = await stage.users.change(act(target, { by: { ...cliOrigin, actor: text } }), (parties) => {
            assert.deepEqual(parties, { target: null, actor: null })
            return { values: { role: 'owner' } }
          })
          assert.deepEqual(outcome, { account: null, changed: false, isNameTaken: false })
        }
      }
      assert.equal(await stage.users.ownerExists(), false)
    })

    it('that is refused writes nothing, and the refusal is passed on unchanged', async () => {
      const account = await insert(accountOf('refused'))
      const refusal = new Error('no')
      const refused = stage.users.change(act({ id: account.id }), () => {
        throw refusal
      })
      await assert.rejects(refused, (error) => error === refusal)
      assert.deepEqual(await find(account.id), account)
      assert.deepEqual(await stage.eventsOf(account.id), [])
    })

    it('that changes nothing writes nothing, not even an event', async () => {
      const account = await insert(accountOf('untouched'))
      stage.clock.advance(5)
      const outcome = await stage.users.change(act({ id: account.id }), () => null)
      assert.deepEqual(outcome, { account, changed: false, isNameTaken: false })
      assert.deepEqual(await find(account.id), account)
      assert.deepEqual(await stage.eventsOf(account.id), [])
    })

    it('writes every value with exactly one event', async () => {
      const { id, createdAt } = await insert(accountOf('written'))
      const actor = await insert(accountOf('writing'))
      stage.clock.advance(1_000)
      const now = stage.clock.now()
      const ban = { reason: 'spam', since: now, until: now + hourMs, by: actor.username }
      const values = { username: 'Written.2', role: 'moderator', ban, passwordHash: 'p', tokenHash: null } as const
      const by = { actor: actor.id, address: '192.0.2.7', requestId: 'r-7' }
      const [before, after] = [{ username: 'written', banned: false }, { username: 'Written.2' }]
      const outcome = await stage.users.change(act({ id }, { by }), () => ({ values, before, after }))
      const account = { ...values, id, banned: true, createdAt, updatedAt: now }
      assert.deepEqual(outcome, { account, changed: true, isNameTaken: false })
      assert.deepEqual(await find(id), account)
      const [event, ...more] = await stage.eventsOf(id)
      const told = { action: 'rename', outcome: 'success', count: 1, target: id, before, after }
      assert.deepEqual({ ...event, id: '' }, { id: '', at: now, ...by, ...told })
      assert.deepEqual(more, [])
    })

    it('whose event cannot be written leaves the account unchanged', async () => {
      const account = await insert(accountOf('unheard'))
      await stage.write(account.id, { tokenHash: 'next' })
      const [known] = await stage.eventsOf(account.id)
      const users = createUserStore(stage.database, { clock: stage.clock, newId: () => known?.id ?? '' })
      await assert.rejects(async () => users.change(act({ id: account.id }), () => ({ values: { role: 'owner' } })))
      assert.deepEqual(await find(account.id), { ...account, tokenHash: 'next' })
      assert.deepEqual(await stage.eventsOf(account.id), [known])
    })

    it('advances updatedAt with name, role, ban and password, not with a token or the same password', async () => {
      const account = await insert(accountOf('dated', { updatedAt: stage.clock.now() }))
      const ban = { reason: null, since: 1, until: null, by: null }
      const moves: [Values, boolean][] = [
        [{ username: 'dated.2' }, true],
        [{ tokenHash: 'other' }, false],
        [{ role: 'support' }, true],
        [{ rehashed: 'stronger' }, false],
        [{ ban }, true],
        [{ tokenHash: null, rehashed: 'strongest' }, false],
        [{ ban: null }, true],
        [{ passwordHash: 'new', tokenHash: null }, true],
      ]
      let updatedAt = account.updatedAt
      for (const [values, isMoved] of moves) {
        stage.clock.advance(10)
        if (isMoved) updatedAt = stage.clock.now()
        const { account: after } = await stage.write(account.id, values)
        assert.equal(after?.updatedAt, updatedAt, JSON.stringify(values))
        assert.equal((await find(account.id)).updatedAt, updatedAt)
      }
      assert.equal((await find(account.id)).passwordHash, 'new')
    })

    it('stores a stronger hash with the session, in one write', async () => {
      const { id } = await insert(accountOf('stronger'))
      await stage.write(id, { tokenHash: 'new', rehashed: 'stronger hash' })
      const { tokenHash, passwordHash } = await find(id)
      assert.deepEqual([tokenHash, passwordHash], ['new', 'stronger hash'])
      assert.equal((await stage.eventsOf(id)).length, 1)
    })

    it('keeps updatedAt at or after createdAt if the clock was set back', async () => {
      const { id, createdAt } = await insert(accountOf('younger', { createdAt: stage.clock.now() }))
      stage.clock.advance(-10 * hourMs)
      const { account } = await stage.write(id, { role: 'support' })
      assert.equal(account?.updatedAt, createdAt)
      assert.deepEqual(await find(id), account)
      stage.clock.advance(10 * hourMs)
    })

    it('reports a name that is taken in any case, and changes nothing', async () => {
      await insert(accountOf('Holder'))
      const account = await insert(accountOf('renamed'))
      for (const isDryRun of [false, true]) {
        for (const username of ['Holder', 'holder', 'HOLDER']) {
          const outcome = await stage.write(account.id, { username, role: 'admin' }, { isDryRun })
          assert.deepEqual(outcome, { account, changed: false, isNameTaken: true })
        }
      }
      assert.deepEqual(await find(account.id), account)
      assert.deepEqual(await stage.eventsOf(account.id), [])
    })

    it('may change the case of its own name, and frees the old name', async () => {
      const { id } = await insert(accountOf('spelled'))
      assert.equal((await stage.write(id, { username: 'SPELLED' })).changed, true)
      assert.equal((await stage.users.find({ username: 'spelled' }))?.username, 'SPELLED')
      assert.equal((await stage.write(id, { username: 'elsewhere' })).changed, true)
      assert.equal(await stage.users.find({ username: 'spelled' }), null)
      await insert(accountOf('spelled'))
    })

    it('as a dry run returns the account as it would be, and changes nothing', async () => {
      const account = await insert(accountOf('dry'))
      stage.clock.advance(7)
      const ban = { reason: 'r', since: stage.clock.now(), until: null, by: 'cli' }
      const outcome = await stage.write(account.id, { username: 'Dry.2', ban, tokenHash: null }, { isDryRun: true })
      const updatedAt = stage.clock.now()
      const would = { ...account, username: 'Dry.2', banned: true, ban, tokenHash: null, updatedAt }
      assert.deepEqual(outcome, { account: would, changed: true, isNameTaken: false })
      assert.deepEqual(await find(account.id), account)
      assert.equal(await stage.users.find({ username: 'dry.2' }), null)
      assert.deepEqual(await stage.eventsOf(account.id), [])
    })
  })
}
