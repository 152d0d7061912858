import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../../../src/accounts/roles.ts'
import { type ConsoleBrowser, consoleBrowser } from '../../support/console-browser.ts'
import { answerOf, asDryRun, noIdentifier, notFound, refused } from '../../support/people.ts'
import { stores } from '../../support/stores.ts'
import { keyStage } from '../key-stage.ts'

/** Whose grants an administrator and an owner may revoke. */
const ranked = <Person>(admin: Person, owner: Person): readonly (readonly [Role, Person, boolean])[] => [
  ['moderator', admin, true],
  ['admin', admin, false],
  ['owner', admin, false],
  ['admin', owner, true],
]

for (const store of stores) {
  describe(`Administrators and the keys, sessions and links of users on ${store.name}`, { skip: store.skip }, () => {
    const { stage, ask, create, me, somebody } = keyStage(store)
    const as =
      ({ accessToken: token }: { accessToken: string }) =>
      async (method: string, path: string, body?: unknown) =>
        answerOf(await stage.service.request(method, path, { token, body }))

    it('see the keys of a user, by id or name, without a secret', async () => {
      const [person, admin] = [await somebody(), await somebody('admin')]
      const { status: _, key: secret, ...key } = (await create(person)).body
      const list = [200, { status: 200, keys: [key] }]
      assert.ok(secret)
      const get = (query: string) => as(admin)('GET', `/admin/user/keys${query}`)
      assert.deepEqual(await get(`?userId=${person.id}`), list)
      assert.deepEqual(await get(`?username=${person.username.toUpperCase()}`), list)
      assert.deepEqual(await get(`?userId=${admin.id}`), [200, { status: 200, keys: [] }])
      assert.deepEqual(await get(''), noIdentifier)
      assert.deepEqual(await get('?username=nobody'), notFound)
    })

    it('see the sessions of a user, and the links without their urls', async () => {
      const [person, admin] = [await somebody(), await somebody('admin')]
      const browser = consoleBrowser(stage.service)
      await browser.signIn(person.username)
      const { sessions } = (await browser.ask('GET', '/auth/sessions')).body
      const token = person.accessToken
      const terms = { kinds: ['fox', 'hug'], repeat: 'no', tags: ['snow'] }
      const created = await stage.service.request('POST', '/auth/embed', { token, body: terms })
      const { status: _, url, ...link } = created.body
      assert.ok(url, created.text)
      const get = (list: string, query = `?userId=${person.id}`) => as(admin)('GET', `/admin/user/${list}${query}`)
      const theirs = { ...sessions[0], current: false }
      assert.deepEqual(await get('sessions'), [200, { status: 200, sessions: [theirs] }])
      assert.deepEqual(await get('embed', `?username=${person.username}`), [200, { status: 200, links: [link] }])
      for (const list of ['sessions', 'embed']) {
        assert.deepEqual(await get(list, ''), noIdentifier)
        assert.deepEqual(await get(list, '?username=nobody'), notFound)
        const forbidden = refused(403, 'You do not have permission to access this resource')
        const query = `?userId=${admin.id}`
        assert.deepEqual(await as(await somebody('moderator'))('GET', `/admin/user/${list}${query}`), forbidden)
      }
      await as(admin)('POST', '/admin/user/revoke-token', { userId: person.id })
      assert.deepEqual(await get('sessions'), [200, { status: 200, sessions: [] }])
      assert.deepEqual(await get('embed'), [200, { status: 200, links: [] }])
    })

    it('revoke keys of users below them, after a dry run if they like, and no others', async () => {
      const cannot = refused(403, 'You do not have permission to revoke API keys of this user')
      const [admin, owner] = [await somebody('admin'), await somebody('owner')]
      for (const [role, actor, may] of ranked(admin, owner)) {
        const expected = may ? null : cannot
        const person = await somebody(role)
        const { id: keyId, key: secret } = (await create(person)).body
        const revoke = (query = '') => as(actor)('DELETE', `/admin/user/keys/${keyId}${query}`)
        const { id, username } = person
        const user = { id, username, role, banned: false }
        const done = [200, { status: 200, message: `API key of ${username} has been revoked`, user }]
        assert.deepEqual(await revoke('?dryRun=true'), expected ?? asDryRun(done))
        assert.equal((await me(secret)).status, 200)
        assert.deepEqual(await revoke(), expected ?? done)
        assert.equal((await me(secret)).status, expected ? 200 : 401)
        if (!expected) assert.deepEqual(await revoke(), refused(404, 'API key not found'))
      }
      const own = (await create(owner)).body.id
      const self = refused(400, 'You cannot revoke your own API key here; use /auth/keys')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/keys/${own}`), self)
      assert.deepEqual(await as(owner)('DELETE', '/admin/user/keys/x'), refused(404, 'API key not found'))
      const forbidden = refused(403, 'You do not have permission to access this resource')
      assert.deepEqual(await as(await somebody('moderator'))('DELETE', `/admin/user/keys/${own}`), forbidden)
      const badDryRun = refused(400, 'dryRun must be true or false')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/keys/${own}?dryRun=maybe`), badDryRun)
      assert.equal((await as(owner)('DELETE', `/admin/user/keys/${own}?dry_run=true`))[0], 400)
    })

    it('revoke one embed link of users below them, after a dry run if they like, and no others', async () => {
      const [admin, owner] = [await somebody('admin'), await somebody('owner')]
      const cannot = refused(403, 'You do not have permission to revoke embed links of this user')
      const gone = refused(404, 'Embed link not found')
      const linkOf = async ({ accessToken: token }: { accessToken: string }, terms = {}) => {
        const body = { kind: 'fox', ...terms }
        return (await stage.service.request('POST', '/auth/embed', { token, body })).body as { id: string }
      }
      const idsOf = async (person: { accessToken: string }) => {
        const [, { links }] = (await as(person)('GET', '/auth/embed')) as [number, { links: { id: string }[] }]
        return links.map(({ id }) => id)
      }
      for (const [role, actor, may] of ranked(admin, owner)) {
        const expected = may ? null : cannot
        const person = await somebody(role)
        const [link, other] = [await linkOf(person, { repeat: 'no', tags: 'snow' }), await linkOf(person)]
        const revoke = (query = '') => as(actor)('DELETE', `/admin/user/embed/${link.id}${query}`)
        const { id, username } = person
        const user = { id, username, role, banned: false }
        const done = [200, { status: 200, message: `Embed link of ${username} has been revoked`, user }]
        assert.deepEqual(await revoke('?dryRun=true'), expected ?? asDryRun(done))
        assert.deepEqual(await idsOf(person), [link.id, other.id])
        assert.deepEqual(await revoke(), expected ?? done)
        assert.deepEqual(await idsOf(person), expected ? [link.id, other.id] : [other.id])
        if (expected) continue
        assert.deepEqual(await revoke(), gone)
        const [, audit] = await as(owner)('GET', `/admin/audit?target=${id}&action=revoke-embed`)
        const [{ actor: by, before, outcome }] = (audit as { events: [Record<string, unknown>] }).events
        const { expiresAt } = before as { expiresAt: string }
        const ended = { link: link.id, kinds: 'fox', expiresAt, repeat: 'no', tags: 'snow' }
        assert.deepEqual([by, outcome, before], [actor.id, 'success', ended])
      }
      const own = await linkOf(owner)
      const self = refused(400, 'You cannot revoke your own embed link here; use /auth/embed')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/embed/${own.id}`), self)
      assert.deepEqual(await as(owner)('DELETE', '/admin/user/embed/x'), gone)
      const badDryRun = refused(400, 'dryRun must be true or false')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/embed/${own.id}?dryRun=maybe`), badDryRun)
      assert.equal((await as(owner)('DELETE', `/admin/user/embed/${own.id}?dry_run=true`))[0], 400)
      const forbidden = refused(403, 'You do not have permission to access this resource')
      assert.deepEqual(await as(await somebody('moderator'))('DELETE', `/admin/user/embed/${own.id}`), forbidden)
    })

    it('end one session of users below them, after a dry run if they like, and no others', async () => {
      const [admin, owner] = [await somebody('admin'), await somebody('owner')]
      const cannot = refused(403, 'You do not have permission to end sessions of this user')
      const gone = refused(404, 'Session not found')
      const signedIn = async ({ username }: { username: string }) => {
        const browser = consoleBrowser(stage.service)
        await browser.signIn(username)
        const { sessions } = (await browser.ask('GET', '/auth/sessions')).body
        return { browser, id: (sessions as { id: string; current: boolean }[]).find(({ current }) => current)?.id }
      }
      const isIn = async ({ browser }: { browser: ConsoleBrowser }) => (await browser.me()).status === 200
      for (const [role, actor, may] of ranked(admin, owner)) {
        const expected = may ? null : cannot
        const person = await somebody(role)
        const [one, other] = [await signedIn(person), await signedIn(person)]
        const end = (query = '') => as(actor)('DELETE', `/admin/user/sessions/${one.id}${query}`)
        const { id, username } = person
        const user = { id, username, role, banned: false }
        const done = [200, { status: 200, message: `Session of ${username} has been ended`, user }]
        assert.deepEqual(await end('?dryRun=true'), expected ?? asDryRun(done))
        assert.equal(await isIn(one), true)
        assert.deepEqual(await end(), expected ?? done)
        assert.deepEqual([await isIn(one), await isIn(other)], [expected !== null, true])
        assert.equal((await me(person.accessToken)).status, 200)
        if (expected) continue
        assert.deepEqual(await end(), gone)
        const [, audit] = await as(owner)('GET', `/admin/audit?target=${id}&action=end-session`)
        const [{ actor: by, before, outcome }] = (audit as { events: [Record<string, unknown>] }).events
        assert.deepEqual([by, outcome, (before as { session: string }).session], [actor.id, 'success', one.id])
      }
      const own = await signedIn(owner)
      const self = refused(400, 'You cannot end your own session here; use /auth/sessions')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/sessions/${own.id}`), self)
      assert.equal(await isIn(own), true)
      assert.deepEqual(await as(owner)('DELETE', '/admin/user/sessions/x'), gone)
      const badDryRun = refused(400, 'dryRun must be true or false')
      assert.deepEqual(await as(owner)('DELETE', `/admin/user/sessions/${own.id}?dryRun=maybe`), badDryRun)
      assert.equal((await as(owner)('DELETE', `/admin/user/sessions/${own.id}?dry_run=true`))[0], 400)
      const forbidden = refused(403, 'You do not have permission to access this resource')
      assert.deepEqual(await as(await somebody('moderator'))('DELETE', `/admin/user/sessions/${own.id}`), forbidden)
    })

    it('read in the audit who created, rotated and revoked which key, and never its secret', async () => {
      const [person, owner] = [await somebody(), await somebody('owner')]
      const token = person.accessToken
      const terms = { name: 'frame', scopes: ['upload', 'images'], limitPerMinute: 7 }
      const { id: keyId, key: secret, expiresAt } = (await create(person, terms)).body
      const rotate = { token, body: { graceSeconds: 5 } }
      const { body } = await stage.service.request('POST', `/auth/keys/${keyId}/rotate`, rotate)
      await ask('POST', '/auth/keys', secret, terms)
      await as(owner)('DELETE', `/admin/user/keys/${keyId}`)
      const { text, body: audit } = await stage.service.request('GET', `/admin/audit?target=${person.id}`, {
        token: owner.accessToken,
      })
      const events = audit.events.map(({ action, outcome, actor, before, after }: Record<string, unknown>) => {
        return [action, outcome, actor, before, after]
      })
      const its = { key: keyId, name: 'frame' }
      const created = { ...its, scopes: 'images, upload', expiresAt, limitPerMinute: 7 }
      assert.deepEqual(events.slice(0, 3), [
        ['revoke-key', 'success', owner.id, its, null],
        ['rotate-key', 'success', person.id, null, { ...its, graceSeconds: 5 }],
        ['create-key', 'success', person.id, null, created],
      ])
      for (const each of [secret, body.key]) assert.ok(!text.includes(each.slice(4)))
      const tried = await as(owner)('GET', `/admin/audit?actor=${person.id}&action=create-key`)
      const [{ outcome }] = (tried[1] as { events: { outcome: string }[] }).events as [{ outcome: string }]
      assert.equal(outcome, 'refused: API keys cannot be used here; sign in instead')
    })

    it('find requests made with keys in the counters of their user, and listed apart in the usage', async () => {
      const [person, owner] = [await somebody(), await somebody('owner')]
      const { key: secret } = (await create(person)).body
      await ask('GET', '/images', secret)
      await ask('GET', '/admin/users', secret)
      await me(secret)
      const usage = async (query: string) => {
        const [, body] = await as(owner)('GET', `/admin/usage${query}`)
        return (body as { usage: { day: string; keys?: number }[] }).usage.map(({ day: _, ...counts }) => counts)
      }
      assert.deepEqual(await usage(`?userId=${person.id}`), [{ auth: 3, admin: 1, images: 1, total: 5, keys: 3 }])
      assert.deepEqual(Object.keys((await usage(`?userId=${owner.id}`))[0] ?? {}), ['auth', 'admin', 'images', 'total'])
      assert.ok((await usage(''))[0]?.keys ?? 0 >= 3)
      const [, found] = await as(owner)('GET', `/admin/user/search?userId=${person.id}`)
      assert.equal((found as { requests: { total: number } }).requests.total, 5)
      const [, list] = await as(owner)('GET', `/admin/user/keys?userId=${person.id}`)
      assert.equal((list as { keys: { requests: number }[] }).keys[0]?.requests, 3)
    })
  })
}
