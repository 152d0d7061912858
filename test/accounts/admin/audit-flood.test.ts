import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Users } from '../../../src/accounts/users.ts'
import { stranger } from '../../support/people.ts'
import type { Person, Reply } from '../../support/service.ts'
import { sized } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { withAudit, withoutId } from './audit-stage.ts'

for (const store of stores) {
  describe(`A flood of refusals, ${store.name}`, { skip: store.skip }, () => {
    const { post, person, events, eventOf, stage } = withAudit(store)
    let admin: Person
    let other: Person
    before(async () => {
      admin = await person('ada', 'admin')
      other = await person('bob', 'admin')
    })
    const ban = (userId: string, by = admin) => post('/admin/ban', { userId }, by.accessToken)
    const refused = 'refused: You do not have permission to ban this user'

    it('hides no other refusal: repetitions are one event with a count, and every different refusal has its own', async () => {
      const targets = await Promise.all(
        Array.from({ length: sized(40, 120) }, () => stranger(stage, { role: 'admin' })),
      )
      const repetitions = sized(60, 150)
      const replies: Reply[] = []
      for (let time = 0; time < repetitions; time++) replies.push(await ban(admin.id))
      for (const { id } of targets) replies.push(await ban(id))
      replies.push(await ban(admin.id, other))
      const told = await events('&action=ban')
      // Real time passes, so the flood may be written in several parts.
      const own = told.filter(({ target, actor }) => target === admin.id && actor === admin.id)
      assert.equal(
        own.reduce((sum, { count }) => sum + count, 0),
        repetitions,
      )
      assert.ok(own.length < (2 / 3) * repetitions, `${own.length} events`)
      const [first] = replies
      assert.ok(first)
      const { count, ...oldest } = own.at(-1) ?? assert.fail()
      const expected = eventOf(first, {
        action: 'ban',
        outcome: 'refused: You cannot ban yourself',
        actor: admin.id,
        target: admin.id,
      })
      assert.deepEqual({ ...withoutId({ ...oldest, count }), count: 1 }, expected)
      const others = new Map(told.filter(({ outcome }) => outcome === refused).map((event) => [event.target, event]))
      for (const { id } of targets) assert.equal(others.get(id)?.actor, admin.id)
      assert.equal(others.get(admin.id)?.actor, other.id, 'the last')
      assert.equal(others.size, targets.length + 1)
    })
  })

  describe(`An act that fails before the decision, ${store.name}`, { skip: store.skip }, () => {
    const state = { fails: false }
    const breaking = (real: Users): Users => ({
      ...real,
      findPrincipal: (id) => real.findPrincipal(id),
      find: (who) => (state.fails ? Promise.reject(new Error('the database said no')) : real.find(who)),
      change: (act, changeOf) =>
        state.fails ? Promise.reject(new Error('the database said no')) : real.change(act, changeOf),
    })
    const { post, person, during, owner } = withAudit(store, { overrides: { users: breaking } })
    let target: Person
    before(async () => {
      target = await person('Target')
    })
    const failing = async (act: () => Promise<Reply>) => {
      const { told } = await during(async () => {
        state.fails = true
        const { status } = await act()
        state.fails = false
        assert.equal(status, 500)
      })
      return told.map(({ action, outcome, actor, target }) => [action, outcome, actor, target])
    }

    const acts: Record<string, readonly [action: string, message: string, terms: object]> = {
      '/admin/ban': ['ban', 'Failed to ban user', {}],
      '/admin/unban': ['unban', 'Internal Server Error', {}],
      '/admin/user/edit/role': ['role', 'Failed to update user role', { role: 'support' }],
      '/admin/user/edit/username': ['rename', 'Failed to update user username', { newUsername: 'other' }],
      '/admin/user/revoke-token': ['revoke-token', 'Internal Server Error', {}],
    }
    for (const [path, [action, message, terms]] of Object.entries(acts)) {
      it(`records its target, by id and by name: ${path}`, async () => {
        for (const who of [{ userId: target.id }, { username: 'tARGET' }, { userId: target.id, username: 'olivia' }]) {
          const told = await failing(() => post(path, { ...who, ...terms }))
          assert.deepEqual(told, [[action, `failed: ${message}`, owner.id, target.id]])
        }
      })

      it(`records no target that is not an account: ${path}`, async () => {
        for (const who of [
          { userId: 'my password' },
          { username: 'my-password' },
          { username: 'a\0' },
          { userId: owner.id.replace(/.$/, 'z') },
        ]) {
          const told = await failing(() => post(path, { ...who, ...terms }))
          assert.deepEqual(told, [[action, `failed: ${message}`, owner.id, null]])
        }
      })
    }
  })
}
