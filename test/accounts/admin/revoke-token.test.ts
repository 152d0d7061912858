import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
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
  type Stranger,
  stateOf,
  stranger,
} from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const self = refused(400, 'You cannot sign yourself out here; use /auth/logout')
const rule = refused(403, 'You do not have permission to sign this user out')

for (const store of stores) {
  describe(`POST /admin/user/revoke-token on ${store.name}`, { skip: store.skip }, () => {
    const stage = withService(store)
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const revoke = async (body: unknown, actor: keyof Cast = 'admin') =>
      answerOf(
        await stage.service.request('POST', '/admin/user/revoke-token', { token: people[actor].accessToken, body }),
      )
    const me = async (token: string) => answerOf(await stage.service.request('GET', '/auth/me', { token }))
    const done = ({ id, username }: Stranger) => [
      200,
      {
        status: 200,
        message: `User ${username} has been signed out`,
        user: { id, username, role: 'user', banned: false },
      },
    ]

    it('ends the token at the very next request; the user may sign in again', async () => {
      const person = await stage.service.register('Leaver')
      assert.equal((await me(person.accessToken))[0], 200)
      assert.deepEqual(await revoke({ username: 'leaver' }), done(person))
      assert.deepEqual(await me(person.accessToken), refused(401, 'Invalid or revoked access token'))
      const { status, body } = await stage.service.login('leaver')
      assert.equal(status, 200)
      assert.equal((await me(body.accessToken))[0], 200)
      assert.deepEqual(await me(person.accessToken), refused(401, 'Invalid or revoked access token'))
    })

    it('leaves updatedAt as it is, and does nothing to who is signed out already', async () => {
      const person = await stranger(stage)
      const state = await stateOf(stage, person.id, people.owner.accessToken)
      assert.deepEqual(await revoke({ userId: person.id }), done(person))
      assert.deepEqual(await stateOf(stage, person.id, people.owner.accessToken), state)
      const { updatedAt } = await stage.accounts.find(people.user.id)
      assert.deepEqual(await revoke({ userId: people.user.id }), done(people.user))
      assert.equal((await stage.accounts.find(people.user.id)).updatedAt, updatedAt)
    })

    it('signs out who is banned, and leaves him banned', async () => {
      const person = await stranger(stage)
      await stage.accounts.ban(person.id)
      const [status, body] = (await revoke({ userId: person.id })) as [number, { user: { banned: boolean } }]
      assert.deepEqual([status, body.user.banned], [200, true])
    })

    it('means the userId where the username is another’s', async () => {
      const person = await stranger(stage)
      assert.deepEqual(await revoke({ userId: person.id, username: 'support' }), done(person))
      assert.equal((await me(people.support.accessToken))[0], 200)
      assert.deepEqual(await revoke({ userId: people.admin.id, username: 'support' }), self)
    })

    it('as a dry run answers the same, says so, and signs nobody out', async () => {
      const person = await stranger(stage)
      const was = await stage.accounts.change(person.id, 'login', { tokenHash: 'signed in' })
      const dry = (query: string) =>
        stage.service.request('POST', `/admin/user/revoke-token${query}`, {
          token: people.admin.accessToken,
          body: { userId: person.id },
        })
      assert.deepEqual(answerOf(await dry('?dryRun=true')), asDryRun(done(person)))
      assert.equal((await stage.accounts.find(person.id)).tokenHash, was.account?.tokenHash)
      for (const query of ['?dryRun=1', '?dryRun', '?dryRun=']) {
        const { status, body } = await dry(query)
        assert.deepEqual([status, body], [400, { status: 400, message: 'dryRun must be true or false' }])
      }
      assert.equal((await stage.accounts.find(person.id)).tokenHash, 'signed in')
    })

    it('refuses in order: no identifier, unknown, oneself, the rule', async () => {
      for (const body of [...nobody, undefined, '[]']) assert.deepEqual(await revoke(body), noIdentifier)
      for (const text of hostile) {
        assert.deepEqual(await revoke({ username: text }), notFound)
        assert.deepEqual(await revoke({ userId: text }), notFound)
      }
      assert.deepEqual(await revoke({ username: 'ADMIN' }), self)
      assert.deepEqual(await revoke({ userId: people.owner.id }, 'owner'), self)
      assert.deepEqual(await revoke({ userId: people.owner.id }), rule)
      assert.deepEqual(await revoke({ userId: (await stranger(stage, { role: 'admin' })).id }), rule)
      assert.equal((await me(people.owner.accessToken))[0], 200)
    })
  })
}
