import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { objectStores } from '../support/object-stores.ts'
import { answerOf, mayNotAccess, refused } from '../support/people.ts'
import { stores } from '../support/stores.ts'
import { withImages } from './image-stage.ts'
import { reportStage } from './report-stage.ts'

const notFound = refused(404, 'Image not found')
const badTarget = refused(400, 'to must be <kind>/<file name>, other than name')
const nameTaken = refused(409, 'Another image has this name')

interface AuditEvent {
  readonly target: string
  readonly outcome: string
}

for (const store of stores)
  describe(`Images that moderators hide and move, on ${store.name}`, { skip: store.skip }, () => {
    const { place, broken, after, discarded, ask, report, resolve, entry, unhide, upload, get } = reportStage(store)
    const hide = (who: 'moderator' | 'support', name: string) => ask(who, 'POST', '/admin/images/hide', { name })
    const move = (name: string, to: string, who: 'admin' | 'moderator' = 'admin') =>
      ask(who, 'POST', '/admin/images/move', { name, to })
    const hidden = async (query = '') => (await ask('moderator', 'GET', `/admin/images/hidden${query}`)).body
    const listed = async (kind: string): Promise<string[]> =>
      (await ask('user', 'GET', `/images/${kind}`)).body.images.map(({ name }: { name: string }) => name)

    it('without a report, leave everything until they are shown again, and are listed by name', async () => {
      for (const name of ['fox/a.png', 'fox/b.png', 'fox/c.png']) await upload(name)
      await report('user', 'fox/a.png')
      assert.deepEqual(answerOf(await hide('support', 'fox/a.png')), mayNotAccess)
      for (const name of ['fox/b.png', 'fox/a.png'])
        assert.deepEqual(answerOf(await hide('moderator', name)), [
          200,
          { status: 200, message: `Image ${name} is hidden` },
        ])
      assert.deepEqual(answerOf(await hide('moderator', 'fox/a.png')), refused(409, 'Image is already hidden'))
      for (const name of ['fox/none.png', 'cat/a.png', '../a.png', 'fox'])
        assert.deepEqual(answerOf(await hide('moderator', name)), notFound, name)
      assert.deepEqual([await listed('fox'), (await get('fox/a.png')).status], [['fox/c.png'], 404])
      assert.deepEqual(await hidden(), { status: 200, count: 2, names: ['fox/a.png', 'fox/b.png'], next: null })
      for (const [query, message] of [
        ['limit=0', 'limit must be a whole number from 1 to 500'],
        ['cursor=YR', 'cursor must be the `next` value of a previous response'],
        ['kind=fox', 'Unknown parameter: kind'],
      ])
        assert.deepEqual(
          answerOf(await ask('moderator', 'GET', `/admin/images/hidden?${query}`)),
          refused(400, message ?? ''),
        )
      assert.deepEqual(answerOf(await hide('moderator', '')), refused(400, 'name is required'))
      const first = await hidden('?limit=1')
      assert.deepEqual([first.count, first.names], [2, ['fox/a.png']])
      const rest = await hidden(`?limit=1&cursor=${first.next}`)
      assert.deepEqual([rest.names, rest.next], [['fox/b.png'], null])
      const { state, hidden: isHidden } = await entry('fox/a.png')
      assert.deepEqual([state, isHidden], ['open', true])
      for (const name of ['fox/a.png', 'fox/b.png']) assert.equal((await unhide('moderator', name)).status, 200)
      assert.deepEqual(
        [await listed('fox'), await hidden()],
        [['fox/a.png', 'fox/b.png', 'fox/c.png'], { status: 200, count: 0, names: [], next: null }],
      )
      const { events } = (await ask('admin', 'GET', '/admin/audit?action=hide')).body as { events: AuditEvent[] }
      const hides = events.filter(({ outcome }) => outcome === 'success').map(({ target }) => target)
      assert.deepEqual(hides.sort(), [`${place.bucket}/fox/a.png`, `${place.bucket}/fox/b.png`])
    })

    it('to another name keep their bytes, type, details and reports, and the old name is gone', async () => {
      await upload('bird/old.png', 'the bytes')
      const details = { alt: 'A bird', source: 'https://example.org/', tags: ['red', 'snow'] }
      assert.equal((await ask('admin', 'PATCH', '/admin/images/bird/old.png', details)).status, 200)
      await report('user', 'bird/old.png', 'No bird')
      assert.deepEqual(answerOf(await move('bird/old.png', 'fox/new.png', 'moderator')), mayNotAccess)
      assert.deepEqual(answerOf(await move('bird/old.png', 'fox/new.png')), [
        200,
        { status: 200, message: 'Image bird/old.png has been moved to fox/new.png' },
      ])
      const [old, moved] = await Promise.all([get('bird/old.png'), get('fox/new.png')])
      assert.deepEqual([old.status, moved.status, moved.text], [404, 200, 'the bytes'])
      assert.equal(moved.headers.get('content-type'), 'image/png')
      const { alt, source, tags } = (await ask('user', 'GET', '/images/fox/new.png')).body
      assert.deepEqual({ alt, source, tags }, details)
      assert.deepEqual((await ask('user', 'GET', '/images/fox?tags=snow')).body.images.length, 1)
      const { state, reasons } = await entry('fox/new.png')
      assert.deepEqual([state, reasons.map((each: { reason: string }) => each.reason)], ['open', ['No bird']])
      assert.equal(await entry('bird/old.png'), undefined)
      for (const [action, after] of [
        ['move', { to: 'fox/new.png' }],
        ['delete-object', { movedTo: 'fox/new.png' }],
      ] as const) {
        const { events } = (await ask('admin', 'GET', `/admin/audit?action=${action}&limit=1`)).body
        assert.deepEqual([events[0].target, events[0].after], [`${place.bucket}/bird/old.png`, after])
      }
    })

    it('stay as they are if the new name is taken, hidden or none, or the image is hidden or gone', async () => {
      for (const name of ['smug/a.png', 'smug/b.png', 'smug/c.png', 'smug/d.png']) await upload(name)
      for (const name of ['smug/c.png', 'smug/d.png']) await hide('moderator', name)
      await ask('admin', 'DELETE', '/admin/s3/delete', { bucketName: place.bucket, objectName: 'smug/d.png' })
      for (const [name, to, answer] of [
        ['smug/a.png', 'smug/b.png', nameTaken],
        ['smug/a.png', 'smug/c.png', nameTaken],
        ['smug/a.png', 'smug/d.png', nameTaken],
        ['smug/a.png', 'smug/a.png', badTarget],
        ['smug/a.png', 'cat/a.png', badTarget],
        ['smug/a.png', '../a.png', badTarget],
        ['smug/a.png', '', refused(400, 'to is required')],
        ['', 'smug/e.png', refused(400, 'name is required')],
        ['smug/c.png', 'smug/e.png', notFound],
        ['smug/none.png', 'smug/e.png', notFound],
        ['cat/none.png', 'smug/e.png', notFound],
      ] as const)
        assert.deepEqual(answerOf(await move(name, to)), answer, `${name} ${to}`)
      for (const name of ['smug/a.png', 'smug/b.png']) assert.equal((await get(name)).text, name)
      assert.equal((await get('smug/e.png')).status, 404)
    })

    it('leave what somebody uploads to the new name meanwhile, and stay where they are', async () => {
      for (const moment of ['read', 'write'] as const) {
        const [name, to] = [`slap/${moment}.png`, `slap/${moment}-new.png`]
        await upload(name)
        after[moment] = () => upload(to, 'of somebody else')
        assert.deepEqual(answerOf(await move(name, to)), nameTaken, moment)
        assert.deepEqual([(await get(name)).text, (await get(to)).text], [name, 'of somebody else'], moment)
      }
    })

    /** After the last check of the image before its reports are moved. */
    const atEnd = (name: string, act: () => Promise<unknown>) => {
      after.head = async function again(asked) {
        if (asked === name) await act()
        else after.head = again
      }
    }

    it('are not moved if they are replaced meanwhile', async () => {
      for (const [moment, copied] of [
        ['read', 'Image not found'],
        ['end', 'kiss/end.png'],
      ] as const) {
        const [name, to] = [`kiss/${moment}.png`, `kiss/${moment}-new.png`]
        await upload(name)
        const replace = () => upload(name, 'replaced')
        if (moment === 'read') after.read = replace
        else atEnd(name, replace)
        assert.deepEqual(answerOf(await move(name, to)), refused(409, 'Image was replaced meanwhile'))
        const kept = await get(to)
        assert.deepEqual([(await get(name)).text, kept.body?.message ?? kept.text], ['replaced', copied])
      }
    })

    it('leave no copy if they are deleted meanwhile, as by their report', async () => {
      for (const moment of ['write', 'end'] as const) {
        const [name, to] = [`weiner-dog/${moment}.png`, `weiner-dog/${moment}-new.png`]
        await upload(name)
        await report('user', name)
        const { id } = await entry(name)
        const remove = async () => assert.equal((await resolve('admin', id, 'delete')).status, 200)
        if (moment === 'write') after.write = remove
        else atEnd(name, remove)
        assert.deepEqual(answerOf(await move(name, to)), notFound)
        assert.deepEqual([(await get(name)).status, (await get(to)).status], [404, 404], moment)
      }
    })

    it('are closed again if the store fails before they are copied', async () => {
      await upload('smug/open.png')
      const before = discarded()
      after.head = () => Promise.reject(new Error('the store is away'))
      assert.equal((await move('smug/open.png', 'smug/moved.png')).status, 500)
      assert.equal(discarded(), before + 1)
    })

    it('are hidden under the new name if they are hidden meanwhile', async () => {
      for (const moment of ['read', 'remove'] as const) {
        const [name, to] = [`shibe/${moment}.png`, `shibe/${moment}-new.png`]
        await upload(name)
        const hideNow = async () => assert.equal((await hide('moderator', name)).status, 200)
        if (moment === 'read') after.read = hideNow
        else
          broken.remove = async (ref) => {
            delete broken.remove
            await hideNow()
            return place.store.remove(ref)
          }
        assert.equal((await move(name, to)).status, 200)
        assert.deepEqual([(await get(name)).status, (await get(to)).status], [404, 404], moment)
        assert.deepEqual(
          (await hidden()).names.filter((each: string) => each.startsWith('shibe/')),
          [to],
        )
        assert.equal((await unhide('moderator', to)).status, 200)
        assert.equal((await get(to)).text, name)
      }
    })

    it('stay hidden if the deletion by their report fails, and after it', async () => {
      await upload('pat/hidden.png')
      await report('user', 'pat/hidden.png')
      await hide('moderator', 'pat/hidden.png')
      const { id } = await entry('pat/hidden.png')
      broken.remove = () => Promise.reject(new Error('the disk is broken'))
      assert.equal((await resolve('admin', id, 'delete')).status, 500)
      delete broken.remove
      assert.equal((await get('pat/hidden.png')).status, 404)
      const { state, hidden } = await entry('pat/hidden.png')
      assert.deepEqual([state, hidden], ['open', true])
      assert.equal((await resolve('admin', id, 'delete')).status, 200)
      await upload('pat/hidden.png')
      assert.equal((await get('pat/hidden.png')).status, 404)
    })

    it('are in both places if the original cannot be deleted, and then the new name is taken', async () => {
      await upload('hug/a.png')
      broken.remove = () => Promise.reject(new Error('the disk is broken'))
      assert.equal((await move('hug/a.png', 'hug/b.png')).status, 500)
      delete broken.remove
      assert.deepEqual([(await get('hug/a.png')).text, (await get('hug/b.png')).text], ['hug/a.png', 'hug/a.png'])
      assert.deepEqual(answerOf(await move('hug/a.png', 'hug/b.png')), nameTaken)
    })
  })

for (const objects of objectStores)
  describe(`Images that are moved on ${objects.name}`, { skip: objects.skip }, () => {
    const stage = withImages(objects)

    it('have the same bytes, however many', async () => {
      const bytes = Buffer.alloc(9_000_001, 'bytes of a large image ')
      await stage.upload('fox/large.png', bytes, 'image/x-odd')
      const body = { name: 'fox/large.png', to: 'pat/large.png' }
      const { status, text } = await stage.service.request('POST', '/admin/images/move', {
        token: stage.ownerToken,
        body,
      })
      assert.equal(status, 200, text)
      const moved = await stage.store.read({ bucket: stage.bucket, name: 'pat/large.png' })
      assert.ok(bytes.equals((await moved?.whole()) ?? Buffer.alloc(0)))
      assert.equal(moved?.head.type, 'image/x-odd')
      assert.equal(await stage.store.head({ bucket: stage.bucket, name: 'fox/large.png' }), null)
    })
  })
