import assert from 'node:assert/strict'
import { before, beforeEach, describe, it } from 'node:test'
import type { AuditEvent } from '../../src/accounts/audit.ts'
import type { Database } from '../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../src/drivers/accounts/directory.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { UserStoreForTests } from '../support/account-editor.ts'
import { refuseEvents } from '../support/refuse-events.ts'
import { type Store, stores } from '../support/stores.ts'
import { atTerminal, tool, toolHere, toolJson } from './tool.ts'

const password = 'correct horse battery'
const newPassword = 'another horse, another battery'
const until = '2999-12-31T00:00:00.000Z'

for (const store of stores) {
  describe(`The command line and the audit, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let database: Database
    let accounts: UserStoreForTests
    let name = ''
    let id = ''
    let count = 0
    const events = () => createDirectory(database, { clock: systemClock }).events({ before: null, limit: 100_000 })
    const run = (...args: string[]) => toolHere(place.env, ['user', ...args], newPassword)

    /** The events that this adds to the audit, without their ids and times. */
    const toldOf = async (act: () => Promise<unknown>) => {
      const known = new Set((await events()).map((event) => event.id))
      await act()
      return (await events()).filter((event) => !known.has(event.id)).map(({ id: _, at: __, ...rest }) => rest)
    }
    const event = (given: Partial<AuditEvent>) => ({
      outcome: 'success',
      actor: 'cli',
      target: id,
      address: null,
      requestId: null,
      count: 1,
      before: null,
      after: null,
      ...given,
    })
    const signIn = () => accounts.change(id, 'login', { tokenHash: 'the hash of a token' })

    before(async () => {
      place = await store.make()
      await toolJson(place.env, ['owner', 'create', 'olivia'], password)
      database = await place.open()
      accounts = new UserStoreForTests(database)
    })
    beforeEach(async () => {
      name = `person-${++count}`
      id = (await accounts.insert(name, password)).id
    })

    for (const [args, role] of [
      [['user', 'create'], 'user'],
      [['user', 'create', '--role', 'moderator'], 'moderator'],
      [['owner', 'create'], 'owner'],
    ] as const) {
      it(`${args.join(' ')} is recorded`, async () => {
        const username = `Made-${count}`
        let made = ''
        const told = await toldOf(async () => {
          made = (await toolJson(place.env, [...args, username], password)).user.id
        })
        assert.deepEqual(told, [event({ action: 'create', target: made, after: { username, role } })])
      })
    }

    const acts: Record<string, { first?: () => Promise<unknown>; args: string[]; told: Partial<AuditEvent> }> = {
      'set-password': { args: ['--yes'], told: { action: 'password' } },
      'set-role': {
        args: ['support', '--yes'],
        told: { action: 'role', before: { role: 'user' }, after: { role: 'support' } },
      },
      ban: {
        args: ['--yes', '--reason', 'Spam', '--until', until],
        told: { action: 'ban', before: { banned: false }, after: { banned: true, reason: 'Spam', until } },
      },
      unban: {
        first: () => accounts.ban(id),
        args: [],
        told: { action: 'unban', before: { banned: true }, after: { banned: false } },
      },
      revoke: { first: signIn, args: ['--yes'], told: { action: 'revoke-token' } },
    }
    for (const [command, { first, args, told: expected }] of Object.entries(acts)) {
      it(`user ${command} is recorded exactly once`, async () => {
        await first?.()
        const act = async () => assert.equal((await run(command, name, ...args)).code, 0)
        assert.deepEqual(await toldOf(act), [event(expected)])
        if (command !== 'set-password') assert.deepEqual(await toldOf(act), [])
      })

      it(`user ${command} is rolled back if its audit event cannot be written`, async () => {
        await first?.()
        const was = await accounts.find(id)
        const allow = await refuseEvents(database)
        const { code, stdout } = await run(command, name, ...args)
        await allow()
        assert.deepEqual([code, stdout], [1, ''])
        assert.deepEqual(await accounts.find(id), was)
      })
    }

    it('no account is created if its audit event cannot be written', async () => {
      const allow = await refuseEvents(database)
      const { code } = await toolHere(place.env, ['user', 'create', 'never-made'], password)
      await allow()
      assert.equal(code, 1)
      assert.equal(await accounts.users.find({ username: 'never-made' }), null)
    })

    it('nothing is recorded for an unconfirmed, refused or read-only command', async () => {
      await signIn()
      const told = await toldOf(async () => {
        for (const args of [
          ['set-role', name, 'admin'],
          ['ban', name],
          ['revoke', name],
          ['set-password', name],
        ]) {
          const typed = { asked: '[y/N]', typed: 'n\r' }
          assert.equal((await atTerminal(place.env, ['user', ...args], [typed])).code, 1)
          assert.equal((await run(...args)).code, 2)
        }
        assert.equal((await run('create', name.toUpperCase())).code, 1)
        assert.equal((await run('ban', 'nobody', '--yes')).code, 1)
        assert.equal((await run('ban', name, '--yes', '--until', '2020-01-01T00:00Z')).code, 2)
        assert.equal((await toolHere(place.env, ['user', 'set-password', name, '--yes'], 'short')).code, 1)
        for (const args of [['show', name], ['list'], ['list', '--json']]) assert.equal((await run(...args)).code, 0)
      })
      assert.deepEqual(told, [])
    })

    it('the real process records too, without secrets', async () => {
      const secrets = [password, newPassword, 'the hash of a token', (await accounts.find(id)).passwordHash]
      await signIn()
      const told = await toldOf(async () => {
        assert.equal((await tool(place.env, ['user', 'set-password', name, '--yes'], newPassword)).code, 0)
        assert.equal((await tool(place.env, ['user', 'create', `${name}-b`], newPassword)).code, 0)
      })
      assert.deepEqual(told.map(({ action }) => action).sort(), ['create', 'password'])
      secrets.push((await accounts.find(id)).passwordHash)
      const text = JSON.stringify(await database.kysely.selectFrom('audit').selectAll().execute())
      for (const secret of secrets) assert.equal(text.includes(secret), false, secret)
      assert.doesNotMatch(text, /argon2/)
    })
  })
}
