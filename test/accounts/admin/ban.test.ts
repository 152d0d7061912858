import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fakeClock } from '../../support/clock.ts'
import {
  answerOf,
  asDryRun,
  type Cast,
  cast,
  hostile,
  nobody,
  noIdentifier,
  notFound,
  refused,
  stateOf,
  stranger,
} from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const self = refused(400, 'You cannot ban yourself')
const rule = refused(403, 'You do not have permission to ban this user')
const already = refused(400, 'User is already banned')
const badReason = refused(400, 'reason must be a text of at most 500 characters')
const badUntil = refused(400, 'until must be an ISO 8601 timestamp in the future')
const badDryRun = refused(400, 'dryRun must be true or false')

for (const store of stores) {
  describe(`POST /admin/ban on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { overrides: { clock } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const ban = async (body: unknown, query = '', actor: keyof Cast = 'admin') =>
      answerOf(await stage.service.request('POST', `/admin/ban${query}`, { token: people[actor].accessToken, body }))
    const banOf = async (id: string) =>
      (await stage.service.request('GET', `/admin/user/ban?userId=${id}`, { token: people.admin.accessToken })).body.ban
    const look = (id: string) => stateOf(stage, id, people.owner.accessToken)
    const someone = () => stranger(stage, { now: clock.now() })
    const done = ({ id, username }: { id: string; username: string }) => [
      200,
      {
        status: 200,
        message: `User ${username} has been banned`,
        user: { id, username, role: 'user', banned: true },
      },
    ]

    it('answers the user, banned, by id or by a name in any case', async () => {
      const [one, two] = [await someone(), await someone()]
      assert.deepEqual(await ban({ userId: one.id }), done(one))
      assert.deepEqual(await ban({ username: two.username.toUpperCase() }), done(two))
    })

    it('moves updatedAt, and keeps who banned, when and why', async () => {
      const person = await someone()
      clock.advance(1_000)
      await ban({ userId: person.id, reason: 'Spam' })
      const now = new Date(clock.now()).toISOString()
      const { body } = await stage.service.request('GET', `/admin/user/search?userId=${person.id}`, {
        token: people.support.accessToken,
      })
      assert.deepEqual([body.user.banned, body.user.updatedAt], [true, now])
      assert.deepEqual(await banOf(person.id), { reason: 'Spam', since: now, until: null, by: people.admin.id })
    })

    it('refuses the very next request and every login, but not what others do', async () => {
      const { service } = stage
      const person = await service.register('talker')
      const me = async () => answerOf(await service.request('GET', '/auth/me', { token: person.accessToken }))
      assert.equal((await me())[0], 200)
      await ban({ userId: person.id })
      assert.deepEqual(await me(), refused(403, 'User is banned'))
      assert.deepEqual(answerOf(await service.login('talker')), [403, { error: 'User is banned' }])
      assert.equal((await service.request('GET', '/auth/me', { token: people.user.accessToken })).status, 200)
    })

    it('means the userId where the username is another’s, for the check and the write', async () => {
      const person = await someone()
      assert.deepEqual(await ban({ userId: person.id, username: 'admin' }), done(person))
      assert.deepEqual(await ban({ userId: people.admin.id, username: 'user' }), self)
      assert.deepEqual(await ban({ userId: people.owner.id, username: 'user' }), rule)
      assert.deepEqual(await ban({ userId: 'nobody', username: 'user' }), notFound)
      assert.equal(await banOf(people.user.id), null)
    })

    it('means the username where the userId is empty or no string', async () => {
      for (const userId of ['', 7, null, [people.admin.id], { id: people.admin.id }, true]) {
        const person = await someone()
        assert.deepEqual(await ban({ userId, username: person.username }), done(person))
      }
    })

    it('refuses a body that names nobody, before anything else of it', async () => {
      for (const body of [...nobody, '[]', 'null', '"user"', undefined]) assert.deepEqual(await ban(body), noIdentifier)
      assert.deepEqual(await ban({ reason: 7, until: 'never' }), noIdentifier)
    })

    it('knows nobody by a hostile name or id', async () => {
      for (const text of hostile) {
        assert.deepEqual(await ban({ username: text }), notFound)
        assert.deepEqual(await ban({ userId: text }), notFound)
      }
      assert.deepEqual(await ban({ username: '\ud800' }), notFound)
    })

    it('refuses oneself before the rule, the rule before a ban that is there', async () => {
      assert.deepEqual(await ban({ userId: people.admin.id }), self)
      assert.deepEqual(await ban({ username: 'OWNER' }, '', 'owner'), self)
      const [admin, owner] = [await stranger(stage, { role: 'admin' }), await stranger(stage, { role: 'owner' })]
      for (const { id } of [admin, owner]) await stage.accounts.ban(id)
      assert.deepEqual(await ban({ userId: admin.id }), rule)
      assert.deepEqual(await ban({ userId: owner.id }, '', 'owner'), rule)
      assert.deepEqual(await ban({ userId: admin.id }, '', 'owner'), already)
    })

    it('refuses a second ban, and leaves the first as it was', async () => {
      const person = await someone()
      await ban({ userId: person.id, reason: 'the first' })
      const first = await look(person.id)
      assert.deepEqual(await ban({ userId: person.id, reason: 'the second' }), already)
      assert.deepEqual(await banOf(person.id), (first as { ban: object }).ban)
    })

    it('looks at no field that it does not ask for', async () => {
      const person = await someone()
      assert.deepEqual(await ban({ ...person, userId: person.id, id: 'x', role: 'owner', banned: false }), done(person))
    })

    for (const reason of [7, true, {}, ['Spam'], 'x'.repeat(501), '💥'.repeat(501), 'a\0b', '\ud800']) {
      it(`refuses the reason ${JSON.stringify(reason).slice(0, 20)}`, async () => {
        const person = await someone()
        assert.deepEqual(await ban({ userId: person.id, reason }), badReason)
        assert.equal(await banOf(person.id), null)
      })
    }

    for (const [reason, kept] of [
      ['', null],
      [null, null],
      ['x'.repeat(500), 'x'.repeat(500)],
      ['💥'.repeat(500), '💥'.repeat(500)],
      ['<b>"é💥"</b>\n\t', '<b>"é💥"</b>\n\t'],
    ]) {
      it(`keeps the reason ${JSON.stringify(reason).slice(0, 20)} as ${kept === null ? 'none' : 'it is'}`, async () => {
        const person = await someone()
        assert.deepEqual(await ban({ userId: person.id, reason }), done(person))
        assert.equal((await banOf(person.id)).reason, kept)
      })
    }

    for (const until of [
      7,
      1_900_000_000_000,
      true,
      {},
      ['2026-07-01T00:00:00Z'],
      'never',
      '2026-07-01',
      '2026-07-01T00:00:00',
      '2026-07-01 00:00:00Z',
      '2026-02-31T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-07-01T25:00:00Z',
      '+010000-01-01T00:00:00Z',
      '9999-12-31T23:59:59-23:59',
      '2020-01-01T00:00:00Z',
      '2026-06-01T12:00:00.000Z',
      'Wed, 01 Jul 2026 00:00:00 GMT',
      'x'.repeat(10_000),
      '\0',
    ]) {
      it(`refuses until ${JSON.stringify(until).slice(0, 32)}`, async () => {
        const person = await someone()
        assert.deepEqual(await ban({ userId: person.id, until }), badUntil)
        assert.equal(await banOf(person.id), null)
      })
    }

    it('refuses until this very millisecond, and not the next', async () => {
      const person = await someone()
      const at = (ms: number) => new Date(clock.now() + ms).toISOString()
      assert.deepEqual(await ban({ userId: person.id, until: at(0) }), badUntil)
      assert.deepEqual(await ban({ userId: person.id, until: at(1) }), done(person))
    })

    it('reads until in whatever zone it says', async () => {
      const person = await someone()
      assert.deepEqual(await ban({ userId: person.id, until: '2026-08-01T02:00:00+02:00' }), done(person))
      assert.equal((await banOf(person.id)).until, '2026-08-01T00:00:00.000Z')
    })

    it('takes an empty until, or null, for a ban without end', async () => {
      for (const until of ['', null]) {
        const person = await someone()
        assert.deepEqual(await ban({ userId: person.id, until }), done(person))
        assert.equal((await banOf(person.id)).until, null)
      }
    })

    it('ends at its very millisecond, by itself, with nothing written', async () => {
      const { service } = stage
      const person = await service.register('passing')
      const me = async () => (await service.request('GET', '/auth/me', { token: person.accessToken })).status
      const until = new Date(clock.now() + 60_000).toISOString()
      await ban({ userId: person.id, until, reason: 'A minute' })
      const during = (await look(person.id)) as { user: object; events: object[] }
      clock.advance(59_999)
      assert.equal(await me(), 403)
      assert.deepEqual(answerOf(await service.login('passing')), [403, { error: 'User is banned' }])
      assert.equal((await banOf(person.id)).until, until)
      assert.deepEqual(await ban({ userId: person.id }), already)
      clock.advance(1)
      assert.equal(await me(), 200)
      const after = (await look(person.id)) as typeof during & { ban: null }
      assert.deepEqual([after.user, after.ban], [{ ...during.user, banned: false }, null])
      assert.equal((await service.login('passing')).status, 200)
    })

    it('may follow a ban that has ended', async () => {
      const person = await someone()
      await ban({ userId: person.id, until: new Date(clock.now() + 1_000).toISOString() })
      clock.advance(1_000)
      assert.deepEqual(await ban({ userId: person.id, reason: 'Again' }), done(person))
      const since = new Date(clock.now()).toISOString()
      assert.deepEqual(await banOf(person.id), { reason: 'Again', since, until: null, by: people.admin.id })
    })

    it('answers a dry run in the same words, says so, and changes nothing', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await ban({ userId: person.id, reason: 'Spam' }, '?dryRun=true'), asDryRun(done(person)))
      assert.deepEqual(await ban({ userId: people.admin.id }, '?dryRun=true'), self)
      assert.deepEqual(await ban({ userId: people.owner.id }, '?dryRun=true'), rule)
      assert.deepEqual(await ban({ userId: 'nobody' }, '?dryRun=true'), notFound)
      assert.deepEqual(await ban({}, '?dryRun=true'), noIdentifier)
      assert.deepEqual(await ban({ userId: person.id, until: 'never' }, '?dryRun=true'), badUntil)
      assert.deepEqual(await look(person.id), state)
      assert.deepEqual(await ban({ userId: person.id }, '?dryRun=false'), done(person))
      assert.deepEqual(await ban({ userId: person.id }, '?dryRun=true'), already)
    })

    it('refuses a dryRun that is neither true nor false, and does nothing', async () => {
      const person = await someone()
      for (const value of ['1', 'TRUE', 'yes', 'x'.repeat(5_000), '%00'])
        assert.deepEqual(await ban({ userId: person.id }, `?dryRun=${value}`), badDryRun)
      assert.equal(await banOf(person.id), null)
    })
  })
}
