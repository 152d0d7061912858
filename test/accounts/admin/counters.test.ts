import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Users } from '../../../src/accounts/users.ts'
import { stranger } from '../../support/people.ts'
import { password, startService, type TestService } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

interface Requests {
  readonly id: string
  readonly auth: number
  readonly admin: number
  readonly images: number
  readonly total: number
  readonly createdAt: string
  readonly updatedAt: string
}

const env = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password }
const ownerOf = async (service: TestService) => (await service.login('olivia')).body.accessToken as string
const timesOf = (count: number, act: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, act))

for (const store of stores) {
  describe(`Request counters on ${store.name}`, { skip: store.skip }, () => {
    const broken = { isBroken: false, isBlind: false }
    const users = (real: Users): Users => ({
      ...real,
      findPrincipal(userId) {
        if (broken.isBlind) throw new Error('broken')
        return real.findPrincipal(userId)
      },
      change: (...given) => (broken.isBroken ? Promise.reject(new Error('broken')) : real.change(...given)),
    })
    const { stage, clock, owner, post, person } = withAudit(store, { overrides: { users } })
    const requestsOf = async (id: string, token = owner.token): Promise<Requests> => {
      const { status, body } = await stage.service.request('GET', `/admin/user/search?userId=${id}`, { token })
      assert.equal(status, 200)
      return body.requests
    }
    const countsOf = async (id: string, token?: string) => {
      const { auth, admin, images, total } = await requestsOf(id, token)
      assert.equal(total, auth + admin + images)
      return [auth, admin, images]
    }
    const get = (path: string, token: string) => stage.service.request('GET', path, { token })

    it('start at 1 with the registration', async () => {
      const { id } = await person('new-one')
      const { id: recordId, ...requests } = await requestsOf(id)
      assert.match(recordId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
      assert.notEqual(recordId, id)
      const at = new Date(clock.now()).toISOString()
      assert.deepEqual(requests, {
        auth: 1,
        admin: 0,
        images: 0,
        total: 1,
        createdAt: at,
        updatedAt: at,
        collection: 'requests',
      })
    })

    it('count a login once, and no failed one', async () => {
      const { id, username } = await person('signs-in')
      assert.equal((await stage.service.login(username)).status, 200)
      assert.deepEqual(await countsOf(id), [2, 0, 0])
      assert.equal((await stage.service.login(username, 'a wrong password')).status, 401)
      assert.equal((await stage.service.login('b!d', password)).status, 400)
      assert.equal((await stage.service.request('POST', '/auth/login', { body: { username } })).status, 400)
      assert.deepEqual(await countsOf(id), [2, 0, 0])
    })

    it('count no failed registration, and no login of a banned user', async () => {
      const { id, username } = await person('taken')
      await post('/admin/ban', { userId: id })
      assert.equal((await stage.service.login(username)).status, 403)
      assert.equal(
        (await stage.service.request('POST', '/auth/register', { body: { username, password } })).status,
        409,
      )
      assert.deepEqual(await countsOf(id), [1, 0, 0])
    })

    it('count nothing with an invalid token', async () => {
      const { id, username, accessToken } = await person('signs-out')
      await stage.service.login(username)
      for (const token of [accessToken, `${accessToken}x`, 'Bearer x'])
        assert.equal((await get('/auth/me', token)).status, 401)
      assert.deepEqual(await countsOf(id), [2, 0, 0])
    })

    it('count no public route and no unmatched path', async () => {
      const { id, accessToken } = await person('looks-around')
      for (const path of ['/', '/health', '/ready', '/docs', '/docs.md', '/openapi.json', '/auth/', '/admin/nothing'])
        await get(path, accessToken)
      await stage.service.request('DELETE', '/auth/me', { token: accessToken })
      await stage.service.request('POST', '/images/', { token: accessToken })
      assert.deepEqual(await countsOf(id), [1, 0, 0])
    })

    it('count a request refused for role or ban in the group of its path', async () => {
      const { id, accessToken } = await person('refused')
      assert.equal((await get('/admin/users', accessToken)).status, 403)
      assert.deepEqual(await countsOf(id), [1, 1, 0])
      await post('/admin/ban', { userId: id })
      assert.equal((await get('/auth/me', accessToken)).status, 403)
      assert.equal((await get('/admin/users', accessToken)).status, 403)
      assert.deepEqual(await countsOf(id), [2, 2, 0])
    })

    it('count a request that is refused by its route or fails there', async () => {
      const { id, accessToken } = await person('unlucky', 'admin')
      const asked = (body: object) => post('/admin/ban', body, accessToken)
      assert.equal((await asked({})).status, 400)
      assert.equal((await asked({ username: 'nobody-here' })).status, 404)
      assert.equal((await get('/admin/users?limit=0', accessToken)).status, 400)
      broken.isBroken = true
      assert.equal((await asked({ username: 'olivia' })).status, 500)
      broken.isBroken = false
      assert.equal((await stage.service.request('HEAD', '/auth/me', { token: accessToken })).status, 200)
      assert.deepEqual(await countsOf(id), [2, 4, 0])
    })

    it('count a percent-encoded path in the group of its route', async () => {
      const { id, accessToken } = await person('encodes', 'support')
      for (const path of ['/%61uth/me', `/adm%69n/user/%73earch?userId=${id}`])
        assert.equal((await get(path, accessToken)).status, 200, path)
      // An encoded slash separates nothing, so this path matches no route.
      assert.equal((await get('/auth%2Fme', accessToken)).status, 404)
      assert.deepEqual(await countsOf(id), [2, 1, 0])
    })

    it('count nothing if the guard fails before the user is known', async () => {
      const { id, accessToken } = await person('unknown-yet')
      broken.isBlind = true
      assert.equal((await get('/auth/me', accessToken)).status, 500)
      broken.isBlind = false
      assert.deepEqual(await countsOf(id), [1, 0, 0])
    })

    it('include the very request that reads them, on every route that returns them', async () => {
      const { id, username, accessToken: token } = await person('curious', 'admin')
      assert.deepEqual(await countsOf(id, token), [1, 1, 0])
      assert.equal((await get('/admin/users', token)).body.users[username].requests.admin, 2)
      const { body } = await get('/admin/users/dashboard', token)
      assert.equal(body.users.find((row: { id: string }) => row.id === id).admin, 3)
      assert.deepEqual((await get(`/admin/usage?userId=${id}`, token)).body.usage[0].admin, 4)
      assert.equal((await get('/admin/users?q=curious', token)).body.users[username].requests.total, 6)
    })

    it('count each of many concurrent requests', async () => {
      const { id, accessToken } = await person('busy')
      await timesOf(40, () => get('/auth/me', accessToken))
      assert.deepEqual(await countsOf(id), [41, 0, 0])
    })

    it('are included in the totals', async () => {
      const { summary, users } = (await get('/admin/users/dashboard', owner.token)).body
      const sum = (key: string) =>
        users.reduce((total: number, row: Record<string, number>) => total + (row[key] ?? 0), 0)
      assert.deepEqual(summary, {
        totalUsers: users.length,
        bannedUsers: users.filter(({ banned }: { banned: boolean }) => banned).length,
        totalRequests: sum('total'),
        adminRequests: sum('admin'),
        authRequests: sum('auth'),
        imageRequests: sum('images'),
      })
    })

    it('are null before the first request', async () => {
      const { id, username } = await stranger(stage, { username: 'beside-the-api' })
      assert.equal(await requestsOf(id), null)
      const row = async () =>
        (await get('/admin/users/dashboard?q=beside-the-api', owner.token)).body.users.map(
          ({ createdAt: _, updatedAt: __, ...rest }: Record<string, unknown>) => rest,
        )
      const user = { id, username, role: 'user', banned: false, collection: 'users' }
      assert.deepEqual(await row(), [
        {
          ...user,
          requestsId: null,
          auth: 0,
          admin: 0,
          images: 0,
          total: 0,
          requestsCreatedAt: null,
          requestsUpdatedAt: null,
          requestsCollection: null,
        },
      ])
      const made = await stage.accounts.insert('made-by-the-tool', password)
      assert.equal(await requestsOf(made.id), null)
      await stage.service.login('made-by-the-tool')
      assert.deepEqual(await countsOf(made.id), [1, 0, 0])
    })

    it('change neither the user nor the token', async () => {
      const { id, accessToken } = await person('steady')
      const before = await stage.accounts.find(id)
      const first = await requestsOf(id)
      clock.advance(60_000)
      await get('/auth/me', accessToken)
      const { updatedAt, ...second } = await requestsOf(id)
      const { updatedAt: _, ...expected } = first
      assert.deepEqual(second, { ...expected, auth: 2, total: 2 })
      assert.equal(updatedAt, new Date(clock.now()).toISOString())
      assert.deepEqual(await stage.accounts.find(id), before)
      assert.equal((await get('/auth/me', accessToken)).status, 200)
    })
  })

  describe(`Request counters across services on ${store.name}`, { skip: store.skip }, () => {
    it('add up over two services with one database', async () => {
      const place = await store.make()
      const [one, two] = [await startService({ place, env }), await startService({ place, env })]
      const { id, accessToken: token } = await one.register('shared')
      await timesOf(20, () => Promise.all([one, two].map((each) => each.request('GET', '/auth/me', { token }))))
      const owner = await ownerOf(one)
      const search = async (service: TestService) =>
        (await service.request('GET', `/admin/user/search?userId=${id}`, { token: owner })).body.requests
      await search(two)
      const { auth, total } = await search(one)
      assert.deepEqual([auth, total], [41, 41])
      await Promise.all([one.close(), two.close()])
    })

    it('survive a restart', async () => {
      const place = await store.make()
      const before = await startService({ place, env })
      const { id, accessToken: token } = await before.register('stays')
      await timesOf(5, () => before.request('GET', '/auth/me', { token }))
      assert.equal((await before.request('GET', '/admin/users', { token })).status, 403)
      await before.close()
      const after = await startService({ place, env })
      const owner = await ownerOf(after)
      const { body } = await after.request('GET', `/admin/user/search?userId=${id}`, { token: owner })
      const { auth, admin, images, total } = body.requests
      assert.deepEqual([auth, admin, images, total], [6, 1, 0, 7])
    })
  })
}
