import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createJournalStore } from '../../src/drivers/accounts/journal-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { fakeClock } from '../support/clock.ts'
import { consoleBrowser, cookieOf, sameOrigin } from '../support/console-browser.ts'
import { answerOf, refused } from '../support/people.ts'
import { password, startService, type TestService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { withService } from '../support/with-service.ts'

const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'a keeper of sessions' }
const required = refused(401, 'Access token is required')
const dayMs = 86_400_000
const statusesOf = (replies: readonly { readonly status: number }[]) => replies.map(({ status }) => status)

for (const store of stores) {
  describe(`Sessions of the console on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const stage = withService(store, { env: keeper, overrides: { clock } })
    const asOwner = async (path: string, body: object) => {
      const { accessToken: token } = (await stage.service.login('keeper', keeper.OWNER_PASSWORD)).body
      return stage.service.request('POST', path, { token, body })
    }
    const browser = (own?: Record<string, string>) => consoleBrowser(stage.service, own)
    let made = 0
    const somebody = () => stage.service.register(`visitor${++made}`)

    it('start with a cookie of 30 days, which stands nowhere else, and leave the token as it is', async () => {
      const person = await somebody()
      const { id, username, accessToken: token } = person
      const firefox = browser({
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
      })
      const reply = await firefox.signIn(username.toUpperCase())
      const user = { id, username, role: 'user', banned: false }
      assert.deepEqual(answerOf(reply), [200, { status: 200, user }])
      const attributes = '; Max-Age=2592000; Path=/; HttpOnly; SameSite=Strict'
      const [, secret = ''] = /^menagerie_session=([\w-]{43})(.*)$/.exec(reply.headers.get('set-cookie') ?? '') ?? []
      assert.equal(reply.headers.get('set-cookie'), `menagerie_session=${secret}${attributes}`)
      const shown = await firefox.me()
      assert.deepEqual(
        [shown.status, shown.body.user, shown.body.token, 'apiKey' in shown.body],
        [200, user, null, false],
      )
      assert.equal((await stage.service.request('GET', '/auth/me', { token })).status, 200)
      const { body } = await firefox.ask('GET', '/auth/sessions')
      const [session] = body.sessions
      const at = new Date(clock.now()).toISOString()
      const told = { id: session.id, createdAt: at, lastUsedAt: at, address: '127.0.0.1' }
      assert.deepEqual(body, { status: 200, sessions: [{ ...told, browser: 'Firefox on Linux', current: true }] })
      assert.equal((await stage.service.login(username)).status, 200)
      assert.equal((await firefox.me()).status, 200, 'a login ends none')
      const { text } = await asOwner('/admin/unban', { userId: id })
      const audit = await stage.service.request('GET', `/admin/audit?actor=${id}`, {
        token: (await stage.service.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken,
      })
      assert.ok(audit.text.includes(session.id))
      for (const kept of [JSON.stringify(stage.service.logged()), text, audit.text]) assert.ok(!kept.includes(secret))
    })

    it('are several at a time, at most 20, of which the oldest goes; a browser replaces its own', async () => {
      const { username } = await somebody()
      const browsers = Array.from({ length: 21 }, () => browser())
      for (const each of browsers.slice(0, 20)) assert.equal((await each.signIn(username)).status, 200)
      const [first = assert.fail(), second = assert.fail()] = browsers
      const old = second.cookie
      assert.equal((await second.signIn(username)).status, 200)
      assert.notEqual(second.cookie, old)
      const replaced = await stage.service.request('GET', '/auth/me', { headers: { ...sameOrigin, cookie: old } })
      assert.deepEqual(answerOf(replaced), required)
      assert.equal((await first.me()).status, 200)
      assert.equal((await browsers.at(-1)?.signIn(username))?.status, 200)
      assert.deepEqual(answerOf(await first.me()), required)
      assert.deepEqual(
        new Set(statusesOf(await Promise.all(browsers.slice(1).map((each) => each.me())))),
        new Set([200]),
      )
      const all = (await second.ask('GET', '/auth/sessions')).body.sessions
      assert.equal(all.length, 20)
    })

    it('stay at most 20 when 30 sign in at once', async () => {
      const { username } = await somebody()
      const browsers = Array.from({ length: 30 }, () => browser())
      assert.deepEqual(
        new Set(statusesOf(await Promise.all(browsers.map((each) => each.signIn(username))))),
        new Set([200]),
      )
      const alive = statusesOf(await Promise.all(browsers.map((each) => each.me())))
      assert.equal(alive.filter((status) => status === 200).length, 20)
    })

    it('end after 30 days, and show their last use to the minute', async () => {
      const { username } = await somebody()
      const one = browser()
      await one.signIn(username)
      clock.advance(30 * dayMs - 1)
      assert.equal((await one.me()).status, 200)
      const [session] = (await one.ask('GET', '/auth/sessions')).body.sessions
      assert.equal(session.lastUsedAt, new Date(clock.now() - (clock.now() % 60_000)).toISOString())
      clock.advance(1)
      assert.deepEqual(answerOf(await one.me()), required)
    })

    it('end by signing out, which leaves the token and other sessions, on either route', async () => {
      const { username, accessToken: token } = await somebody()
      const [one, two, three] = [browser(), browser(), browser()]
      for (const each of [one, two, three]) await each.signIn(username)
      for (const [each, method, path] of [
        [one, 'DELETE', '/console/session'],
        [two, 'POST', '/auth/logout'],
      ] as const) {
        const { cookie } = each
        const reply = await each.ask(method, path)
        assert.deepEqual(answerOf(reply), [200, { status: 200, message: 'Signed out' }])
        assert.match(reply.headers.get('set-cookie') ?? '', /^menagerie_session=; Max-Age=0; Path=\//)
        assert.deepEqual(answerOf(await each.ask('GET', '/auth/me', { headers: { cookie } })), required)
        assert.equal((await each.ask('DELETE', '/console/session', { headers: { cookie } })).status, 200)
      }
      assert.equal((await three.me()).status, 200)
      assert.equal((await stage.service.request('GET', '/auth/me', { token })).status, 200)
    })

    it('end by each other with the password or a recent login, the current one without, and only of the same user', async () => {
      const [person, stranger] = [await somebody(), await somebody()]
      const [one, two, other] = [browser(), browser(), browser()]
      for (const each of [one, two]) await each.signIn(person.username)
      await other.signIn(stranger.username)
      const idOf = async (each: typeof one) =>
        (await each.ask('GET', '/auth/sessions')).body.sessions.find(({ current }: { current: boolean }) => current).id
      const path = async (each: typeof one) => `/auth/sessions/${await idOf(each)}`
      const ended = [200, { status: 200, message: 'Session ended' }]
      const missing = [404, { error: 'Session not found' }]
      for (const strange of [
        await path(other),
        `/auth/sessions/${person.id}`,
        '/auth/sessions/x',
        '/auth/sessions/%00',
      ])
        assert.deepEqual(answerOf(await one.ask('DELETE', strange)), missing)
      assert.equal((await other.me()).status, 200)
      clock.advance(601_000)
      const target = await path(two)
      const again = [403, { error: 'Sign in again or send your password' }]
      assert.deepEqual(answerOf(await one.ask('DELETE', target)), again)
      assert.deepEqual(answerOf(await one.ask('DELETE', target, { body: { password: 'wrong password' } })), [
        401,
        { error: 'Invalid credentials' },
      ])
      assert.deepEqual(answerOf(await one.ask('DELETE', target, { body: { password } })), ended)
      assert.deepEqual([(await two.me()).status, (await one.me()).status], [401, 200])
      assert.deepEqual(answerOf(await one.ask('DELETE', await path(one))), ended)
      assert.equal((await one.me()).status, 401)
      const { accessToken: token } = stranger
      const asToken = await stage.service.request('DELETE', await path(other), { token })
      assert.deepEqual(answerOf(asToken), again, 'a token is no session')
    })

    it('end with a password change, but for the current one, and with revoke-token and the account; a ban ends none', async () => {
      const person = await somebody()
      const { username, accessToken: token } = person
      const [one, two, three] = [browser(), browser(), browser()]
      for (const each of [one, two]) await each.signIn(username)
      const change = { currentPassword: password, newPassword: password }
      const changed = await one.ask('POST', '/auth/password', { body: change })
      assert.equal(changed.status, 200)
      assert.deepEqual([(await one.me()).status, (await two.me()).status], [200, 401])
      assert.equal((await stage.service.request('GET', '/auth/me', { token })).status, 401, 'the old token is invalid')
      const renewed = changed.body.accessToken
      await two.signIn(username)
      assert.equal(
        (await stage.service.request('POST', '/auth/password', { token: renewed, body: change })).status,
        200,
      )
      assert.deepEqual([(await one.me()).status, (await two.me()).status], [401, 401], 'by a token, all')

      await three.signIn(username)
      const { id: userId } = person
      assert.equal((await asOwner('/admin/ban', { userId })).status, 200)
      assert.deepEqual(answerOf(await three.me()), refused(403, 'User is banned'))
      assert.deepEqual(answerOf(await one.signIn(username)), [403, { error: 'User is banned' }])
      assert.equal((await asOwner('/admin/unban', { userId })).status, 200)
      assert.equal((await three.me()).status, 200)
      await stage.accounts.change(userId, 'logout', { tokenHash: null })
      assert.equal((await three.me()).status, 200, 'without a token')
      assert.equal((await asOwner('/admin/user/revoke-token', { userId })).status, 200)
      assert.deepEqual(answerOf(await three.me()), required)
      await three.signIn(username)
      const reset = await asOwner('/admin/user/reset-password', { userId })
      assert.deepEqual(answerOf(await three.me()), required)
      await three.signIn(username, reset.body.password)
      assert.equal((await three.me()).status, 200)
      assert.equal((await asOwner('/admin/user/delete', { userId })).status, 200)
      assert.deepEqual(answerOf(await three.me()), required)
    })

    it('do what tokens do: keys, links and the deletion of the account, until they have ended', async () => {
      const person = await somebody()
      const one = browser()
      await one.signIn(person.username)
      const key = await one.ask('POST', '/auth/keys', { body: { name: 'x', scopes: ['images'] } })
      assert.equal(key.status, 201)
      assert.equal((await one.ask('POST', `/auth/keys/${key.body.id}/rotate`)).status, 200)
      assert.equal((await one.ask('POST', '/auth/embed', { body: { kind: 'fox' } })).status, 201)
      assert.equal((await one.ask('GET', '/images')).status, 200)
      clock.advance(601_000)
      for (const [path, body] of [
        ['/auth/keys', { name: 'x', scopes: ['images'] }],
        ['/auth/embed', { kind: 'fox' }],
      ] as const) {
        assert.equal((await one.ask('POST', path, { body })).status, 403)
        assert.equal((await one.ask('POST', path, { body: { ...body, password } })).status, 201)
      }
      const deleted = await one.ask('POST', '/auth/delete', { body: { password } })
      assert.deepEqual([deleted.status, cookieOf(deleted)], [200, 'menagerie_session='])
      assert.equal((await one.me()).status, 401)
    })

    it('count the sign-in and every request for the user', async () => {
      const { id, username } = await somebody()
      const one = browser()
      await one.signIn(username)
      await one.me()
      await one.ask('GET', '/images')
      const { accessToken: token } = (await stage.service.login('keeper', keeper.OWNER_PASSWORD)).body
      const search = await stage.service.request('GET', `/admin/user/search?userId=${id}`, { token })
      const { auth, images, total } = search.body.requests
      assert.deepEqual({ auth, images, total }, { auth: 3, images: 1, total: 4 })
    })
  })

  describe(`Sessions of the console on ${store.name}, on two instances`, { skip: store.skip }, () => {
    let one: TestService
    let two: TestService
    let place: Awaited<ReturnType<typeof store.make>>
    before(async () => {
      place = await store.make()
      one = await startService({ place })
      two = await startService({ place })
    })

    it('are deleted in the background once they have expired', async () => {
      const { id, username } = await one.register('expiring')
      const browsers = [consoleBrowser(one), consoleBrowser(two)]
      for (const each of browsers) await each.signIn(username)
      const database = await place.open()
      const own = () => database.kysely.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
      const [expired, alive] = await own()
      await database.kysely
        .updateTable('sessions')
        .set({ expires_at: 0 })
        .where('id', '=', expired?.id ?? '')
        .execute()
      const journal = createJournalStore(database, { clock: systemClock, newId: createIds(systemClock) })
      const before = { day: '2000-01-01', eventAgeMs: 90 * dayMs, now: Date.now() }
      await journal.forget(before, new AbortController().signal)
      assert.deepEqual(await own(), [alive])
      await database.close()
    })

    it('act on both at once, and none outlives a password change that runs beside its sign-in', async () => {
      for (let round = 0; round < 4; round++) {
        const { username, accessToken: token } = await one.register(`racing${round}`)
        const browsers = Array.from({ length: 6 }, () => consoleBrowser(two))
        const body = { currentPassword: password, newPassword: 'another horse battery' }
        const [changed, ...signedIn] = await Promise.all([
          one.request('POST', '/auth/password', { token, body }),
          ...browsers.map((each) => each.signIn(username)),
        ])
        assert.equal(changed.status, 200)
        for (const [index, reply] of signedIn.entries()) {
          const headers = { ...sameOrigin, cookie: cookieOf(reply) }
          const asked = [one, two].map((each) => each.request('GET', '/auth/me', { headers }))
          assert.deepEqual(statusesOf(await Promise.all(asked)), [401, 401], `round ${round}, ${index}`)
        }
      }
    })
  })
}
