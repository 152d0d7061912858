import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, refused, type Stranger } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { actStage, changed } from './act-stage.ts'

const already = refused(400, 'User is already banned')
const badReason = refused(400, 'reason must be a string of at most 500 characters')
const badUntil = refused(400, 'until must be an ISO 8601 timestamp in the future')

for (const store of stores) {
  describe(`POST /admin/ban on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, act: ban, look, someone, me } = actStage(store, '/admin/ban')
    const banOf = async (id: string) =>
      (await stage.service.request('GET', `/admin/user/ban?userId=${id}`, { token: people.admin.accessToken })).body.ban
    const done = (who: Stranger) => changed(`User ${who.username} has been banned`, who, { banned: true })

    it('updates updatedAt, and stores who banned, when and why', async () => {
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

    it('applies to the very next request and every login, and to nobody else', async () => {
      const { service } = stage
      const person = await service.register('talker')
      assert.equal((await me(person.accessToken))[0], 200)
      await ban({ userId: person.id })
      assert.deepEqual(await me(person.accessToken), refused(403, 'User is banned'))
      assert.deepEqual(answerOf(await service.login('talker')), [403, { error: 'User is banned' }])
      assert.equal((await me(people.user.accessToken))[0], 200)
    })

    it('refuses a second ban, and keeps the first unchanged', async () => {
      const person = await someone()
      await ban({ userId: person.id, reason: 'the first' })
      const first = await look(person.id)
      assert.deepEqual(await ban({ userId: person.id, reason: 'the second' }), already)
      assert.deepEqual(await banOf(person.id), (first as { ban: object }).ban)
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
      it(`stores the reason ${JSON.stringify(reason).slice(0, 20)} as ${kept === null ? 'null' : 'is'}`, async () => {
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
      ...'never 2026-07-01 2026-07-01T00:00:00 2026-02-31T00:00:00Z 2026-13-01T00:00:00Z 2026-07-01T25:00:00Z'.split(
        ' ',
      ),
      ...'+010000-01-01T00:00:00Z 9999-12-31T23:59:59-23:59 2020-01-01T00:00:00Z 2026-06-01T12:00:00.000Z'.split(' '),
      '2026-07-01 00:00:00Z',
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

    it('refuses an until of this very millisecond, and accepts the next', async () => {
      const person = await someone()
      const at = (ms: number) => new Date(clock.now() + ms).toISOString()
      assert.deepEqual(await ban({ userId: person.id, until: at(0) }), badUntil)
      assert.deepEqual(await ban({ userId: person.id, until: at(1) }), done(person))
    })

    it('accepts an until in any time zone', async () => {
      const person = await someone()
      assert.deepEqual(await ban({ userId: person.id, until: '2026-08-01T02:00:00+02:00' }), done(person))
      assert.equal((await banOf(person.id)).until, '2026-08-01T00:00:00.000Z')
    })

    it('treats an empty or null until as permanent', async () => {
      for (const until of ['', null]) {
        const person = await someone()
        assert.deepEqual(await ban({ userId: person.id, until }), done(person))
        assert.equal((await banOf(person.id)).until, null)
      }
    })

    it('ends at exactly its millisecond, without a write', async () => {
      const { service } = stage
      const person = await service.register('passing')
      const until = new Date(clock.now() + 60_000).toISOString()
      await ban({ userId: person.id, until, reason: 'A minute' })
      const during = (await look(person.id)) as { user: object; events: object[] }
      clock.advance(59_999)
      assert.equal((await me(person.accessToken))[0], 403)
      assert.deepEqual(answerOf(await service.login('passing')), [403, { error: 'User is banned' }])
      assert.equal((await banOf(person.id)).until, until)
      assert.deepEqual(await ban({ userId: person.id }), already)
      clock.advance(1)
      assert.equal((await me(person.accessToken))[0], 200)
      const after = (await look(person.id)) as typeof during & { ban: null }
      assert.deepEqual([after.user, after.ban], [{ ...during.user, banned: false }, null])
      assert.equal((await service.login('passing')).status, 200)
    })

    it('is possible again after a ban has expired', async () => {
      const person = await someone()
      await ban({ userId: person.id, until: new Date(clock.now() + 1_000).toISOString() })
      clock.advance(1_000)
      assert.deepEqual(await ban({ userId: person.id, reason: 'Again' }), done(person))
      const since = new Date(clock.now()).toISOString()
      assert.deepEqual(await banOf(person.id), { reason: 'Again', since, until: null, by: people.admin.id })
    })
  })
}
