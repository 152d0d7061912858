import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import { type Person, password, type Reply } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { type Event, withAudit, withoutId } from './audit-stage.ts'

const forbidden = 'refused: You do not have permission to access this resource'

for (const store of stores) {
  describe(`The audit of refusals, ${store.name}`, { skip: store.skip }, () => {
    const { stage, owner, post, person, during, read, eventOf } = withAudit(store)
    let target: Person
    let admin: Person
    let count = 0
    before(async () => {
      admin = await person('ada', 'admin')
    })
    beforeEach(async () => {
      target = await person(`person-${++count}`)
    })

    const login = (name: string, word?: string) => stage.service.login(name, word)
    const asAdmin = (path: string, body: object) => post(path, body, admin.accessToken)

    interface Attempt {
      readonly first?: (who: Person) => Promise<unknown>
      readonly act: (who: Person) => Promise<Reply>
      readonly status: number
      readonly told: (who: Person) => Partial<Event>
    }
    const attempts: Record<string, Attempt> = {
      'a wrong password, by an unknown actor': {
        act: ({ username }) => login(username.toUpperCase(), 'wrong password'),
        status: 401,
        told: ({ id }) => ({ action: 'login', outcome: 'refused: Invalid credentials', target: id }),
      },
      'an unknown name, by an unknown actor and without a target': {
        act: () => login('nobody-of-this-name'),
        status: 401,
        told: () => ({ action: 'login', outcome: 'refused: Invalid credentials' }),
      },
      'a login of a banned user': {
        first: ({ id }) => post('/admin/ban', { userId: id }),
        act: ({ username }) => login(username),
        status: 403,
        told: ({ id }) => ({ action: 'login', outcome: 'refused: User is banned', target: id }),
      },
      'a wrong current password': {
        act: ({ accessToken }) =>
          post('/auth/password', { currentPassword: 'wrong one', newPassword: 'another horse' }, accessToken),
        status: 401,
        told: ({ id }) => ({ action: 'password', outcome: 'refused: Invalid credentials', actor: id, target: id }),
      },
      'a new password against the rule, in the words of the reply': {
        act: ({ accessToken }) =>
          post('/auth/password', { currentPassword: password, newPassword: 'short' }, accessToken),
        status: 400,
        told: ({ id }) => ({
          action: 'password',
          outcome: 'refused: Password must be at least 8 characters and at most 1024 bytes',
          actor: id,
          target: id,
        }),
      },
      'a ban against the rule': {
        first: ({ id }) => post('/admin/user/edit/role', { userId: id, role: 'admin' }),
        act: ({ id }) => asAdmin('/admin/ban', { userId: id }),
        status: 403,
        told: ({ id }) => ({
          action: 'ban',
          outcome: 'refused: You do not have permission to ban this user',
          actor: admin.id,
          target: id,
        }),
      },
      'a ban of oneself': {
        act: () => asAdmin('/admin/ban', { username: 'ADA' }),
        status: 400,
        told: () => ({
          action: 'ban',
          outcome: 'refused: You cannot ban yourself',
          actor: admin.id,
          target: admin.id,
        }),
      },
      'a ban of an unknown user': {
        act: () => asAdmin('/admin/ban', { username: 'nobody-of-this-name' }),
        status: 404,
        told: () => ({ action: 'ban', outcome: 'refused: User not found', actor: admin.id }),
      },
      'a ban of a banned user': {
        first: ({ id }) => post('/admin/ban', { userId: id }),
        act: ({ id }) => asAdmin('/admin/ban', { userId: id }),
        status: 400,
        told: ({ id }) => ({
          action: 'ban',
          outcome: 'refused: User is already banned',
          actor: admin.id,
          target: id,
        }),
      },
      'a rename to a name that is taken': {
        act: ({ id }) => post('/admin/user/edit/username', { userId: id, newUsername: 'ada' }),
        status: 409,
        told: ({ id }) => ({
          action: 'rename',
          outcome: 'refused: Username already exists',
          actor: owner.id,
          target: id,
        }),
      },
      'an act by a banned user': {
        first: ({ id }) => post('/admin/ban', { userId: id }),
        act: ({ accessToken }) => post('/admin/ban', { username: 'ada' }, accessToken),
        status: 403,
        told: ({ id }) => ({ action: 'ban', outcome: 'refused: User is banned', actor: id }),
      },
    }
    for (const [title, { first, act, status, told: expected }] of Object.entries(attempts)) {
      it(`records ${title}`, async () => {
        await first?.(target)
        const { reply, told } = await during(() => act(target))
        assert.equal(reply.status, status, reply.text)
        assert.deepEqual(told.map(withoutId), [eventOf(reply, expected(target))])
        assert.doesNotMatch((await read('?limit=500')).text, /nobody-of-this-name/)
      })
    }

    const byRole = {
      'POST /admin/ban': 'ban',
      'POST /admin/unban': 'unban',
      'POST /admin/user/revoke-token': 'revoke-token',
      'POST /admin/user/reset-password': 'reset-password',
      'POST /admin/user/edit/role': 'role',
      'POST /admin/user/edit/username': 'rename',
      'GET /admin/user/ban': 'ban.read',
      'GET /admin/user/search': 'user.read',
      'GET /admin/users': 'users.read',
      'GET /admin/users/dashboard': 'users.read',
      'GET /admin/usage': 'usage.read',
      'GET /admin/audit': 'audit.read',
    }
    for (const [route, action] of Object.entries(byRole)) {
      it(`records a user without permission: ${route}`, async () => {
        const [method = '', path = ''] = route.split(' ')
        const { id, accessToken } = target
        const { reply, told } = await during(() => stage.service.request(method, path, { token: accessToken }))
        assert.equal(reply.status, 403)
        assert.deepEqual(told.map(withoutId), [eventOf(reply, { action, outcome: forbidden, actor: id })])
      })
    }

    it('records no anonymous refusal without a credential check: missing token, invalid form, taken name', async () => {
      const { request } = stage.service
      const { told } = await during(async () => {
        const answers: Reply[] = []
        for (const token of [undefined, 'Bearer nonsense']) {
          answers.push(await request('GET', '/admin/audit', { ...(token && { token }) }))
          for (const path of ['/admin/ban', '/auth/logout', '/auth/password'])
            answers.push(await request('POST', path, { body: {}, ...(token && { token }) }))
        }
        for (const path of ['/auth/login', '/auth/register']) {
          for (const body of [{}, '{', { username: 'a b', password }, { username: 'ada' }])
            answers.push(await request('POST', path, { body }))
        }
        answers.push(await request('POST', '/auth/register', { body: { username: 'ada', password } }))
        assert.deepEqual(
          answers.map(({ status }) => status),
          [...Array(8).fill(401), ...Array(8).fill(400), 409],
        )
      })
      assert.deepEqual(told, [])
    })
  })
}
