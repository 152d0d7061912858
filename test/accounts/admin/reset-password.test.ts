import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consoleBrowser } from '../../support/console-browser.ts'
import { answerOf, asDryRun, refused } from '../../support/people.ts'
import { type Person, password, type Reply } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { actStage } from './act-stage.ts'

const path = '/admin/user/reset-password'
const again = refused(403, 'Sign in again or send your password')
const wrong = refused(401, 'Invalid credentials')
const elevenMinutes = 660_000

for (const store of stores) {
  describe(`POST ${path} on ${store.name}`, { skip: store.skip }, () => {
    const { stage, clock, people, look, someone, me } = actStage(store, path)
    const send = (body: unknown, query = '', actor: 'admin' | 'owner' = 'admin') =>
      stage.service.request('POST', path + query, { token: people[actor].accessToken, body })
    const done = (who: Pick<Person, 'id' | 'username'>, made?: unknown) => [
      200,
      {
        status: 200,
        message: `Password of ${who.username} has been reset`,
        user: { id: who.id, username: who.username, role: 'user', banned: false },
        ...(made !== undefined && { password: made }),
      },
    ]
    const signInAgain = async (role: 'admin' | 'owner') => {
      const { body } = await stage.service.login(role)
      Object.assign(people[role], { accessToken: body.accessToken })
    }
    const statusOf = async (reply: Promise<Reply>) => (await reply).status

    it('replies once with a random password that works; the old one, the token, keys, links and sessions do not', async () => {
      const person = await stage.service.register('Forgetful')
      const { accessToken: token } = person
      const { body: key } = await stage.service.request('POST', '/auth/keys', {
        token,
        body: { name: 'x', scopes: ['images'] },
      })
      const { body: link } = await stage.service.request('POST', '/auth/embed', { token, body: { kind: 'fox' } })
      const browser = consoleBrowser(stage.service)
      await browser.signIn('forgetful')
      assert.equal((await browser.me()).status, 200)
      const { updatedAt } = await stage.accounts.find(person.id)
      clock.advance(1_000)
      const reply = await send({ username: 'forgetful' })
      assert.deepEqual(answerOf(reply), done(person, reply.body.password))
      assert.match(reply.body.password, /^[a-z2-9]{24}$/)
      assert.equal(reply.headers.get('cache-control'), 'no-store')
      assert.ok((await stage.accounts.find(person.id)).updatedAt > updatedAt)

      assert.deepEqual(await me(token), refused(401, 'Invalid or revoked access token'))
      assert.deepEqual(await me(`Bearer ${key.key}`), refused(401, 'Invalid or revoked access token'))
      assert.equal(await statusOf(stage.service.request('GET', new URL(link.url).pathname)), 404)
      assert.equal((await browser.me()).status, 401)
      assert.equal((await stage.service.login('forgetful')).status, 401)
      assert.equal((await stage.service.login('forgetful', reply.body.password)).status, 200)
      const { body: second } = await send({ userId: person.id })
      assert.notEqual(second.password, reply.body.password)
    })

    it('neither stores, logs nor audits the password', async () => {
      const person = await someone()
      const { password: made } = (await send({ userId: person.id })).body
      const { text } = await stage.service.request('GET', `/admin/audit?target=${person.id}`, {
        token: people.owner.accessToken,
      })
      const [event] = JSON.parse(text).events.filter(({ action }: { action: string }) => action === 'reset-password')
      assert.deepEqual(
        [event.action, event.outcome, event.actor, event.before, event.after],
        ['reset-password', 'success', people.admin.id, null, null],
      )
      const kept = text + JSON.stringify(stage.service.logged()) + JSON.stringify(await stage.accounts.find(person.id))
      assert.ok(!kept.includes(made))
    })

    it('refuses oneself and those of the own role or above, and finds nobody', async () => {
      const itself = refused(400, 'You cannot reset your own password here; use /auth/password')
      const forbidden = refused(403, 'You do not have permission to reset the password of this user')
      const admin = await someone('admin')
      for (const [body, answer] of [
        [{ userId: people.admin.id }, itself],
        [{ userId: people.owner.id }, forbidden],
        [{ userId: admin.id }, forbidden],
        [{ userId: 'nobody' }, refused(404, 'User not found')],
        [{ password }, refused(400, 'userId or username is required')],
      ] as const)
        for (const query of ['', '?dryRun=true']) assert.deepEqual(answerOf(await send(body, query)), answer)
    })

    it('performs every check in a dry run, which changes nothing and has no password in its reply', async () => {
      const person = await someone()
      const state = await look(person.id)
      assert.deepEqual(answerOf(await send({ userId: person.id }, '?dryRun=true')), asDryRun(done(person)))
      assert.deepEqual(await look(person.id), state)
    })

    it("needs the administrator's own password again once the login is older than 10 minutes", async () => {
      const person = await someone()
      clock.advance(elevenMinutes)
      for (const query of ['', '?dryRun=true', `?password=${encodeURIComponent(password)}`])
        for (const none of [{}, { password: '' }, { password: 7 }])
          assert.deepEqual(answerOf(await send({ userId: person.id, ...none }, query)), again)
      assert.deepEqual(answerOf(await send({ userId: person.id, password: 'wrong password' })), wrong)
      const reply = await send({ userId: person.id, password })
      assert.deepEqual(answerOf(reply), done(person, reply.body.password))
      await signInAgain('admin')
    })

    it('counts a wrong password as a failed login', async () => {
      await signInAgain('owner')
      const person = await someone()
      const limits = async () => {
        const { body } = await stage.service.request('GET', '/auth/me', { token: people.owner.accessToken })
        return JSON.stringify(body.limits)
      }
      const before = await limits()
      assert.equal(await statusOf(send({ userId: person.id, password }, '', 'owner')), 200)
      assert.deepEqual(answerOf(await send({ userId: person.id, password: 'wrong' }, '', 'owner')), wrong)
      const after = await limits()
      assert.notEqual(after, before)
    })
  })
}
