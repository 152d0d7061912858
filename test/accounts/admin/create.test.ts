import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type Role, roles } from '../../../src/accounts/roles.ts'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { UserStoreForTests } from '../../support/account-editor.ts'
import { interruptedUsers } from '../../support/interrupted-users.ts'
import { answerOf, asDryRun, type Cast, cast, hostile, mayNotAccess, refused } from '../../support/people.ts'
import { password, type Reply, startService, type TestService } from '../../support/service.ts'
import { type Store, stores } from '../../support/stores.ts'

const badName = refused(
  400,
  'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
)
const badPassword = refused(400, 'Password must be at least 8 characters and at most 1024 bytes')
const taken = refused(409, 'Username already exists')
const cannotCreate = refused(403, 'You do not have permission to create a user with this role')
const inOrder: readonly Role[] = roles

for (const store of stores) {
  describe(`POST /admin/user/create on ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let service: TestService
    let accounts: UserStoreForTests
    let database: Database
    let people: Cast
    const interrupted = interruptedUsers()
    let names = 0
    const aName = () => `Created.${++names}`
    before(async () => {
      place = await store.make()
      service = await startService({ place, overrides: { users: interrupted.users } })
      accounts = await UserStoreForTests.open(place)
      database = await place.open()
      people = await cast({ service, accounts })
    })
    const create = (body: unknown, actor: Role = 'owner', query = '') =>
      service.request('POST', `/admin/user/create${query}`, { token: people[actor].accessToken, body })
    const done = ({ body }: Reply, username: string, role: Role) => ({
      status: 200,
      message: `User ${username} has been created`,
      user: { id: body.user.id, username, role, banned: false },
    })

    it('creates an account that is signed in nowhere, with the given password', async () => {
      const username = aName()
      const reply = await create({ username, password, role: 'support' })
      assert.deepEqual(answerOf(reply), [200, done(reply, username, 'support')])
      assert.equal((await accounts.find(reply.body.user.id)).tokenHash, null)
      const token = people.owner.accessToken
      const { requests } = (await service.request('GET', `/admin/user/search?username=${username}`, { token })).body
      assert.equal(requests, null)
      assert.deepEqual((await service.login(username)).body.user, reply.body.user)
    })

    it('generates a password if none is given, returns it once, and neither stores, logs nor audits it', async () => {
      const made = new Set<string>()
      for (const absent of [{}, { password: '' }, { password: null }]) {
        const username = aName()
        const { body } = await create({ username, role: 'user', ...absent })
        assert.match(body.password, /^[a-z2-9]{24}$/)
        assert.equal((await service.login(username, body.password)).status, 200)
        made.add(body.password)
      }
      assert.equal(made.size, 3)
      const tables = await database.kysely.introspection.getTables()
      const stored = await Promise.all(
        tables.map(({ name }) =>
          database.kysely
            .selectFrom(name as 'users')
            .selectAll()
            .execute(),
        ),
      )
      const kept = JSON.stringify(stored) + JSON.stringify(service.logged())
      for (const secret of made) assert.ok(!kept.includes(secret))
    })

    it('is audited with the name and the role', async () => {
      const username = aName()
      const { id } = (await create({ username, password, role: 'moderator' }, 'admin')).body.user
      await create({ username, password, role: 'admin' }, 'admin')
      const token = people.owner.accessToken
      const path = `/admin/audit?action=create&actor=${people.admin.id}`
      const { events } = (await service.request('GET', path, { token })).body
      const told = events.map((event: Record<string, unknown>) => [event.outcome, event.target, event.after])
      assert.deepEqual(told, [
        [`refused: ${(cannotCreate[1] as { message: string }).message}`, null, null],
        ['success', id, { username, role: 'moderator' }],
      ])
    })

    it('gives only roles below that of the actor, whoever asks', async () => {
      for (const actor of roles) {
        for (const role of roles) {
          const username = aName()
          const reply = await create({ username, password, role }, actor)
          const isAllowed = ['admin', 'owner'].includes(actor) && inOrder.indexOf(actor) > inOrder.indexOf(role)
          const expected = isAllowed
            ? [200, done(reply, username, role)]
            : ['admin', 'owner'].includes(actor)
              ? cannotCreate
              : mayNotAccess
          assert.deepEqual(answerOf(reply), expected, `${actor} creates ${role}`)
          assert.equal((await accounts.users.find({ username })) !== null, isAllowed)
        }
      }
    })

    it('refuses in the order of name, role, form, password, permission, name taken', async () => {
      const steps: readonly [object, unknown][] = [
        [{}, refused(400, 'username is required')],
        [{ username: '!' }, refused(400, 'role is required and must be a string')],
        [{ username: '!', role: 'boss' }, badName],
        [{ username: 'ADMIN', role: 'boss', password: 'short' }, refused(400, 'Invalid role provided')],
        [{ username: 'ADMIN', role: 'admin', password: 'short' }, badPassword],
        [{ username: 'ADMIN', role: 'admin', password }, cannotCreate],
        [{ username: 'ADMIN', role: 'support', password }, taken],
      ]
      for (const [body, expected] of steps) {
        assert.deepEqual(answerOf(await create(body, 'admin')), expected)
        assert.deepEqual(answerOf(await create(body, 'admin', '?dryRun=true')), expected)
      }
    })

    it('refuses hostile names and passwords of the wrong type, rather than ignoring them', async () => {
      for (const username of hostile.filter((name) => !/^[a-z_]{3,32}$/.test(name)))
        assert.ok(
          /^400 (Inv|user)/.test(Object.values((await create({ username, role: 'user' })).body).join(' ')),
          username,
        )
      for (const secret of [12_345_678, true, {}, [password], 'short', 'x'.repeat(1_025)])
        assert.deepEqual(answerOf(await create({ username: aName(), role: 'user', password: secret })), badPassword)
      for (const username of ['__proto__', 'constructor'])
        assert.equal((await create({ username, role: 'user', password })).body.user.username, username)
    })

    it('sends the same reply to a dry run, without a password, and creates nothing', async () => {
      const username = aName()
      for (const given of [{ password }, {}]) {
        const reply = await create({ username, role: 'user', ...given }, 'owner', '?dryRun=true')
        assert.deepEqual(answerOf(reply), asDryRun([200, done(reply, username, 'user')]))
      }
      assert.equal(await accounts.users.find({ username }), null)
      assert.equal((await create({ username, role: 'user', dryRun: true })).status, 400)
      for (const query of ['?dry_run=true', '?dryRun=on'])
        assert.equal((await create({ username, role: 'user' }, 'owner', query)).status, 400)
      assert.equal((await create({ username, role: 'user', password })).status, 200)
    })

    it('creates nothing if the actor is demoted, banned or deleted meanwhile', async () => {
      const { id } = people.admin
      const meanwhile: readonly [() => Promise<unknown>, unknown][] = [
        [() => accounts.setRole(id, 'moderator'), mayNotAccess],
        [() => accounts.setRole(id, 'admin').then(() => accounts.ban(id)), refused(403, 'User is banned')],
        [
          () => accounts.unban(id).then(() => accounts.change(id, 'delete', 'delete')),
          refused(401, 'Invalid or revoked access token'),
        ],
      ]
      for (const [interfere, expected] of meanwhile) {
        await accounts.setRole(id, 'admin')
        await accounts.unban(id)
        const username = aName()
        interrupted.between = interfere
        assert.deepEqual(answerOf(await create({ username, role: 'user', password }, 'admin')), expected)
        interrupted.between = null
        assert.equal(await accounts.users.find({ username }), null)
      }
    })

    it('creates one account if ten concurrent requests want the same name', async () => {
      const username = aName()
      const replies = await Promise.all(Array.from({ length: 10 }, () => create({ username, role: 'user', password })))
      const answers = replies.map(answerOf)
      assert.equal(answers.filter(([status]) => status === 200).length, 1)
      assert.equal(answers.filter(([status]) => status === 409).length, 9)
    })
  })
}
