import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../../src/accounts/roles.ts'
import { asDryRun, hostile, nobody, noIdentifier, notFound, refused, type Stranger } from '../../support/people.ts'
import { someOf } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { actStage, changed } from './act-stage.ts'

interface ActCase {
  readonly path: string
  terms(): Record<string, unknown>
  readonly badTerms?: object
  readonly bad?: unknown
  done(who: Stranger, terms: Record<string, unknown>): unknown[]
  readonly self: unknown
  readonly rule: unknown
  /** The reply if nothing would change; by default, that of the act. */
  readonly again?: unknown
}

let names = 0

const acts: readonly ActCase[] = [
  {
    path: '/admin/ban',
    terms: () => ({}),
    badTerms: { reason: 'Spam', until: 'never' },
    bad: refused(400, 'until must be an ISO 8601 timestamp in the future'),
    done: (who) => changed(`User ${who.username} has been banned`, who, { banned: true }),
    self: refused(400, 'You cannot ban yourself'),
    rule: refused(403, 'You do not have permission to ban this user'),
    again: refused(400, 'User is already banned'),
  },
  {
    path: '/admin/unban',
    terms: () => ({}),
    done: (who) => changed(`User ${who.username} has been unbanned`, who),
    self: refused(400, 'You cannot unban yourself'),
    rule: refused(403, 'You do not have permission to unban this user'),
    again: refused(400, 'User is not banned'),
  },
  {
    path: '/admin/user/revoke-token',
    terms: () => ({}),
    done: (who) => changed(`User ${who.username} has been signed out`, who),
    self: refused(400, 'You cannot sign yourself out here; use /auth/logout'),
    rule: refused(403, 'You do not have permission to sign this user out'),
  },
  {
    path: '/admin/user/delete',
    terms: () => ({}),
    done: (who) => changed(`User ${who.username} has been deleted`, who),
    self: refused(400, 'You cannot delete yourself here; use /auth/delete'),
    rule: refused(403, 'You do not have permission to delete this user'),
    again: notFound,
  },
  {
    path: '/admin/user/edit/role',
    terms: () => ({ role: 'support' }),
    badTerms: { role: 7 },
    bad: refused(400, 'role is required and must be a string'),
    done: (who) => changed(`User ${who.username} has been changed to support`, who, { role: 'support' }),
    self: refused(400, 'You cannot change your own role'),
    rule: refused(403, "You do not have permission to change this user's role"),
  },
  {
    path: '/admin/user/edit/username',
    terms: () => ({ newUsername: `renamed${++names}` }),
    badTerms: { newUsername: '!' },
    bad: refused(
      400,
      'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
    ),
    done: (who, { newUsername: username }) =>
      changed(`User username has been changed to ${username}`, who, { username }),
    self: refused(400, 'You cannot change your own username'),
    rule: refused(403, "You do not have permission to change this user's username"),
  },
]

for (const store of stores)
  describe(`Every act on a user, on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, post, look, someone: anyone } = actStage(store, '')

    for (const { path, terms, badTerms, bad, done, self, rule, again } of acts)
      describe(`POST ${path}`, () => {
        const act = (body: unknown, query = '', actor?: Role) => post(path + query, body, actor)
        const someone = async () => {
          const person = await anyone()
          if (path === '/admin/unban') await stage.accounts.ban(person.id)
          return person
        }
        /** Acts, and expects success. */
        const acts = async (who: Stranger, named: object) => {
          const asked = terms()
          assert.deepEqual(await act({ ...asked, ...named }), done(who, asked), JSON.stringify(named))
        }

        it('returns the changed user, by id or by a name in any case', async () => {
          const [one, two] = [await someone(), await someone()]
          await acts(one, { userId: one.id })
          await acts(two, { username: two.username.toUpperCase() })
        })

        it('prefers the userId to the username of another user, for the check and the write', async () => {
          const [person, user] = [await someone(), await look(people.user.id)]
          await acts(person, { userId: person.id, username: 'user' })
          const refusals = [
            [people.admin.id, self],
            [people.owner.id, rule],
            ['nobody', notFound],
          ] as const
          for (const [userId, refusal] of refusals)
            assert.deepEqual(await act({ ...terms(), userId, username: 'user' }), refusal)
          assert.deepEqual(await look(people.user.id), user)
        })

        it('uses the username if the userId is empty or not a string', async () => {
          for (const userId of ['', 7, null, [people.admin.id], { id: people.admin.id }, true]) {
            const person = await someone()
            await acts(person, { userId, username: person.username })
          }
        })

        it('refuses a body that names nobody, before it checks any other field', async () => {
          for (const body of [...nobody, '[]', 'null', '"user"', undefined])
            assert.deepEqual(await act(typeof body === 'object' ? { ...body, ...badTerms } : body), noIdentifier)
        })

        it('finds nobody by a hostile name or id', async () => {
          for (const text of [...someOf(6, hostile), '\ud800']) {
            assert.deepEqual(await act({ ...terms(), username: text }), notFound)
            assert.deepEqual(await act({ ...terms(), userId: text }), notFound)
          }
        })

        it('ignores fields that it does not declare', async () => {
          const person = await someone()
          const others = { id: people.user.id, banned: true, role: 'owner', newUsername: 'other' }
          const asked = terms()
          assert.deepEqual(await act({ ...others, ...asked, userId: person.id }), done(person, asked))
        })

        it('refuses an act on oneself before it checks the rule, and checks the rule before the rest', async () => {
          assert.deepEqual(await act({ ...terms(), username: 'ADMIN' }), self)
          assert.deepEqual(await act({ ...terms(), userId: people.owner.id }, '', 'owner'), self)
          assert.deepEqual(await act({ ...terms(), userId: people.owner.id }), rule)
          const [admin, owner] = [await anyone('admin'), await anyone('owner')]
          assert.deepEqual(await act({ ...terms(), userId: admin.id }), rule)
          for (const { id } of [admin, owner]) await stage.accounts.ban(id)
          assert.deepEqual(await act({ ...terms(), userId: admin.id }), rule)
          assert.deepEqual(await act({ ...terms(), userId: owner.id }, '', 'owner'), rule)
        })

        it('has the same reply as a dry run, plus dryRun, and then changes nothing', async () => {
          const person = await someone()
          const state = await look(person.id)
          clock.advance(1_000)
          const dry = (userId: string | undefined, more: object) => act({ ...more, userId }, '?dryRun=true')
          const asked = terms()
          assert.deepEqual(await dry(person.id, asked), asDryRun(done(person, asked)))
          assert.deepEqual(await dry(people.admin.id, asked), self)
          assert.deepEqual(await dry(people.owner.id, asked), rule)
          assert.deepEqual(await dry('nobody', asked), notFound)
          assert.deepEqual(await dry(undefined, asked), noIdentifier)
          if (badTerms) assert.deepEqual(await dry(person.id, badTerms), bad)
          assert.deepEqual(await look(person.id), state)
          assert.deepEqual(await act({ ...asked, userId: person.id }), done(person, asked))
          if (again) assert.deepEqual(await dry(person.id, asked), again)
        })
      })
  })
