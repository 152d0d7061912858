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
  type Stranger,
  stateOf,
  stranger,
} from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { withService } from '../../support/with-service.ts'

const missing = refused(400, 'newUsername is required')
const badForm = refused(
  400,
  'Invalid username format. Must be 3-32 characters with only alphanumeric, underscore, hyphen, or dot',
)
const own = refused(400, 'You cannot change your own username')
const rule = refused(403, "You do not have permission to change this user's username")
const taken = refused(409, 'Username already exists')

for (const store of stores) {
  describe(`POST /admin/user/edit/username on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { overrides: { clock } })
    let people: Cast
    before(async () => {
      people = await cast(stage)
    })
    const rename = async (body: unknown, query = '', actor: keyof Cast = 'admin') =>
      answerOf(
        await stage.service.request('POST', `/admin/user/edit/username${query}`, {
          token: people[actor].accessToken,
          body,
        }),
      )
    const look = (id: string) => stateOf(stage, id, people.owner.accessToken)
    const someone = () => stranger(stage, { now: clock.now() })
    const done = ({ id }: Stranger, username: string) => [
      200,
      {
        status: 200,
        message: `User username has been changed to ${username}`,
        user: { id, username, role: 'user', banned: false },
      },
    ]

    it('answers the user with the new name, by id or by a name in any case', async () => {
      const person = await someone()
      assert.deepEqual(await rename({ userId: person.id, newUsername: 'First.Name' }), done(person, 'First.Name'))
      assert.deepEqual(await rename({ username: 'FIRST.NAME', newUsername: 'second' }), done(person, 'second'))
    })

    for (const newUsername of ['abc', 'x'.repeat(32), '...', '__proto__', 'constructor', '-_-', '123']) {
      it(`takes ${newUsername} for a name like any other`, async () => {
        const person = await someone()
        assert.deepEqual(await rename({ userId: person.id, newUsername }), done(person, newUsername))
        assert.deepEqual(
          await rename({ username: newUsername, newUsername: person.username }),
          done(person, person.username),
        )
      })
    }

    it('keeps the token, and the new name signs in', async () => {
      const { service } = stage
      const person = await service.register('caterpillar')
      await rename({ userId: person.id, newUsername: 'butterfly' })
      const { status, body } = await service.request('GET', '/auth/me', { token: person.accessToken })
      assert.deepEqual([status, body.user.username], [200, 'butterfly'])
      assert.deepEqual(answerOf(await service.login('caterpillar')), [401, { error: 'Invalid credentials' }])
      assert.equal((await service.login('Butterfly')).status, 200)
    })

    it('frees the old name at once, and its new holder inherits nothing', async () => {
      const { service } = stage
      const person = await service.register('heirloom')
      await stage.accounts.ban(person.id)
      await rename({ userId: person.id, newUsername: 'ancestor' })
      const { id } = await service.register('Heirloom')
      const { body } = await service.request('GET', '/admin/user/search?username=heirloom', {
        token: people.support.accessToken,
      })
      assert.deepEqual(
        [body.user.id, body.user.username, body.user.banned, body.requests.total, body.requests.auth],
        [id, 'Heirloom', false, 1, 1],
      )
      const stranger2 = await someone()
      await rename({ userId: id, newUsername: 'other.heir' })
      await rename({ userId: stranger2.id, newUsername: 'heirloom' })
      const second = await service.request('GET', '/admin/user/search?username=heirloom', {
        token: people.support.accessToken,
      })
      assert.deepEqual([second.body.user.id, second.body.requests], [stranger2.id, null])
    })

    it('moves updatedAt with a change, another spelling included, and not for the same name', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await rename({ userId: person.id, newUsername: person.username }), done(person, person.username))
      assert.deepEqual(await look(person.id), state)
      const spelled = person.username.toUpperCase()
      assert.deepEqual(await rename({ userId: person.id, newUsername: spelled }), done(person, spelled))
      const { user } = (await look(person.id)) as { user: { username: string; updatedAt: string } }
      assert.deepEqual([user.username, user.updatedAt], [spelled, new Date(clock.now()).toISOString()])
    })

    it('means the userId where the username is another’s, for the check and the write', async () => {
      const person = await someone()
      assert.deepEqual(
        await rename({ userId: person.id, username: 'owner', newUsername: 'by.id' }),
        done(person, 'by.id'),
      )
      assert.deepEqual(await rename({ userId: people.admin.id, username: 'user', newUsername: 'x.y' }), own)
      assert.deepEqual(await rename({ userId: people.owner.id, username: 'user', newUsername: 'x.y' }), rule)
      assert.deepEqual(await rename({ userId: 'nobody', username: 'user', newUsername: 'x.y' }), notFound)
      assert.equal((await stage.accounts.find(people.user.id)).username, 'user')
    })

    it('refuses in order: no identifier, no new name, its form, unknown, one’s own, the rule, taken', async () => {
      for (const body of [...nobody, undefined, '[]'])
        assert.deepEqual(await rename(typeof body === 'object' ? { ...body, newUsername: '!' } : body), noIdentifier)
      const { admin, owner, user } = people
      for (const newUsername of [undefined, '', 7, null, ['user'], { newUsername: 'user' }, true])
        for (const userId of ['nobody', admin.id, owner.id])
          assert.deepEqual(await rename({ userId, newUsername }), missing)
      for (const newUsername of [
        'ab',
        'x'.repeat(33),
        'a b',
        'abc\n',
        'abc\0',
        'ümlaut',
        "' OR 1=1",
        '\u212Aate',
        ' user',
      ])
        for (const userId of ['nobody', admin.id, owner.id])
          assert.deepEqual(await rename({ userId, newUsername }), badForm)
      assert.deepEqual(await rename({ userId: 'nobody', newUsername: 'support' }), notFound)
      assert.deepEqual(await rename({ userId: admin.id, newUsername: 'support' }), own)
      assert.deepEqual(await rename({ username: 'ADMIN', newUsername: 'admin' }), own)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'Owner' }, '', 'owner'), own)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'support' }), rule)
      assert.deepEqual(await rename({ userId: owner.id, newUsername: 'owner' }), rule)
      for (const newUsername of ['support', 'SUPPORT', 'Admin'])
        assert.deepEqual(await rename({ userId: user.id, newUsername }), taken)
    })

    it('leaves everything as it was where the name is taken', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      assert.deepEqual(await rename({ userId: person.id, newUsername: 'Support' }), taken)
      const { user } = (await look(person.id)) as { user: object }
      assert.deepEqual(user, (state as { user: object }).user)
    })

    it('knows nobody by a hostile name or id', async () => {
      for (const text of hostile) {
        assert.deepEqual(await rename({ username: text, newUsername: 'harmless' }), notFound)
        assert.deepEqual(await rename({ userId: text, newUsername: 'harmless' }), notFound)
      }
    })

    it('looks at no field that it does not ask for', async () => {
      const person = await someone()
      const body = { userId: person.id, newUsername: 'plain', id: people.user.id, role: 'owner', banned: true }
      assert.deepEqual(await rename(body), done(person, 'plain'))
    })

    it('answers a dry run in the same words, says so, and changes nothing', async () => {
      const person = await someone()
      const state = await look(person.id)
      clock.advance(1_000)
      const dry = (userId: string, newUsername?: string) => rename({ userId, newUsername }, '?dryRun=true')
      assert.deepEqual(await dry(person.id, 'rehearsed'), asDryRun(done(person, 'rehearsed')))
      assert.deepEqual(await dry(person.id, 'Support'), taken)
      assert.deepEqual(await dry(people.admin.id, 'rehearsed'), own)
      assert.deepEqual(await dry(people.owner.id, 'rehearsed'), rule)
      assert.deepEqual(await dry('nobody', 'rehearsed'), notFound)
      assert.deepEqual(await dry(person.id, '!'), badForm)
      assert.deepEqual(await dry(person.id), missing)
      const badDryRun = refused(400, 'dryRun must be true or false')
      assert.deepEqual(await rename({ userId: person.id, newUsername: 'rehearsed' }, '?dryRun=1'), badDryRun)
      assert.deepEqual(await look(person.id), state)
      assert.deepEqual(
        await rename({ userId: people.user.id, newUsername: 'rehearsed' }),
        done(people.user, 'rehearsed'),
      )
    })
  })
}
