import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { answerOf, mayNotAccess, refused } from '../support/people.ts'
import { startService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { reportStage } from './report-stage.ts'

const notFound = refused(404, 'Image not found')
const reported = [201, { status: 201, message: 'Image reported' }]

for (const store of stores)
  describe(`Reports of images on ${store.name}`, { skip: store.skip }, () => {
    const { stage, place, people, broken, ask, report, resolve, unhide, entry, upload, get } = reportStage(store)

    it('of one image are one entry with a count, once for each user, and hide nothing', async () => {
      await upload('fox/one.png')
      const hostile = `<script>alert(1)</script>'"; DROP TABLE reports; -- \u202e💥`
      assert.deepEqual(answerOf(await report('user', 'fox/one.png', hostile)), reported)
      assert.deepEqual(
        answerOf(await report('user', 'fox/one.png')),
        refused(409, 'You have already reported this image'),
      )
      const both = await Promise.all([report('support', 'fox/one.png'), report('support', 'fox/one.png')])
      assert.deepEqual(both.map(({ status }) => status).sort(), [201, 409])
      const { id, etag, image, createdAt, updatedAt, reasons, ...rest } = await entry('fox/one.png')
      assert.deepEqual(rest, {
        name: 'fox/one.png',
        count: 2,
        hidden: false,
        state: 'open',
        action: null,
        resolvedAt: null,
        resolvedBy: null,
      })
      assert.deepEqual([image.name, image.etag], ['fox/one.png', etag])
      assert.ok(createdAt <= updatedAt)
      assert.deepEqual(
        reasons.map(({ at: _, ...each }: { at: string }) => each),
        [
          { userId: people.support.id, username: 'support', reason: 'Not a fox' },
          { userId: people.user.id, username: 'user', reason: hostile },
        ],
      )
      assert.equal((await get('fox/one.png')).status, 200)
      const kept = await resolve('moderator', id, 'keep')
      assert.deepEqual([kept.status, kept.body.message], [200, 'Image fox/one.png has been kept'])
      assert.deepEqual([kept.body.report.state, kept.body.report.resolvedBy], ['closed', people.moderator.id])
      assert.equal((await get('fox/one.png')).status, 200)
      assert.equal((await report('user', 'fox/one.png')).status, 201)
      assert.notEqual((await entry('fox/one.png')).id, id)
    })

    it('that hide an image remove it everywhere until it is unhidden, whatever is uploaded meanwhile', async () => {
      for (const name of ['bird/bad.png', 'bird/good.png']) await upload(name)
      const { etag = '' } = Object.fromEntries((await get('bird/bad.png')).headers)
      await report('user', 'bird/bad.png')
      const { id } = await entry('bird/bad.png')
      const { body } = await resolve('moderator', id, 'hide')
      assert.deepEqual([body.report.action, body.report.hidden, body.report.image], ['hide', true, null])
      const { url } = (await ask('user', 'POST', '/auth/embed', { kind: 'bird' })).body
      const embedded = new URL(url).pathname
      const missing = async () => {
        assert.equal((await stage.service.request('GET', embedded)).text, 'bird/good.png')
        const ways: readonly [Record<string, string>, string?][] = [
          [{}],
          [{}, 'HEAD'],
          [{ 'if-none-match': etag }],
          [{ 'if-match': etag }],
          [{ range: 'bytes=0-1' }],
        ]
        for (const [headers, method] of ways) {
          const reply = await get('bird/bad.png', headers, method)
          assert.deepEqual([reply.status, reply.headers.get('cache-control')], [404, 'no-store'])
          if (method === undefined) assert.deepEqual(answerOf(reply), notFound)
        }
        for (const query of ['', '?as=bytes', '?count=30', '?seed=a']) {
          const { text } = await ask('user', 'GET', `/images/bird/random${query}`)
          assert.ok(text.includes('bird/good.png') && !text.includes('bad'), text)
        }
        const { images } = (await ask('user', 'GET', '/images/bird')).body
        assert.deepEqual(
          images.map(({ name }: { name: string }) => name),
          ['bird/good.png'],
        )
        const { kinds } = (await ask('user', 'GET', '/images')).body
        assert.equal(kinds.find(({ kind }: { kind: string }) => kind === 'bird').count, 1)
      }
      await missing()
      assert.deepEqual(answerOf(await report('support', 'bird/bad.png')), notFound)
      assert.equal((await upload('bird/bad.png', 'other bytes')).status, 200)
      await missing()
      const other = await startService({ env: stage.service.env, overrides: {} })
      try {
        assert.equal((await other.request('GET', '/i/bird/bad.png')).status, 404)
      } finally {
        await other.close()
      }
      for (const role of ['user', 'support'] as const)
        assert.deepEqual(answerOf(await unhide(role, 'bird/bad.png')), mayNotAccess)
      assert.deepEqual(answerOf(await unhide('moderator', 'bird/bad.png')), [
        200,
        { status: 200, message: 'Image bird/bad.png is no longer hidden' },
      ])
      assert.equal((await get('bird/bad.png')).text, 'other bytes')
      assert.equal((await ask('user', 'GET', '/images/bird/random?count=30')).body.images.length, 2)
      assert.equal((await entry('bird/bad.png')).hidden, false)
      assert.deepEqual(answerOf(await unhide('owner', 'bird/bad.png')), refused(400, 'Image is not hidden'))
      for (const name of ['bird/none.png', 'none', '../../etc/passwd', 'bird/\0'])
        assert.deepEqual(answerOf(await unhide('owner', name)), notFound)
    })

    it('are resolved once: if two moderators act at once, the second is told what was done', async () => {
      await upload('hug/both.png')
      await report('user', 'hug/both.png')
      const { id } = await entry('hug/both.png')
      const replies = await Promise.all([resolve('moderator', id, 'keep'), resolve('admin', id, 'keep')])
      const late = refused(409, 'Report was already resolved: keep')
      const [lost, won] = replies.sort((one, other) => other.status - one.status)
      assert.deepEqual([won?.status, lost && answerOf(lost)], [200, late])
      assert.deepEqual(answerOf(await resolve('owner', id, 'delete')), late)
      assert.equal((await get('hug/both.png')).status, 200)
    })

    it('that delete an image need an administrator, and stay open while the store fails', async () => {
      await upload('pat/away.png')
      await report('user', 'pat/away.png')
      const { id } = await entry('pat/away.png')
      const mayNot = refused(403, 'You do not have permission to delete images')
      assert.deepEqual(answerOf(await resolve('moderator', id, 'delete')), mayNot)
      // What a kill would leave behind.
      let meanwhile: unknown
      broken.remove = async () => {
        const { state, hidden, action } = await entry('pat/away.png')
        meanwhile = [(await get('pat/away.png')).status, state, hidden, action]
        throw new Error('the store fails')
      }
      assert.equal((await resolve('admin', id, 'delete')).status, 500)
      delete broken.remove
      assert.deepEqual(meanwhile, [404, 'closed', true, 'delete'])
      const { state, hidden } = await entry('pat/away.png')
      assert.deepEqual([state, hidden, (await get('pat/away.png')).status], ['open', false, 200])
      const { status, body } = await resolve('admin', id, 'delete')
      assert.deepEqual([status, body.report.state, body.report.hidden, body.report.image], [200, 'closed', false, null])
      assert.deepEqual(answerOf(await get('pat/away.png')), notFound)
      await upload('pat/away.png')
      assert.equal((await get('pat/away.png')).status, 200)
    })

    it('outlive a deleted image, and a deleted user except for the reason', async () => {
      await upload('kiss/gone.png')
      const guest = await stage.service.register(`guest-${store.name}`)
      await report(guest, 'kiss/gone.png')
      const { password } = guest
      assert.equal((await ask(guest, 'POST', '/auth/delete', { password })).status, 200)
      await place.store.remove({ bucket: place.bucket, name: 'kiss/gone.png' })
      await get('kiss/gone.png', { 'if-none-match': '"x"' }, 'HEAD')
      const { id, count, reasons, image, state } = await entry('kiss/gone.png')
      assert.deepEqual([count, reasons, image, state], [1, [], null, 'open'])
      assert.equal((await resolve('admin', id, 'delete')).status, 200)
    })

    it('are listed in pages, open ones oldest first and closed ones newest first, for moderators and up', async () => {
      const names = ['a', 'b', 'c'].map((each) => `smug/${each}.png`)
      for (const name of names) {
        await upload(name)
        await report('user', name)
      }
      const walk = async (state: string) => {
        const found: string[] = []
        for (let cursor = ''; ; ) {
          const path = `/admin/reports?state=${state}&limit=1${cursor && `&cursor=${cursor}`}`
          const { reports, next } = (await ask('moderator', 'GET', path)).body
          found.push(...reports.map(({ name }: { name: string }) => name))
          if (next === null) return found.filter((name) => name.startsWith('smug/'))
          cursor = next
        }
      }
      assert.deepEqual(await walk('open'), names)
      for (const name of names) await resolve('moderator', (await entry(name)).id, 'keep')
      assert.deepEqual(await walk('open'), [])
      assert.deepEqual(await walk('closed'), names.toReversed())
      for (const role of ['user', 'support'] as const) {
        assert.deepEqual(answerOf(await ask(role, 'GET', '/admin/reports')), mayNotAccess)
        assert.deepEqual(answerOf(await resolve(role, 'any', 'keep')), mayNotAccess)
      }
      const { next } = (await ask('moderator', 'GET', '/admin/reports?state=closed&limit=1')).body
      for (const [query, message] of [
        ['state=all', 'state must be open or closed'],
        ['stat=open', 'Unknown parameter: stat'],
        ['limit=0', 'limit must be a whole number from 1 to 500'],
        [`cursor=${next}`, 'cursor must be the `next` value of a previous response, with the same sort'],
      ])
        assert.deepEqual(answerOf(await ask('moderator', 'GET', `/admin/reports?${query}`)), refused(400, `${message}`))
    })

    it('refuse bad input', async () => {
      await upload('slap/a.png')
      const bad = refused(400, 'reason must be a string of 1 to 500 characters, not all spaces')
      const send = async (body: unknown) => answerOf(await ask('user', 'POST', '/images/report', body))
      const name = 'slap/a.png'
      for (const reason of [' \n', 'x'.repeat(501), '\0', '\ud800', 7, {}, ['x']])
        assert.deepEqual(await send({ name, reason }), bad, JSON.stringify(reason))
      for (const body of [{ name }, { name, reason: '' }, { name, reason: null }])
        assert.deepEqual(await send(body), refused(400, 'reason is required'))
      for (const body of [{ reason: 'x' }, { name: 7, reason: 'x' }])
        assert.deepEqual(await send(body), refused(400, 'name is required'))
      for (const unknown of [
        'slap/none.png',
        'none/a.png',
        'slap/../a.png',
        '/slap/a.png',
        'x'.repeat(5_000),
        '__proto__',
      ])
        assert.deepEqual(await send({ name: unknown, reason: 'x' }), notFound, unknown)
      assert.deepEqual(await send({ name, reason: '💥'.repeat(500) }), reported)
      const { id } = await entry(name)
      const act = async (body: unknown) => answerOf(await ask('owner', 'POST', `/admin/reports/${id}/resolve`, body))
      assert.deepEqual(await act({}), refused(400, 'action is required'))
      assert.deepEqual(await act({ action: 'Hide' }), refused(400, 'action must be one of keep, hide, delete'))
      assert.deepEqual(answerOf(await unhide('owner', '')), refused(400, 'name is required'))
      for (const none of ['x', '00000000-0000-7000-8000-000000000000', `${id}'`])
        assert.deepEqual(answerOf(await resolve('owner', none, 'keep')), refused(404, 'Report not found'))
    })

    it('are audited with who did what to which image', async () => {
      await upload('shibe/a.png')
      await report('user', 'shibe/a.png')
      const { id } = await entry('shibe/a.png')
      await resolve('moderator', id, 'hide')
      await unhide('admin', 'shibe/a.png')
      const { events } = (await ask('owner', 'GET', `/admin/audit?target=${place.bucket}/shibe/a.png`)).body
      assert.deepEqual(
        events
          // Its event may be written later, since the bytes are stored before.
          .filter(({ action }: Record<string, unknown>) => action !== 'upload')
          .map(({ action, actor, outcome, after }: Record<string, unknown>) => [action, actor, outcome, after]),
        [
          ['unhide', people.admin.id, 'success', null],
          ['resolve-report', people.moderator.id, 'success', { report: id, action: 'hide' }],
          ['report', people.user.id, 'success', { report: id }],
        ],
      )
    })
  })

describe('The limit of reports', () => {
  const { ask, people, report, upload } = reportStage(stores[0] as (typeof stores)[0], { RATE_LIMIT_REPORT_MAX: '2' })

  it('counts by the id of the user, which a new name does not change', async () => {
    await upload('fox/a.png')
    const statuses = []
    for (const who of ['user', 'user', 'user', 'support'] as const)
      statuses.push((await report(who, 'fox/a.png')).status)
    assert.deepEqual(statuses, [201, 409, 429, 201])
    const renamed = { userId: people.user.id, newUsername: 'renamed' }
    assert.equal((await ask('owner', 'POST', '/admin/user/edit/username', renamed)).status, 200)
    assert.equal((await report('user', 'fox/a.png')).status, 429)
  })
})
