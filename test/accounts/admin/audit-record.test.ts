import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { fakeClock } from '../../support/clock.ts'
import { refuseEvents } from '../../support/refuse-events.ts'
import { type Person, password, type Reply, startService, type TestService } from '../../support/service.ts'
import { type Store, stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { withAudit } from './audit-stage.ts'

const dayMs = 86_400_000
const hourMs = 3_600_000
const newPassword = 'another horse, another battery'

for (const store of stores) {
  describe(`An act and its audit event, ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    let place: Awaited<ReturnType<Store['make']>>
    let database: Database
    let service: TestService
    let owner: string
    let allow: () => Promise<void>
    const people = new Map<string, Person>()
    const person = (name: string) => people.get(name) as Person
    const post = (path: string, body: object, token = owner) => service.request('POST', path, { token, body })
    const everybody = () => database.kysely.selectFrom('users').selectAll().orderBy('id').execute()
    const withoutCounts = (rows: Awaited<ReturnType<typeof everybody>>) =>
      rows.map(({ auth, admin, total, requests_id, requests_created_at, requests_updated_at, ...rest }) => rest)

    before(async () => {
      place = await store.make()
      const env = { OWNER_USERNAME: 'olivia', OWNER_PASSWORD: password }
      service = await startService({ place, env, overrides: { clock } })
      database = await place.open()
      owner = (await service.login('olivia')).body.accessToken
      for (const name of ['ada', 'bob']) people.set(name, await service.register(name))
      await post('/admin/ban', { username: 'bob' })
      clock.advance(hourMs)
      allow = await refuseEvents(database)
    })

    const internal = { message: 'Internal Server Error', stack: 'N/A' }
    const acts: [string, () => Promise<Reply>, object][] = [
      ['/admin/ban', () => post('/admin/ban', { username: 'ada' }), { status: 500, message: 'Failed to ban user' }],
      ['/admin/unban', () => post('/admin/unban', { username: 'bob' }), internal],
      [
        '/admin/user/edit/role',
        () => post('/admin/user/edit/role', { username: 'ada', role: 'admin' }),
        { status: 500, message: 'Failed to update user role' },
      ],
      [
        '/admin/user/edit/username',
        () => post('/admin/user/edit/username', { username: 'ada', newUsername: 'adele' }),
        { status: 500, message: 'Failed to update user username' },
      ],
      ['/admin/user/revoke-token', () => post('/admin/user/revoke-token', { username: 'ada' }), internal],
      [
        '/auth/register',
        () => service.request('POST', '/auth/register', { body: { username: 'carol', password } }),
        { error: 'Could not register user' },
      ],
      ['/auth/login', () => service.login('ada'), internal],
      ['/auth/logout', () => post('/auth/logout', {}, person('ada').accessToken), internal],
      [
        '/auth/password',
        () => post('/auth/password', { currentPassword: password, newPassword }, person('ada').accessToken),
        internal,
      ],
    ]
    for (const [path, act, body] of acts) {
      it(`${path} is rolled back if its event cannot be written`, async () => {
        const was = withoutCounts(await everybody())
        const reply = await act()
        assert.equal(reply.status, 500)
        assert.deepEqual(reply.body, body)
        assert.deepEqual(withoutCounts(await everybody()), was)
      })
    }

    it('failures are recorded as soon as the audit is writable again', async () => {
      const away = await service.request('GET', '/admin/audit', { token: owner })
      assert.equal(away.status, 500)
      await allow()
      const { body } = await service.request('GET', '/admin/audit?from=2026-06-01T13:00Z', { token: owner })
      const { id } = person('ada')
      const failed = (action: string, text: string, target: string | null) => [action, `failed: ${text}`, target]
      assert.deepEqual(
        body.events.map(({ action, outcome, target }: Record<string, string>) => [action, outcome, target]).reverse(),
        [
          failed('ban', 'Failed to ban user', id),
          failed('unban', 'Internal Server Error', person('bob').id),
          failed('role', 'Failed to update user role', id),
          failed('rename', 'Failed to update user username', id),
          failed('revoke-token', 'Internal Server Error', id),
          failed('logout', 'Internal Server Error', id),
          failed('password', 'Internal Server Error', id),
          failed('audit.read', 'Internal Server Error', null),
        ],
      )
    })
  })

  describe(`An audit event, ${store.name}`, { skip: store.skip }, () => {
    const { stage, post, person, read, during } = withAudit(store, { env: { TRUST_PROXY: 'loopback' } })

    it('holds the client address behind trusted proxies, for an act and for a refused attempt', async () => {
      const headers = { 'x-forwarded-for': '192.0.2.66, 203.0.113.7' }
      const { username } = await person('ada')
      for (const secret of [password, 'a wrong password']) {
        const body = { username, password: secret }
        const { told } = await during(() => stage.service.request('POST', '/auth/login', { headers, body }))
        assert.deepEqual(
          told.map(({ address }) => address),
          ['203.0.113.7'],
        )
      }
    })

    it('never holds a password, a token or a hash', async () => {
      const secrets: string[] = [password, newPassword, 'a wrong password', 'Bearer ']
      const { accounts, service } = stage
      const bob = await person('bob')
      const remember = async (accessToken: string) => {
        const { passwordHash, tokenHash } = await accounts.find(bob.id)
        secrets.push(accessToken.replace('Bearer ', ''), passwordHash, tokenHash ?? passwordHash)
      }
      await remember(bob.accessToken)
      await service.login('bob', 'a wrong password')
      const { accessToken } = (await service.login('bob')).body
      await remember(accessToken)
      const wrong = { currentPassword: 'a wrong password', newPassword }
      await post('/auth/password', wrong, accessToken)
      const changed = await post('/auth/password', { ...wrong, currentPassword: password }, accessToken)
      await remember(changed.body.accessToken)
      await post('/admin/ban', { userId: bob.id }, changed.body.accessToken)
      for (const path of ['/admin/user/revoke-token', '/admin/ban', '/admin/unban']) {
        const { status } = await post(path, { userId: bob.id, password, currentPassword: newPassword })
        assert.equal(status, 200)
      }
      const { text, body } = await read('?limit=500')
      assert.ok(body.events.length >= 10 && body.next === null)
      assert.equal(new Set(secrets).size, 4 + 3 + 2 + 3)
      for (const secret of secrets) assert.equal(text.includes(secret), false, secret)
    })
  })

  describe(`An expired event, ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, owner, events, read } = withAudit(store, { env: { AUDIT_KEEP_DAYS: '10' } })
    const attempt = async () => void (await stage.service.login('nobody', 'a wrong password'))
    const times = async () => (await events('&action=login')).map(({ at }) => at.slice(5, 16))

    it('is deleted by an hourly write some hours after AUDIT_KEEP_DAYS, not before', async () => {
      clock.advance(9 * dayMs)
      await attempt()
      clock.advance(dayMs)
      await events()
      assert.deepEqual(await times(), ['06-10T12:00', '06-01T12:00'], 'as old as it may be')
      clock.advance(hourMs - 1)
      await events()
      assert.equal((await times()).length, 2, 'looked at less than an hour ago')
      for (let hour = 1; hour <= 8; hour++) {
        clock.advance(hourMs)
        await events()
      }
      await until(async () => (await events()).every(({ at }) => at >= '2026-06-10'))
      assert.deepEqual(await times(), ['06-10T12:00'])
    })

    it('is deleted, however many have expired', async () => {
      for (let i = 0; i < 450; i += 1) await stage.service.request('GET', `/admin/usage?x${i}`, { token: owner.token })
      assert.equal((await read('?limit=500&action=usage.read')).body.events.length, 450)
      clock.advance(10 * dayMs + 1)
      // No request waits for it: it continues while the events are read.
      await until(async () => {
        clock.advance(hourMs)
        return (await events()).length === 0
      })
      assert.equal((await read('?limit=500')).body.next, null)
    })
  })
}
