import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { breakableUsers } from '../../support/broken-users.ts'
import type { Person } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { type Event, withAudit } from './audit-stage.ts'

const hourMs = 3_600_000
const badLimit = 'limit must be a whole number from 1 to 500'
const badCursor = 'cursor must be the `next` value of a previous response, with the same sort'
const badFrom = 'from must be a date (2026-01-31) or an ISO 8601 timestamp'
const badTo = 'to must be a date (2026-01-31) or an ISO 8601 timestamp'
const actions =
  'register, create, delete, login, logout, password, ban, unban, role, rename, revoke-token, reset-password, upload, delete-object, ' +
  'ban.read, user.read, users.read, usage.read, audit.read, audit.missing, store.test, create-key, rotate-key, ' +
  'revoke-key, keys.read, sessions.read, links.read, create-embed, revoke-embed, end-session, report, reports.read, duplicates.read, set-aside.read, problems.read, hidden.read, status.read, service.read, retire-component, change-component, ' +
  'announce-maintenance, change-maintenance, end-maintenance, announce, end-announcement, test-target, acknowledge, mute, unmute, open-incident, update-incident, delete-incident, resolve-report, hide, unhide, move, describe'

for (const store of stores) {
  describe(`The audit query, ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, owner, post, person, events, read } = withAudit(store)
    let ada: Person
    let bob: Person
    const asAda = (path: string, body: object) => post(path, body, ada.accessToken)
    const told = async (query: string) => (await events(query)).map(({ action, at }) => `${action} ${at.slice(5, 16)}`)

    before(async () => {
      // 1 June, 12:00
      ada = await person('Ada', 'admin')
      bob = await person('Bob')
      clock.advance(hourMs)
      await asAda('/admin/ban', { userId: bob.id })
      clock.advance(23 * hourMs)
      await asAda('/admin/unban', { userId: bob.id })
      await stage.service.login('bob', 'a wrong password')
      clock.advance(24 * hourMs)
      await post('/admin/user/edit/username', { userId: bob.id, newUsername: 'Robert' })
    })

    const all = [
      ...['rename 06-03T12:00', 'login 06-02T12:00', 'unban 06-02T12:00', 'ban 06-01T13:00', 'register 06-01T12:00'],
      ...['role 06-01T12:00', 'register 06-01T12:00', 'login 06-01T12:00', 'create 06-01T12:00'],
    ]

    it('returns the newest events first, also without parameters', async () => {
      assert.deepEqual(await told(''), all)
      const { body } = await read()
      assert.deepEqual(Object.keys(body), ['status', 'events', 'next'])
      assert.deepEqual([body.status, body.next], [200, null])
      assert.deepEqual(body.events, await events())
      assert.deepEqual(Object.keys(body.events[0]), [
        ...['id', 'at', 'action', 'outcome', 'actor', 'target', 'address', 'requestId', 'count', 'before', 'after'],
      ])
    })

    it('filters by actor: id, name in any case, system; an unknown name matches nothing', async () => {
      const byAda = ['unban 06-02T12:00', 'ban 06-01T13:00', 'register 06-01T12:00']
      for (const who of [ada.id, 'Ada', 'aDA']) assert.deepEqual(await told(`&actor=${who}`), byAda, who)
      assert.deepEqual(await told('&actor=system'), ['create 06-01T12:00'])
      for (const who of ['nobody', 'cli', 'a%20b', "'", '%25', ada.id.toUpperCase(), owner.id.replace(/.$/, '_')])
        assert.deepEqual((await read(`?actor=${who}`)).body, { status: 200, events: [], next: null }, who)
    })

    it('filters by target: id, name in any case; an unknown name matches nothing', async () => {
      const onBob = [
        ...['rename 06-03T12:00', 'login 06-02T12:00', 'unban 06-02T12:00', 'ban 06-01T13:00', 'register 06-01T12:00'],
      ]
      for (const who of [bob.id, 'robert', 'ROBERT']) assert.deepEqual(await told(`&target=${who}`), onBob, who)
      for (const who of ['nobody', 'cli']) assert.deepEqual(await told(`&target=${who}`), [], who)
    })

    it('filters by action', async () => {
      assert.deepEqual(await told('&action=register'), ['register 06-01T12:00', 'register 06-01T12:00'])
      assert.deepEqual(await told('&action=audit.read'), [])
    })

    it('filters by outcome', async () => {
      assert.deepEqual(await told('&outcome=refused'), ['login 06-02T12:00'])
      assert.deepEqual(
        await told('&outcome=success'),
        all.filter((each) => each !== 'login 06-02T12:00'),
      )
      assert.deepEqual(await told('&outcome=failed'), [])
      assert.deepEqual(await told('&action=login&outcome=success'), ['login 06-01T12:00'])
    })

    it('shows one event by its id, for a link to it', async () => {
      const [newest, other] = (await read()).body.events
      assert.deepEqual((await read(`?id=${other.id}`)).body, { status: 200, events: [other], next: null })
      assert.deepEqual((await read(`?id=${other.id}&action=${newest.action}`)).body.events, [])
      assert.deepEqual((await read(`?id=${bob.id}`)).body.events, [])
    })

    it('filters by time, both ends included: days in UTC, and timestamps with their zone', async () => {
      const [first, second, third] = [all.slice(3), all.slice(1, 3), all.slice(0, 1)]
      const cases: [string, string[] | undefined][] = [
        ['&from=2026-06-02', all.slice(0, 3)],
        ['&to=2026-06-01', first],
        ['&from=2026-06-02&to=2026-06-02', second],
        ['&from=2026-06-04', []],
        ['&to=2026-05-31', []],
        ['&from=2026-06-01T13:00:00.000Z&to=2026-06-01T13:00:00.000Z', all.slice(3, 4)],
        ['&from=2026-06-01T15:00:00%2B02:00&to=2026-06-01T08:00-05:00', all.slice(3, 4)],
        ['&from=2026-06-01T13:00:00.001Z&to=2026-06-02T11:59:59.999Z', []],
        ['&from=2026-06-03T12:00Z', third],
      ]
      for (const [query, expected] of cases) assert.deepEqual(await told(query), expected, query)
    })

    it('combines all filters', async () => {
      const query = `&actor=ada&target=robert&action=ban&from=2026-06-01&to=2026-06-01`
      assert.deepEqual(await told(query), ['ban 06-01T13:00'])
      for (const other of [
        query.replace('ada', 'olivia'),
        query.replace('robert', 'ada'),
        query.replace('=ban', '=unban'),
        query.replace('from=2026-06-01', 'from=2026-06-01T14:00Z'),
        query.replace('to=2026-06-01', 'to=2026-06-01T12:00Z'),
      ])
        assert.deepEqual(await told(other), [], other)
    })

    for (const limit of [1, 3]) {
      it(`returns pages of ${limit} with each event once, despite new events`, async () => {
        const expected = (await events()).map(({ id }) => id)
        const walked: string[] = []
        for (let next = ''; ; ) {
          const { body } = await read(`?limit=${limit}${next}`)
          assert.ok(body.events.length <= limit)
          walked.push(...body.events.map(({ id }: Event) => id))
          await stage.service.login('robert', 'a wrong password')
          if (body.next === null) break
          next = `&cursor=${body.next}`
        }
        assert.deepEqual(walked, expected)
      })
    }

    it('pages through a filtered list to its end', async () => {
      const query = '?action=register&limit=1'
      const first = await read(query)
      const second = await read(`${query}&cursor=${first.body.next}`)
      assert.deepEqual(
        [...first.body.events, ...second.body.events].map(({ target }: Event) => target),
        [bob.id, ada.id],
      )
      assert.equal(second.body.next, null)
    })

    it('finds an actor by the current name', async () => {
      await post('/admin/user/edit/username', { userId: ada.id, newUsername: 'Adele' })
      const byId = await events(`&actor=${ada.id}`)
      assert.equal(byId.length, 3)
      assert.deepEqual(await events('&actor=adele'), byId)
    })

    it('finds actors and targets by a former name that nobody has now, in any case', async () => {
      const [byAda, onBob] = [await events(`&actor=${ada.id}`), await events(`&target=${bob.id}`)]
      for (const who of ['Ada', 'aDA']) assert.deepEqual(await events(`&actor=${who}`), byAda, who)
      for (const who of ['Bob', 'BOB']) assert.deepEqual(await events(`&target=${who}`), onBob, who)
      assert.deepEqual(await events('&actor=ada&target=bob'), await events(`&actor=${ada.id}&target=${bob.id}`))
      assert.deepEqual(await events('&actor=ada&target=nobody'), [])
    })

    it('finds every former holder of such a name, deleted accounts too', async () => {
      const first = await person('shared')
      await post('/admin/user/edit/username', { userId: first.id, newUsername: 'first' })
      const second = await person('Shared')
      await post('/admin/user/edit/username', { userId: second.id, newUsername: 'second' })
      await stage.accounts.remove(second.id)
      const targets = async (name: string) => new Set((await events(`&target=${name}`)).map(({ target }) => target))
      assert.deepEqual(await targets('shared'), new Set([first.id, second.id]))
      assert.deepEqual(await targets('second'), new Set([second.id]))
    })

    it('resolves a name to its current holder, not to former ones', async () => {
      const { id } = await person('Bob')
      assert.deepEqual(
        (await events('&target=bob')).map(({ target }) => target),
        [id],
      )
    })

    it('treats a target named cli as the account of that name', async () => {
      const { id } = await person('cli')
      assert.deepEqual(
        (await events('&target=cli')).map(({ target }) => target),
        [id],
      )
      assert.deepEqual(await events('&actor=cli'), [])
    })
  })

  describe(`The parameters of the audit, ${store.name}`, { skip: store.skip }, () => {
    const broken = breakableUsers()
    const { stage, owner, read, events } = withAudit(store, { overrides: { users: broken.users } })

    const refused: Record<string, readonly string[]> = {
      [badLimit]: ['limit=0', 'limit=501', 'limit=-1', 'limit=1.5', 'limit=all', 'limit=%201', 'limit=1e2'],
      [badCursor]: ['cursor=x', 'cursor=W10', 'cursor=%00', `cursor=${'A'.repeat(5_000)}`],
      [`action must be one of ${actions}`]: ['action=nothing', 'action=BAN', 'action=ban,unban', 'action=constructor'],
      'outcome must be one of success, refused, failed': ['outcome=refuse', 'outcome=%25', 'outcome=Success'],
      'id must be the id of an event': ['id=x', 'id=olivia', 'id=%00', 'id=019A2F6E-3C41-7D02-9B5E-4F8A6C21D7E3'],
      [badFrom]: ['from=yesterday', 'from=2026-02-30', 'from=2026-06-01T12:00', 'from=2026-06', 'from=1780000000000'],
      [badTo]: ['to=today', 'to=2026-13-01', 'to=2026-06-01T25:00Z', 'to=2026-06-01%20', 'to=0'],
      'actor must not be empty': ['actor=', 'actor', 'target=&actor=', 'limit=x&actor='],
      'target must not be empty': ['target=', 'actor=ada&target'],
      'Unknown parameter: actors': ['actors=ada', 'actor=&actors=', 'limit=x&actors'],
      'Unknown parameter: Target': ['Target=ada'],
      'Unknown parameter: username': ['username=ada'],
      'from must not be after to': [
        'from=2026-06-02&to=2026-06-01',
        'from=2026-06-01T12:00:00.001Z&to=2026-06-01T12:00Z',
      ],
    }
    for (const [message, queries] of Object.entries(refused)) {
      it(`400: ${message.slice(0, 60)}`, async () => {
        for (const query of queries)
          assert.deepEqual((await read(`?${query}`)).body, { status: 400, message }, query.slice(0, 60))
      })
    }

    it('a cursor of another list or a modified one is refused', async () => {
      const dashboard = await stage.service.request('GET', '/admin/users/dashboard?limit=1', { token: owner.token })
      const { next } = (await read('?limit=1')).body
      const [sort, at, id] = JSON.parse(Buffer.from(next, 'base64url').toString())
      const written = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
      assert.equal(written(sort, at, id), next)
      for (const cursor of [
        dashboard.body.next,
        next.slice(0, -1),
        `${next}=`,
        written('at', at, id),
        written(sort, String(at), id),
        written(sort, at + 0.5, id),
        written(sort, at, 'x'),
        written(sort, at, id, 1),
      ])
        assert.deepEqual((await read(`?cursor=${cursor}`)).body, { status: 400, message: badCursor }, cursor)
    })

    it('an empty filter is ignored, and the first of a repeated parameter counts', async () => {
      const expected = await events()
      const { body } = await read('?action=&from=&to=&limit=&cursor=')
      assert.deepEqual(body.events, expected.slice(0, 50))
      assert.equal((await read('?limit=1&limit=0')).body.events.length, 1)
      assert.deepEqual(await events(`&actor=${owner.id}&actor=`), await events(`&actor=${owner.id}`))
    })

    it('the audit returns 503 while the database is down', async () => {
      broken.away = true
      const { status, body } = await read()
      broken.away = false
      const message = 'Service is temporarily unavailable, please try again'
      assert.deepEqual([status, body], [503, { status: 503, message }])
    })
  })
}
