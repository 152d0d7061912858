import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import { answerOf, type Cast, cast, hostile, noIdentifier, notFound, stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const queryOf = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`

for (const store of stores) {
  describe(`Looking up a user on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { overrides: { clock } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const get = async (path: string, actor: keyof Cast = 'admin') =>
      answerOf(await stage.service.request('GET', path, { token: people[actor].accessToken }))
    const idFound = async (query: string) => {
      const [status, body] = (await get(`/admin/user/search${query}`)) as [number, { user: { id: string } }]
      assert.equal(status, 200)
      return body.user.id
    }
    const someone = () => stranger(stage, { now: clock.now() })

    it('GET /admin/user/search returns the full user and counters, by id and by a name in any case', async () => {
      const at = new Date(clock.now()).toISOString()
      const { id, username } = await stage.service.register('Looked.At')
      const user = { id, username, role: 'user', banned: false, createdAt: at, updatedAt: at, collection: 'users' }
      const [, first] = (await get(`/admin/user/search?userId=${id}`)) as [number, { requests: { id: string } }]
      const counts = { auth: 1, admin: 0, images: 0, total: 1 }
      const requests = { id: first.requests.id, ...counts, createdAt: at, updatedAt: at, collection: 'requests' }
      assert.match(first.requests.id, uuid7)
      assert.deepEqual(first, { status: 200, user, requests })
      for (const name of ['Looked.At', 'looked.at', 'LOOKED.AT'])
        assert.deepEqual(await get(`/admin/user/search?username=${name}`, 'support'), [200, first])
    })

    it('returns null counters for a user without requests', async () => {
      const { id, username } = await someone()
      const at = new Date(clock.now()).toISOString()
      const user = { id, username, role: 'user', banned: false, createdAt: at, updatedAt: at, collection: 'users' }
      assert.deepEqual(await get(`/admin/user/search?userId=${id}`), [200, { status: 200, user, requests: null }])
    })

    it('counts the very request that searches for oneself', async () => {
      const { id } = people.moderator
      const count = async () => {
        const [, body] = (await get(`/admin/user/search?userId=${id}`, 'moderator')) as [number, { requests: object }]
        return body.requests as { admin: number; auth: number; total: number }
      }
      const { admin, auth, total } = await count()
      assert.deepEqual([admin, auth, total], [1, 1, 2])
      assert.equal((await count()).admin, 2)
    })

    it('shows a ban', async () => {
      const { id } = await someone()
      await stage.service.request('POST', '/admin/ban', { token: people.admin.accessToken, body: { userId: id } })
      const [, body] = (await get(`/admin/user/search?userId=${id}`)) as [number, { user: { banned: boolean } }]
      assert.equal(body.user.banned, true)
    })

    it('prefers the userId to the username unless it is empty', async () => {
      const [one, two] = [await someone(), await someone()]
      assert.equal(await idFound(queryOf({ userId: one.id, username: two.username })), one.id)
      assert.equal(await idFound(queryOf({ username: two.username, userId: one.id })), one.id)
      assert.equal(await idFound(queryOf({ userId: '', username: two.username })), two.id)
      const other = queryOf({ userId: 'nobody', username: two.username })
      assert.deepEqual(await get(`/admin/user/search${other}`), notFound)
    })

    it('uses the first of a repeated parameter, and ignores all others', async () => {
      const [one, two] = [await someone(), await someone()]
      assert.equal(await idFound(`?username=${one.username}&username=${two.username}`), one.id)
      assert.equal(await idFound(`?username=${one.username}&dryRun=x&limit=0&user_id=${two.id}`), one.id)
    })

    for (const path of ['/admin/user/search', '/admin/user/ban']) {
      it(`${path} refuses a query that names nobody`, async () => {
        const queries = ['', '?', '?userId=', '?username=&userId=', '?userid=x', '?username[]=user', '?__proto__=x']
        for (const query of queries) assert.deepEqual(await get(path + query), noIdentifier, query)
      })

      it(`${path} finds nobody by a hostile name or id`, async () => {
        for (const text of hostile) {
          assert.deepEqual(await get(path + queryOf({ username: text })), notFound)
          assert.deepEqual(await get(path + queryOf({ userId: text })), notFound)
        }
        for (const raw of ['%', '%zz', '%ff%fe', '%ed%a0%80', '%00', '+', '%2500'])
          assert.deepEqual(await get(`${path}?username=${raw}`), notFound)
      })

      it(`${path} answers HEAD like GET, without a body`, async () => {
        const reply = await stage.service.request('HEAD', `${path}?username=user`, { token: people.admin.accessToken })
        assert.deepEqual([reply.status, reply.text], [200, ''])
      })
    }

    it('finds valid names that are special elsewhere', async () => {
      for (const username of ['__proto__', 'constructor', '...', 'hasOwnProperty', 'null']) {
        const { id } = await stranger(stage, { username })
        assert.equal(await idFound(queryOf({ username })), id)
        assert.deepEqual(await get(`/admin/user/ban${queryOf({ username })}`), [200, { status: 200, ban: null }])
      }
    })

    it('GET /admin/user/ban returns null without a ban, and every field of a ban', async () => {
      const { id, username } = await someone()
      assert.deepEqual(await get(`/admin/user/ban?userId=${id}`), [200, { status: 200, ban: null }])
      const until = new Date(clock.now() + 5_000).toISOString()
      const body = { userId: id, reason: 'Spam', until }
      await stage.service.request('POST', '/admin/ban', { token: people.owner.accessToken, body })
      const since = new Date(clock.now()).toISOString()
      const ban = { reason: 'Spam', since, until, by: people.owner.id }
      const asked = () => get(`/admin/user/ban?username=${username.toUpperCase()}`)
      assert.deepEqual(await asked(), [200, { status: 200, ban }])
      clock.advance(4_999)
      assert.deepEqual(await asked(), [200, { status: 200, ban }])
      clock.advance(1)
      assert.deepEqual(await asked(), [200, { status: 200, ban: null }])
    })

    it('GET /admin/user/ban reports a ban by the command line as cli', async () => {
      const { id } = await someone()
      await stage.accounts.ban(id)
      const [, body] = (await get(`/admin/user/ban?userId=${id}`)) as [number, { ban: { by: string } }]
      assert.equal(body.ban.by, 'cli')
    })
  })
}
