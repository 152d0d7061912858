import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { objectStores, putInto } from '../support/object-stores.ts'
import { answerOf, cast, mayNotAccess, refused } from '../support/people.ts'
import { until, withImages } from './admin-stage.ts'
import { examples } from './metadata-files.ts'

/** What has no signature would leave the pool. */
const gif = (text: string) => `GIF89a${text}`

for (const objects of objectStores)
  describe(`Images with equal bytes, ${objects.name}`, { skip: objects.skip }, () => {
    const images = withImages(objects, {
      env: { UPLOAD_STRIP_METADATA: 'true', CATALOGUE_REFRESH_SECONDS: '1' },
    })
    const { get, place, stage, upload } = images
    const path = '/admin/images/duplicates'
    let people: Awaited<ReturnType<typeof cast>>
    before(async () => {
      people = await cast(stage)
    })
    const namesIn = (body: { duplicates: { images: { name: string }[] }[] }) =>
      body.duplicates.map((group) => group.images.map(({ name }) => name).join(' '))

    it('are listed in groups and pages, wherever they come from, until only one of them is left', async () => {
      const put = putInto(place.store, place.bucket)
      for (const [name, text] of Object.entries({
        'fox/a.png': 'one',
        'fox/b.png': 'two',
        'bird/a.png': 'one',
        'hug/single.png': 'three',
        'elsewhere/a.png': 'three',
      }))
        await put(name, Buffer.from(gif(text)))
      await until(async () => (await images.pool('hug')).length === 1 && (await images.pool('fox')).length === 2)
      assert.deepEqual(namesIn((await get(path)).body), ['bird/a.png fox/a.png'])
      assert.equal((await upload('pat/b.png', gif('two'))).headers.get('x-upload-duplicate-of'), 'fox/b.png')
      const { body, headers } = await get(path)
      assert.equal(headers.get('cache-control'), 'no-store')
      const [first, second] = body.duplicates
      const { name, etag, size } = first.images[0]
      assert.deepEqual([first.etag, first.size, first.count, body.next], [etag, size, 2, null])
      assert.deepEqual((await get(`/images/${name.split('/')[0]}`)).body.images.at(-1), first.images[0])
      assert.ok(first.etag < second.etag)
      const page = (await get(`${path}?limit=1`)).body
      assert.deepEqual([page.duplicates, page.next], [[first], first.etag])
      const next = (await get(`${path}?limit=1&cursor=${page.next}`)).body
      assert.deepEqual([next.duplicates, next.next], [[second], null])
      await images.remove({ bucketName: place.bucket, objectName: 'pat/b.png' })
      assert.deepEqual(namesIn((await get(path)).body), ['bird/a.png fox/a.png'])
      await images.remove({ bucketName: place.bucket, objectName: 'fox/a.png' })
      assert.deepEqual((await get(path)).body.duplicates, [])
    })

    it('are named in the reply to an upload, by the bytes that are stored, but never the object itself', async () => {
      const { sent, stored } = examples.png(6)
      const duplicateOf = async (...args: Parameters<typeof upload>) => {
        const reply = await upload(...args)
        assert.equal(reply.status, 200)
        return reply.headers.get('x-upload-duplicate-of')
      }
      assert.equal(await duplicateOf('kiss/a.png', sent), null)
      assert.equal(await duplicateOf('kiss/a.png', sent), null)
      assert.equal(await duplicateOf('slap/b.png', stored), 'kiss/a.png')
      assert.equal(await duplicateOf('never/chosen.png', sent), 'slap/b.png')
      assert.equal(await duplicateOf('kiss/a.png', gif('others')), null)
      assert.equal(await duplicateOf('smug/c.png', sent), 'slap/b.png')
      const both = await Promise.all(['pat/one.png', 'pat/two.png'].map((name) => duplicateOf(name, gif('the same'))))
      assert.ok(both.some((name) => name !== null))
    })

    it('are found by their MD5 before an upload, also if there is only one', async () => {
      await upload('hug/known.png', gif('known'))
      const md5 = createHash('md5').update(gif('known')).digest('hex')
      for (const text of [md5, md5.toUpperCase()]) {
        const { duplicates, next } = (await get(`${path}?md5=${text}`)).body
        const [{ images: found, ...group }] = duplicates
        assert.deepEqual([group, next], [{ etag: md5, size: gif('known').length, count: 1 }, null])
        assert.equal(found[0].name, 'hug/known.png')
      }
      assert.deepEqual((await get(`${path}?md5=${'0'.repeat(32)}`)).body.duplicates, [])
    })

    it('are left out while they are hidden', async () => {
      for (const name of ['weiner-dog/a.png', 'weiner-dog/b.png']) await upload(name, gif('only here'))
      const listed = async () => JSON.stringify((await get(path)).body).includes('weiner-dog/')
      assert.ok(await listed())
      const { token } = images.owner
      const post = (to: string, body: object) => stage.service.request('POST', to, { token, body })
      const name = 'weiner-dog/a.png'
      await post('/images/report', { name, reason: 'Twice' })
      const [report] = (await get('/admin/reports')).body.reports
      assert.equal((await post(`/admin/reports/${report.id}/resolve`, { action: 'hide' })).status, 200)
      assert.ok(!(await listed()))
      assert.equal((await upload(name, gif('only here'))).headers.get('x-upload-duplicate-of'), 'weiner-dog/b.png')
      assert.ok(!(await listed()))
      await post('/admin/images/unhide', { name })
      await until(listed)
    })

    it('are shown to administrators and owners alone, and only with a valid limit and cursor', async () => {
      for (const role of ['user', 'support', 'moderator'] as const) {
        const reply = await stage.service.request('GET', path, { token: people[role].accessToken })
        assert.deepEqual(answerOf(reply), mayNotAccess)
      }
      assert.equal((await stage.service.request('GET', path, { token: people.admin.accessToken })).status, 200)
      for (const [query, message] of [
        ['limit=0', 'limit must be a whole number from 1 to 500'],
        ['cursor=none', 'cursor must be the `next` value of a previous response'],
        ['md5=abc', 'md5 must be 32 hexadecimal digits'],
        ['kind=fox', 'Unknown parameter: kind'],
      ])
        assert.deepEqual(answerOf(await get(`${path}?${query}`)), refused(400, `${message}`))
    })
  })
