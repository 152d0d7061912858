import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Stranger, stranger } from '../../support/people.ts'
import type { Person } from '../../support/service.ts'
import { sized } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const oddNames = ['__proto__', 'constructor', 'toString', '123', '0.0', 'hasOwnProperty', '__defineGetter__']
const noRequests = {
  requestsId: null,
  auth: 0,
  admin: 0,
  images: 0,
  total: 0,
  requestsCreatedAt: null,
  requestsUpdatedAt: null,
  requestsCollection: null,
}

/** Reads the text of a reply again, entry by entry: an object would hide a duplicate name. */
const idsIn = (text: string) => [...text.matchAll(/"id":"([^"]*)","username"/g)].map(([, id]) => id)

for (const store of stores) {
  describe(`The whole lists on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, owner, person } = withAudit(store)
    const get = (path: string, token = owner.token) => stage.service.request('GET', path, { token })
    const at = () => new Date(clock.now()).toISOString()
    const userForm = ({ id, username }: Stranger, given: object = {}) => ({
      id,
      username,
      role: 'user',
      banned: false,
      createdAt: at(),
      updatedAt: at(),
      collection: 'users',
      ...given,
    })
    let ann: Person
    let quiet: Stranger
    const crowd: Stranger[] = []

    before(async () => {
      ann = await person('Ann.Bee', 'support')
      quiet = await stranger(stage, { username: 'quiet', now: clock.now() })
      await stage.accounts.ban(quiet.id)
      await person('Kim')
    })

    it('GET /admin/users returns every user with counters, keyed by the name as spelled', async () => {
      const { status, body, headers } = await get('/admin/users')
      assert.equal(status, 200)
      assert.match(headers.get('content-type') ?? '', /^application\/json/)
      assert.deepEqual(Object.keys(body), ['status', 'users'])
      assert.deepEqual(Object.keys(body.users).toSorted(), ['Ann.Bee', 'Kim', 'olivia', 'quiet'])
      const requestsId = body.users['Ann.Bee'].requests.id
      assert.match(requestsId, uuid7)
      const counts = { auth: 1, admin: 0, images: 0, total: 1 }
      assert.deepEqual(body.users['Ann.Bee'], {
        user: userForm(ann, { role: 'support' }),
        requests: { id: requestsId, ...counts, createdAt: at(), updatedAt: at(), collection: 'requests' },
      })
      const { user, requests } = body.users.quiet
      assert.equal(requests, null)
      assert.deepEqual(user, userForm(quiet, { banned: true, updatedAt: user.updatedAt }))
    })

    it('GET /admin/users/dashboard returns one row per user, and totals', async () => {
      const { status, body } = await get('/admin/users/dashboard')
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['status', 'summary', 'users'])
      // The owner: a login, a change of role and two lists; the others: two registrations.
      assert.deepEqual(body.summary, {
        totalUsers: 4,
        bannedUsers: 1,
        totalRequests: 6,
        adminRequests: 3,
        authRequests: 3,
        imageRequests: 0,
      })
      const rowOf = (name: string) => body.users.find(({ username }: Stranger) => username === name)
      const { requestsId, ...row } = rowOf('Ann.Bee')
      assert.match(requestsId, uuid7)
      assert.deepEqual(row, {
        ...userForm(ann, { role: 'support' }),
        auth: 1,
        admin: 0,
        images: 0,
        total: 1,
        requestsCreatedAt: at(),
        requestsUpdatedAt: at(),
        requestsCollection: 'requests',
      })
      const { updatedAt } = rowOf('quiet')
      assert.deepEqual(rowOf('quiet'), { ...userForm(quiet, { banned: true, updatedAt }), ...noRequests })
      assert.equal(body.users.length, 4)
    })

    it('GET /admin/users/roles counts the accounts of each role', async () => {
      const { status, body } = await get('/admin/users/roles')
      const counts = { user: 2, support: 1, moderator: 0, admin: 0, owner: 1 }
      assert.deepEqual([status, body], [200, { status: 200, roles: counts }])
      assert.equal((await get('/admin/users/roles', ann.accessToken)).status, 403)
    })

    it('a user named like a JavaScript property is like any other', async () => {
      const odd = await Promise.all(oddNames.map((username) => stranger(stage, { username, now: clock.now() })))
      for (const query of ['', '?limit=500']) {
        const entries = Object.entries(JSON.parse((await get(`/admin/users${query}`)).text).users)
        assert.equal(entries.length, 4 + odd.length)
        for (const each of odd) {
          const found = entries.filter(([name]) => name === each.username)
          assert.deepEqual(found, [[each.username, { user: userForm(each), requests: null }]])
        }
        const { users } = (await get(`/admin/users/dashboard${query}`)).body
        for (const each of odd)
          assert.deepEqual(
            users.filter(({ username }: Stranger) => username === each.username),
            [{ ...userForm(each), ...noRequests }],
          )
      }
    })

    it('HEAD returns the headers only', async () => {
      for (const path of ['/admin/users', '/admin/users/dashboard']) {
        const { headers: expected } = await get(path)
        const { status, text, headers } = await stage.service.request('HEAD', path, { token: owner.token })
        assert.deepEqual([status, text], [200, ''])
        for (const name of ['content-type', 'cache-control', 'vary', 'x-content-type-options'])
          assert.equal(headers.get(name), expected.get(name), name)
      }
    })

    it('contain everyone once if they span several reads', async () => {
      for (let each = 0; each < sized(603, 1_203); each++)
        crowd.push(await stranger(stage, { username: `crowd-${each}` }))
      for (const path of ['/admin/users', '/admin/users/dashboard']) {
        const { text, body } = await get(path)
        const ids = idsIn(text)
        assert.equal(ids.length, 4 + oddNames.length + crowd.length)
        assert.equal(new Set(ids).size, ids.length)
        const names = Object.values<{ user?: Stranger } & Stranger>(body.users).map((each) => each.user ?? each)
        const found = new Map(names.map(({ id, username }) => [id, username]))
        for (const { id, username } of crowd) assert.equal(found.get(id), username)
      }
    })

    it('contain everyone once despite new users and renames during the response', async () => {
      for (const path of ['/admin/users', '/admin/users/dashboard']) {
        const list = get(path)
        for (let each = 0; each < 20; each++) {
          await stranger(stage)
          await stage.accounts.rename(crowd[each * 30]?.id ?? '', `renamed-${path.length}-${each}`)
        }
        const ids = idsIn((await list).text)
        assert.equal(new Set(ids).size, ids.length)
        for (const { id } of crowd) assert.ok(ids.includes(id))
      }
    })
  })
}
