import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { type Person, password, type Reply } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { type Event, withAudit, withoutId } from './audit-stage.ts'

const until = '2026-07-01T00:00:00.000Z'

for (const store of stores) {
  describe(`The audit of successful acts, ${store.name}`, { skip: store.skip }, () => {
    const { stage, owner, post, person, during, events, eventOf } = withAudit(store)
    const ban = ({ id }: Person, more = {}) => post('/admin/ban', { userId: id, ...more })
    let target: Person
    let count = 0
    beforeEach(async () => {
      target = await person(`person-${++count}`)
    })

    it('records the owner created at start, by the system', async () => {
      const made = await events('&actor=system')
      assert.deepEqual(made.map(withoutId), [
        {
          at: '2026-06-01T12:00:00.000Z',
          action: 'create',
          outcome: 'success',
          actor: 'system',
          target: owner.id,
          address: null,
          requestId: null,
          count: 1,
          before: null,
          after: { username: 'olivia', role: 'owner' },
        },
      ])
    })

    it('records a registration', async () => {
      const { reply, told } = await during(() =>
        stage.service.request('POST', '/auth/register', { body: { username: 'Newcomer', password } }),
      )
      const { id } = reply.body.user
      const after = { username: 'Newcomer', role: 'user' }
      assert.deepEqual(told.map(withoutId), [eventOf(reply, { action: 'register', actor: id, target: id, after })])
      assert.match(told[0]?.id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })

    const own: Record<string, (who: Person) => Promise<Reply>> = {
      login: ({ username }) => stage.service.login(username),
      logout: ({ accessToken }) => post('/auth/logout', {}, accessToken),
      password: ({ accessToken }) =>
        post('/auth/password', { currentPassword: password, newPassword: 'another horse' }, accessToken),
    }
    for (const [action, act] of Object.entries(own)) {
      it(`records ${action} with the account`, async () => {
        const { reply, told } = await during(() => act(target))
        assert.equal(reply.status, 200)
        assert.deepEqual(told.map(withoutId), [eventOf(reply, { action, actor: target.id, target: target.id })])
      })
    }

    interface Act {
      readonly first?: (who: Person) => Promise<unknown>
      readonly act: (who: Person) => Promise<Reply>
      readonly told: (who: Person) => Partial<Event>
    }
    const acts: Record<string, Act> = {
      'a ban': {
        act: ({ id }) => post('/admin/ban', { userId: id }),
        told: () => ({
          action: 'ban',
          before: { banned: false },
          after: { banned: true, reason: null, until: null },
        }),
      },
      'a ban with reason and end': {
        act: ({ username }) => post('/admin/ban', { username, reason: 'Spam', until: '2026-07-01T02:00+02:00' }),
        told: () => ({ action: 'ban', before: { banned: false }, after: { banned: true, reason: 'Spam', until } }),
      },
      'an unban': {
        first: (who) => ban(who),
        act: ({ id }) => post('/admin/unban', { userId: id }),
        told: () => ({ action: 'unban', before: { banned: true }, after: { banned: false } }),
      },
      'a change of role': {
        act: ({ id }) => post('/admin/user/edit/role', { userId: id, role: 'support' }),
        told: () => ({ action: 'role', before: { role: 'user' }, after: { role: 'support' } }),
      },
      'a rename': {
        act: ({ id, username }) =>
          post('/admin/user/edit/username', { userId: id, newUsername: username.toUpperCase() }),
        told: ({ username }) => ({
          action: 'rename',
          before: { username },
          after: { username: username.toUpperCase() },
        }),
      },
      'a sign-out by an administrator': {
        act: ({ id }) => post('/admin/user/revoke-token', { userId: id }),
        told: () => ({ action: 'revoke-token' }),
      },
    }
    for (const [title, { first, act, told: expected }] of Object.entries(acts)) {
      it(`records ${title} with actor and target`, async () => {
        await first?.(target)
        const { reply, told } = await during(() => act(target))
        assert.equal(reply.status, 200, reply.text)
        assert.deepEqual(told.map(withoutId), [
          eventOf(reply, { actor: owner.id, target: target.id, ...expected(target) }),
        ])
      })
    }

    it('records nothing if nothing changed', async () => {
      const { id: userId, username, accessToken } = target
      await post('/auth/logout', {}, accessToken)
      const { told } = await during(async () => {
        const answers = [
          await post('/admin/user/edit/role', { userId, role: 'user' }),
          await post('/admin/user/edit/username', { userId, newUsername: username }),
          await post('/admin/user/revoke-token', { userId }),
        ]
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200],
        )
      })
      assert.deepEqual(told, [])
    })

    it('records no dry run, whether refused or not', async () => {
      const { id: userId } = target
      const { told } = await during(async () => {
        const answers = [
          await post('/admin/ban?dryRun=true', { userId }),
          await post('/admin/user/edit/role?dryRun=true', { userId, role: 'admin' }),
          await post('/admin/user/edit/username?dryRun=true', { userId, newUsername: 'tried-name' }),
          await post('/admin/unban?dryRun=true', { userId }),
        ]
        assert.deepEqual(
          answers.map(({ status }) => status),
          [200, 200, 200, 400],
        )
      })
      assert.deepEqual(told, [])
    })

    it('records no read', async () => {
      const { token } = owner
      const { told } = await during(async () => {
        for (const path of [
          ...'/auth/me /admin/users /admin/users?limit=1 /admin/users/dashboard /admin/usage /admin/audit'.split(' '),
          `/admin/user/search?userId=${target.id}`,
          `/admin/user/ban?userId=${target.id}`,
        ])
          assert.equal((await stage.service.request('GET', path, { token })).status, 200, path)
      })
      assert.deepEqual(told, [])
    })
  })
}
