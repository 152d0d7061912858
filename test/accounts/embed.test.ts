import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { type EmbedLinkReply, pathOf, withEmbeds } from '../images/embed-stage.ts'
import { fakeClock } from '../support/clock.ts'
import { answerOf, refused } from '../support/people.ts'
import { password, type TestService } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const kinds = 'fox, bird, shibe, weiner-dog, slap, hug, kiss, smug, pat'
const badTtl = 'ttl must be a duration such as 90s, 15m, 12h or 30d, or a number of seconds, up to 3650 days'
const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'a keeper of links' }
const dayMs = 86_400_000

for (const store of stores) {
  describe(`Embed links on ${store.name}`, { skip: store.skip }, () => {
    const clock = fakeClock()
    const { stage, create, list } = withEmbeds(store, {
      env: keeper,
      overrides: { clock, images: { readsShapes: false } },
    })
    let two: TestService
    let owner: string
    before(async () => {
      two = await stage.again()
      owner = (await stage.one.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken
    })
    const post = (path: string, body: object, token: string) => stage.one.request('POST', path, { token, body })
    const revoke = (id: string, token = stage.person.accessToken) =>
      stage.one.request('DELETE', `/auth/embed/${id}`, { token })
    /** On both instances. */
    const statuses = async (link: EmbedLinkReply) =>
      (await Promise.all([stage.one, two].map((service) => service.request('GET', pathOf(link))))).map(
        ({ status }) => status,
      )

    it('are created, listed with their URLs, and revoked by their user alone, for the next request anywhere', async () => {
      const link = await create({ kind: 'fox', ttl: '30d' })
      const now = clock.now()
      assert.deepEqual(Object.keys(link), [
        'status',
        'id',
        'url',
        'kinds',
        'repeat',
        'orientation',
        'createdAt',
        'expiresAt',
        'lastUsedAt',
      ])
      assert.equal(link.expiresAt, new Date(now + 30 * dayMs).toISOString())
      const other = await create({ kinds: ['fox', 'bird'] })
      assert.deepEqual([other.kinds, Date.parse(other.expiresAt) - now], [['fox', 'bird'], 365 * dayMs])
      const shown = [link, other].map(({ status: _, ...rest }: EmbedLinkReply & { status?: number }) => rest)
      assert.deepEqual(await list(), shown)
      const stranger = await stage.one.register('stranger')
      assert.deepEqual(await list(stranger.accessToken), [])
      const missing = [404, { error: 'Embed link not found' }]
      for (const id of [link.id, 'x', '%00', stranger.id])
        assert.deepEqual(answerOf(await revoke(id, stranger.accessToken)), missing)
      assert.deepEqual(await statuses(link), [200, 200])
      assert.deepEqual(answerOf(await revoke(link.id)), [200, { status: 200, message: 'Embed link revoked' }])
      assert.deepEqual(answerOf(await revoke(link.id)), missing)
      assert.deepEqual(
        [await statuses(link), await statuses(other)],
        [
          [404, 404],
          [200, 200],
        ],
      )
      await revoke(other.id)
      const square = await create({ kind: 'fox', orientation: 'square' })
      assert.deepEqual(
        [square.orientation, (await list())[0]?.orientation, other.orientation],
        ['square', 'square', null],
      )
      await revoke(square.id)
      const path = `/admin/audit?actor=${stage.person.id}`
      const { events } = (await stage.one.request('GET', path, { token: owner })).body
      const told = events.map(({ action, outcome, before, after }: Record<string, unknown>) => [
        action,
        outcome,
        before ?? after,
      ])
      const details = { link: square.id, kinds: 'fox', expiresAt: square.expiresAt, orientation: 'square' }
      assert.deepEqual(told.slice(0, 1), [['revoke-embed', 'success', details]])
      assert.ok(
        told.some(
          ([action, outcome]: string[]) => action === 'revoke-embed' && outcome === 'refused: Embed link not found',
        ),
      )
      assert.equal(told.filter(([action]: string[]) => action === 'create-embed').length, 3)
      assert.ok(!JSON.stringify(events).includes(link.url.slice(-43)))
    })

    it('show their last use to the minute, whichever instance served it, and never go back to an earlier one', async () => {
      const { accessToken: token } = await stage.one.register('watcher')
      const [link] = [await create({ kind: 'fox' }, token), await create({ kind: 'fox' }, token)]
      const shown = async (service: TestService) =>
        (await service.request('GET', '/auth/embed', { token })).body.links.map(
          (each: EmbedLinkReply) => each.lastUsedAt,
        )
      const minute = () => new Date(clock.now() - (clock.now() % 60_000)).toISOString()
      assert.deepEqual(await shown(stage.one), [null, null])
      // The other instance may write it later.
      await two.request('GET', pathOf(link))
      clock.advance(60_000)
      await stage.one.request('HEAD', pathOf(link))
      for (const service of [stage.one, two, stage.one]) assert.deepEqual(await shown(service), [minute(), null])
      clock.advance(3_600_000)
      await two.request('GET', `${pathOf(link)}?as=redirect`)
      for (const service of [two, stage.one]) assert.deepEqual(await shown(service), [minute(), null])
    })

    it('cannot be created, listed or revoked with API keys', async () => {
      const { accessToken } = await stage.one.register('keyholder')
      const terms = { name: 'all', scopes: ['images', 'upload', 'store', 'admin:read'] }
      const token = `Bearer ${(await post('/auth/keys', terms, accessToken)).body.key}`
      const path = `/auth/embed/${(await create({ kind: 'fox' }, accessToken)).id}`
      const noKeys = refused(403, 'API keys cannot be used here; sign in instead')
      assert.deepEqual(answerOf(await post('/auth/embed', { kind: 'fox' }, token)), noKeys)
      assert.deepEqual(answerOf(await stage.one.request('GET', '/auth/embed', { token })), noKeys)
      assert.deepEqual(answerOf(await stage.one.request('DELETE', path, { token })), noKeys)
    })

    it('are refused with the name of the invalid field', async () => {
      const { accessToken } = stage.person
      const cases: [object, string][] = [
        [{}, 'kind or kinds is required'],
        [{ kind: '', kinds: '' }, 'kind or kinds is required'],
        [{ kind: null }, 'kind or kinds is required'],
        [{ kind: 'fox', kinds: ['bird'] }, 'kind and kinds cannot be combined'],
        ...['cat', 'Fox', 'random', 7, ['fox'], {}].map((kind): [object, string] => [
          { kind },
          `kind must be one of ${kinds}`,
        ]),
        ...['cat', 'fox,', [], ['fox', 'cat'], [null], 7, {}].map((each): [object, string] => [
          { kinds: each },
          `kinds must be a list of ${kinds}`,
        ]),
        ...['', '0s', '1', '1w', '3651d', ' 1d', '-1d', 0, -1, 1.5, 315_360_001, 1e300, [], true].map(
          (ttl): [object, string] => [{ kind: 'fox', ttl }, badTtl],
        ),
        ...['maybe', 'NO', true, 0, ['no']].map((repeat): [object, string] => [
          { kind: 'fox', repeat },
          'repeat must be one of yes, no',
        ]),
        ...['Portrait', 'any', 1, ['portrait']].map((orientation): [object, string] => [
          { kind: 'fox', orientation },
          'orientation must be one of landscape, portrait, square',
        ]),
      ]
      for (const [body, error] of cases)
        assert.deepEqual(answerOf(await post('/auth/embed', body, accessToken)), [400, { error }], JSON.stringify(body))
      assert.deepEqual(await list(), [])
    })

    it('expire on time, and then no longer take a place in the list', async () => {
      const [short, long] = [
        await create({ kind: 'fox', ttl: 60, password }),
        await create({ kind: 'fox', ttl: '3650d', password }),
      ]
      clock.advance(59_999)
      assert.deepEqual(await statuses(short), [200, 200])
      clock.advance(1)
      assert.deepEqual(
        [await statuses(short), await statuses(long)],
        [
          [404, 404],
          [200, 200],
        ],
      )
      assert.deepEqual(
        (await list()).map(({ id }) => id),
        [long.id],
      )
      await revoke(long.id)
    })

    it('are at most 100, however many are created at once', async () => {
      const { accessToken } = await stage.one.register('collector')
      const body = { kind: 'fox', ttl: '1h' }
      const at = (index: number) => (index % 2 ? two : stage.one)
      const replies = await Promise.all(
        Array.from({ length: 110 }, (_, index) =>
          at(index).request('POST', '/auth/embed', { token: accessToken, body }),
        ),
      )
      const full = [409, { error: 'You have 100 embed links already; revoke one first' }]
      assert.equal(replies.filter(({ status }) => status === 201).length, 100)
      for (const reply of replies) if (reply.status !== 201) assert.deepEqual(answerOf(reply), full)
      clock.advance(3_600_000)
      await create({ ...body, password }, accessToken)
    })

    it('show nothing while their user is banned', async () => {
      const person = await stage.one.register('banned')
      const link = await create({ kind: 'fox' }, person.accessToken)
      const until = new Date(clock.now() + 60_000).toISOString()
      assert.equal((await post('/admin/ban', { username: 'banned', until }, owner)).status, 200)
      assert.deepEqual(await statuses(link), [404, 404])
      assert.deepEqual(
        answerOf(await post('/auth/embed', { kind: 'fox' }, person.accessToken)),
        refused(403, 'User is banned'),
      )
      clock.advance(60_000)
      assert.deepEqual(await statuses(link), [200, 200])
    })

    const ends: Record<string, (token: string, username: string) => Promise<{ status: number }>> = {
      'a new password': (token) =>
        post('/auth/password', { currentPassword: password, newPassword: `new ${password}` }, token),
      'revoke-token': (_, username) => post('/admin/user/revoke-token', { username }, owner),
      'revoke-token after signing out': async (token, username) => {
        await post('/auth/logout', {}, token)
        return post('/admin/user/revoke-token', { username }, owner)
      },
      'deleting the account': (token) => post('/auth/delete', { password }, token),
      'deletion by an administrator': (_, username) => post('/admin/user/delete', { username }, owner),
    }
    for (const [how, act] of Object.entries(ends))
      it(`end for good by ${how}, and by no login, logout or dry run`, async () => {
        const username = how.replaceAll(' ', '-')
        const { accessToken } = await stage.one.register(username.slice(0, 32))
        const link = await create({ kind: 'fox' }, accessToken)
        await stage.one.login(username.slice(0, 32))
        const { body } = await stage.one.login(username.slice(0, 32))
        await post('/admin/user/revoke-token?dryRun=true', { username: username.slice(0, 32) }, owner)
        assert.deepEqual(await statuses(link), [200, 200])
        assert.equal((await act(body.accessToken, username.slice(0, 32))).status, 200)
        assert.deepEqual(await statuses(link), [404, 404])
      })
  })
}
