import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import { answerOf, notFound, refused } from '../../support/people.ts'
import { type Person, password, startService } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { withAudit } from './audit-stage.ts'

const dayMs = 86_400_000
const badFrom = refused(400, 'from must be a date (2026-01-31) or an ISO 8601 timestamp')
const badTo = refused(400, 'to must be a date (2026-01-31) or an ISO 8601 timestamp')
const badRange = refused(400, 'from must not be after to')
const noSuchDay = 'yesterday 2026-02-30 2026-13-01 2026-6-1 20260601 2026-06-01T12:00 0 %00 1e3'.split(' ')
const row = (day: string, auth: number, admin: number) => ({ day, auth, admin, images: 0, total: auth + admin })

for (const store of stores) {
  describe(`GET /admin/usage on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, owner, person } = withAudit(store)
    const get = (query = '') => stage.service.request('GET', `/admin/usage${query}`, { token: owner.token })
    const usage = async (query: string) => {
      const { status, body, text } = await get(query)
      assert.equal(status, 200, text)
      return body.usage
    }
    const days = async (query: string) => (await usage(query)).map(({ day }: { day: string }) => day.slice(5))
    let ann: Person
    let ben: Person
    const me = ({ accessToken: token }: Person) => stage.service.request('GET', '/auth/me', { token })

    before(async () => {
      // 1 June, 12:00: the owner's login and two registrations.
      ann = await person('ann')
      await stage.service.request('GET', '/admin/users', { token: ann.accessToken })
      ben = await person('ben')
      clock.advance(dayMs / 2 - 1)
      await me(ann)
      clock.advance(1)
      await me(ann)
      await me(ben)
      clock.advance(2 * dayMs)
      await me(ann)
    })

    it('returns one row per active day of a user, in UTC', async () => {
      assert.deepEqual(await usage(`?userId=${ann.id}`), [
        row('2026-06-01', 2, 1),
        row('2026-06-02', 1, 0),
        row('2026-06-04', 1, 0),
      ])
      assert.deepEqual(await usage(`?userId=${ben.id}`), [row('2026-06-01', 1, 0), row('2026-06-02', 1, 0)])
    })

    it("returns to each user, by GET /auth/usage, the same rows and nobody else's", async () => {
      const own = ({ accessToken: token }: Person, query = '') =>
        stage.service.request('GET', `/auth/usage${query}`, { token })
      assert.deepEqual(await own(ben, '?to=2026-06-02').then(answerOf), [
        200,
        { status: 200, usage: [row('2026-06-01', 1, 0), row('2026-06-02', 1, 0)] },
      ])
      const { body } = await own(ben, '?from=2026-06-04')
      assert.deepEqual(body.usage, [row('2026-06-04', 2, 0)], 'this request is included')
      for (const name of ['userId', 'username'])
        assert.deepEqual(answerOf(await own(ben, `?${name}=${ann.id}`)), [400, { error: `Unknown parameter: ${name}` }])
      for (const [query, error] of [
        ['?from=x', 'from must be a date (2026-01-31) or an ISO 8601 timestamp'],
        ['?to=x', 'to must be a date (2026-01-31) or an ISO 8601 timestamp'],
        ['?from=2026-06-02&to=2026-06-01', 'from must not be after to'],
      ] as const)
        assert.deepEqual(answerOf(await own(ben, query)), [400, { error }])
      assert.equal((await stage.service.request('GET', '/auth/usage')).status, 401)
    })

    it('sums all users without a filter, including the very request itself', async () => {
      assert.deepEqual(await get('?to=2026-06-02').then(answerOf), [
        200,
        { status: 200, usage: [row('2026-06-01', 4, 1), row('2026-06-02', 2, 0)] },
      ])
      const [{ admin }] = await usage('?from=2026-06-04')
      assert.equal((await usage('?from=2026-06-04'))[0].admin, admin + 1)
    })

    it('includes both ends, given as dates or as timestamps of those days', async () => {
      const expected: Record<string, readonly string[]> = {
        '': ['06-01', '06-02', '06-04'],
        'from=2026-06-02': ['06-02', '06-04'],
        'from=2026-06-02&to=2026-06-02': ['06-02'],
        'from=2026-06-03&to=2026-06-03': [],
        'from=2026-06-02T23:59Z&to=2026-06-04T00:00Z': ['06-02', '06-04'],
        'to=2026-06-03T01:00%2B02:00': ['06-01', '06-02'],
        'from=2026-06-05': ['none'],
        'from=2026-06-01&to=9999-12-31': ['06-01', '06-02', '06-04'],
        'from=0000-01-01': ['06-01', '06-02', '06-04'],
        'to=2020-01-01': [],
        'from=&to=': ['06-01', '06-02', '06-04'],
        'from=2026-06-02&from=x': ['06-02', '06-04'],
      }
      for (const [query, found] of Object.entries(expected)) {
        if (found[0] === 'none') assert.deepEqual(answerOf(await get(`?${query}`)), badRange, query)
        else assert.deepEqual(await days(`?userId=${ann.id}&${query}`), found, query)
      }
    })

    it('refuses an invalid day, and a start after the end: 400', async () => {
      for (const day of [...noSuchDay, '9999-12-31T23:59-23:59']) {
        assert.deepEqual(answerOf(await get(`?from=${day}`)), badFrom, day)
        assert.deepEqual(answerOf(await get(`?to=${day}`)), badTo, day)
      }
      for (const query of ['from=2026-06-02&to=2026-06-01', 'from=2026-06-05', 'from=9999-12-31'])
        assert.deepEqual(answerOf(await get(`?${query}`)), badRange, query)
      assert.deepEqual(answerOf(await get('?from=x&to=x')), badFrom)
      assert.deepEqual(answerOf(await get('?from=2026-06-02&to=2026-06-01&userId=x')), badRange)
    })

    it('filters by name in any case; the id takes precedence', async () => {
      const ofAnn = await usage(`?userId=${ann.id}`)
      for (const query of [
        'username=ann',
        'username=ANN',
        'username=ann&username=ben',
        `userId=${ann.id}&username=ben`,
      ])
        assert.deepEqual(await usage(`?${query}`), ofAnn, query)
      assert.notDeepEqual(await usage('?username=ben'), ofAnn)
    })

    it('answers 404 for an unknown name', async () => {
      for (const name of ['nobody', ann.id, 'a', '%', ' ', 'ann ', "' OR 1=1", '\0', '__proto__'])
        assert.deepEqual(answerOf(await get(`?username=${encodeURIComponent(name)}`)), notFound, name)
      assert.deepEqual(answerOf(await get('?userId=x&username=ann')), notFound)
    })

    it('answers 400, never with all users, for an unknown parameter or an empty user', async () => {
      for (const [query, message] of [
        ['user=ann', 'Unknown parameter: user'],
        ['userid=x', 'Unknown parameter: userid'],
        ['username%20=ann', 'Unknown parameter: username '],
        ['limit=1', 'Unknown parameter: limit'],
        ['from=x&user=&userId=', 'Unknown parameter: user'],
        ['userId=', 'userId must not be empty'],
        ['userId=&username=ann', 'userId must not be empty'],
        ['username', 'username must not be empty'],
        ['from=x&username=', 'username must not be empty'],
      ] as const)
        assert.deepEqual(answerOf(await get(`?${query}`)), refused(400, message), query)
    })

    it('answers HEAD like GET, refusals too', async () => {
      for (const [query, status] of [
        ['?username=ann', 200],
        ['?username=nobody', 404],
        ['?user=ann', 400],
      ] as const) {
        const reply = await stage.service.request('HEAD', `/admin/usage${query}`, { token: owner.token })
        assert.deepEqual([reply.status, reply.text], [status, ''], query)
      }
    })

    it('answers 404 for an unknown id; a name is not an id', async () => {
      for (const id of ['ann', 'x', ann.id.toUpperCase(), `${ann.id}0`, '%00', "' OR 1=1"])
        assert.deepEqual(answerOf(await get(`?userId=${encodeURIComponent(id)}`)), notFound, id)
      assert.equal((await get(`?userId=${owner.id}&username=nobody`)).status, 200)
    })
  })

  describe(`USAGE_KEEP_DAYS on ${store.name}`, { skip: store.skip }, () => {
    it('keeps that many days, deletes those before, and keeps the totals', async () => {
      const clock = fakeClock()
      const env = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password, TOKEN_TTL: '3650d' }
      const place = await store.make()
      const service = await startService({ place, env: { ...env, USAGE_KEEP_DAYS: '2' }, overrides: { clock } })
      const { id, accessToken: token } = await service.register('ann')
      const admin = (await service.login('olivia')).body.accessToken
      const ask = async (path: string, by = service) => (await by.request('GET', path, { token: admin })).body
      const daysOf = async (query: string, by = service) =>
        (await ask(`/admin/usage${query}`, by)).usage.map(({ day }: { day: string }) => day.slice(5))
      // 1 to 4 June.
      for (let day = 0; day < 4; day++) {
        if (day > 0) clock.advance(dayMs)
        await service.request('GET', '/auth/me', { token })
        await ask('/admin/users?limit=1')
      }
      const kept = ['06-02', '06-03', '06-04']
      assert.deepEqual(await daysOf(`?userId=${id}`), kept)
      assert.deepEqual(await daysOf('?from=2026-05-01'), kept)
      assert.deepEqual(await daysOf(`?userId=${id}&to=2026-06-01`), [])

      const { summary, users } = await ask('/admin/users/dashboard')
      assert.equal(users.find((user: { id: string }) => user.id === id).auth, 5)
      // Two first requests and four by ann; by the owner four pages, three usages and this one.
      assert.deepEqual([summary.authRequests, summary.adminRequests, summary.totalRequests], [6, 8, 14])
      await service.close()

      // The user's days are deleted, not hidden: a longer time does not restore them. The sums of all users are kept.
      const again = await startService({ place, env, overrides: { clock } })
      assert.deepEqual(await daysOf(`?userId=${id}`, again), kept)
      assert.deepEqual(await daysOf('', again), ['06-01', ...kept])
      assert.equal((await ask('/admin/users/dashboard', again)).summary.totalRequests, 17)
    })
  })
}
