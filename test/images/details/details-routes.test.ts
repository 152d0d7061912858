import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Role } from '../../../src/accounts/roles.ts'
import { answerOf, mayNotAccess, refused } from '../../support/people.ts'
import { startService } from '../../support/service.ts'
import { stores } from '../../support/stores.ts'
import { reportStage } from '../report-stage.ts'

const all = {
  alt: 'Ein Fuchs "im" Schnee 🦊',
  title: 'Fuchs',
  artist: 'Ada',
  source: 'https://example.org/fox?a=1',
  license: 'CC BY 4.0',
  tags: ['red', 'snow'],
}

for (const store of stores)
  describe(`Details of images on ${store.name}`, { skip: store.skip }, () => {
    const { stage, place, people, report, entry, resolve, ask, upload, get } = reportStage(store)
    const change = (name: string, body: unknown, who: Role = 'admin') =>
      ask(who, 'PATCH', `/admin/images/${name}`, body)
    const shown = async (name: string) => (await ask('user', 'GET', `/images/${name}`)).body
    const detailsOf = async (name: string) => {
      const { name: _, etag, size, lastModified, url, width, height, mime, animated, ...details } = await shown(name)
      return details
    }
    before(async () => {
      for (const name of ['fox/a.png', 'fox/b.png']) await upload(name)
    })

    it('change no reply without a new parameter, and none of images without details', async () => {
      const paths = [
        '/images/fox',
        '/images/fox?meta=1&limit=1',
        '/images/fox/random?seed=1',
        '/images/fox/random?seed=1&meta=1&count=2',
      ]
      await upload('bird/only.png')
      const bytes = async () => Promise.all(paths.map(async (path) => (await ask('user', 'GET', path)).text))
      const old = await bytes()
      assert.deepEqual(await change('bird/only.png', all).then(({ status }) => status), 200)
      assert.deepEqual(await bytes(), old)
      assert.equal((await ask('user', 'GET', '/images/bird/random')).text.includes('Fuchs'), false)
    })

    it('are shown with meta=1 and by name, as soon as they are changed', async () => {
      const { status, body } = await change('fox/b.png', { ...all, tags: ['snow', 'red', 'snow'] })
      assert.deepEqual(
        [status, body],
        [200, { status: 200, message: 'Details of fox/b.png have been saved', name: 'fox/b.png', details: all }],
      )
      assert.deepEqual(await detailsOf('fox/b.png'), all)
      const { images } = (await ask('user', 'GET', '/images/fox?meta=1')).body
      assert.deepEqual(images, [await shown('fox/a.png'), await shown('fox/b.png')])
      const drawn = (await ask('user', 'GET', '/images/fox/random?meta=1&count=30')).body.images
      assert.deepEqual(
        drawn.find((each: { name: string }) => each.name === 'fox/b.png'),
        images[1],
      )
      await change('fox/b.png', { title: null, tags: null, alt: 'New' })
      const { title: _, tags: __, ...kept } = all
      assert.deepEqual(await detailsOf('fox/b.png'), { ...kept, alt: 'New' })
      const [event] = (await ask('owner', 'GET', '/admin/audit?action=describe&limit=1')).body.events
      assert.deepEqual(
        [event.actor, event.target, event.before, event.after],
        [
          people.admin.id,
          `${place.bucket}/fox/b.png`,
          { alt: all.alt, title: 'Fuchs', tags: 'red,snow' },
          { alt: 'New', title: null, tags: '' },
        ],
      )
    })

    it('follow a replacement of the bytes, and end when the image is deleted', async () => {
      await change('fox/a.png', { artist: 'Ada' })
      await upload('fox/a.png', 'other bytes')
      assert.deepEqual(await detailsOf('fox/a.png'), { artist: 'Ada' })
      const remove = { bucketName: place.bucket, objectName: 'fox/a.png' }
      assert.equal((await ask('owner', 'DELETE', '/admin/s3/delete', { ...remove, bucketName: 'another' })).status, 500)
      assert.deepEqual(await detailsOf('fox/a.png'), { artist: 'Ada' })
      assert.equal((await ask('owner', 'DELETE', '/admin/s3/delete', remove)).status, 200)
      assert.equal((await ask('user', 'GET', '/images/fox/a.png')).status, 404)
      await upload('fox/a.png')
      assert.deepEqual(await detailsOf('fox/a.png'), {})
      await change('fox/a.png', { artist: 'Ada' })
      await report('user', 'fox/a.png')
      assert.equal((await resolve('admin', (await entry('fox/a.png')).id, 'delete')).status, 200)
      await upload('fox/a.png')
      assert.deepEqual(await detailsOf('fox/a.png'), {})
    })

    it('name their source in the header Link of a chosen image, and only there', async () => {
      await upload('smug/a.png')
      const link = async (path: string) => {
        const { headers } = await ask('user', 'GET', path)
        return [headers.get('link'), headers.get('content-location'), headers.get('access-control-expose-headers')]
      }
      const { url } = (await ask('user', 'POST', '/auth/embed', { kind: 'smug' })).body
      const paths = ['/images/smug/random?as=bytes', new URL(url).pathname]
      const at = (await shown('smug/a.png')).url
      const without = [
        [null, at, null],
        [null, at, 'Content-Location'],
      ]
      for (const [index, path] of paths.entries()) assert.deepEqual(await link(path), without[index])
      await change('smug/a.png', { source: 'https://example.org/<a>?b="c"' })
      const via = '<https://example.org/%3Ca%3E?b=%22c%22>; rel="via"'
      assert.deepEqual(await link(paths[0] as string), [via, at, null])
      assert.deepEqual(await link(paths[1] as string), [via, at, 'Content-Location, Link'])
      for (const path of ['/i/smug/a.png', '/images/smug/random', '/images/smug/random?as=redirect'])
        assert.equal((await link(path))[0], null)
      await change('smug/a.png', { source: null })
      for (const [index, path] of paths.entries()) assert.deepEqual(await link(path), without[index])
    })

    it('are seen by another instance and after a restart', async () => {
      await change('fox/b.png', { license: 'MIT' })
      const other = await startService({ env: stage.service.env, overrides: {} })
      try {
        const token = people.user.accessToken
        const { body } = await other.request('GET', '/images/fox/b.png', { token })
        assert.equal(body.license, 'MIT')
      } finally {
        await other.close()
      }
    })

    it('are changed only by administrators, and only of images', async () => {
      for (const role of ['user', 'support', 'moderator'] as const)
        assert.deepEqual(answerOf(await change('fox/b.png', { alt: 'No' }, role)), mayNotAccess)
      for (const name of ['fox/none.png', 'nokind/a.png', 'fox/..%2Fb.png', 'fox/%00'])
        assert.deepEqual(answerOf(await change(name, { alt: 'No' })), refused(404, 'Image not found'), name)
      for (const name of ['fox/none.png', 'fox/..%2Fb.png', 'fox/%E2%80%A8'])
        assert.deepEqual(answerOf(await ask('user', 'GET', `/images/${name}`)), [
          404,
          { message: 'Image not found', stack: 'N/A' },
        ])
      assert.equal(
        (await ask('user', 'GET', '/images/nokind/a.png')).body.message,
        'Not Found - GET /images/nokind/a.png',
      )
      assert.equal((await stage.service.request('GET', '/images/fox/b.png')).status, 401)
    })

    it('that are invalid are refused, and nothing is changed', async () => {
      const before = await detailsOf('fox/b.png')
      const text = (name: string, max: number) =>
        `${name} must be a string of 1 to ${max} characters without line breaks and other control characters, or null`
      const tags = 'tags must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -'
      const source = 'source must be an http or https URL of at most 2048 characters, or null'
      const none = 'At least one of alt, title, artist, source, license, tags is required'
      const cases: [unknown, string][] = [
        [{}, none],
        [[], none],
        [{ alt: 'x', title: '' }, text('title', 1000)],
        [{ alt: 'x\r\ny' }, text('alt', 1000)],
        [{ alt: 7 }, text('alt', 1000)],
        [{ artist: 'x'.repeat(201) }, text('artist', 200)],
        [{ license: ['MIT'] }, text('license', 200)],
        [{ source: 'javascript:alert(1)' }, source],
        [{ tags: 'red' }, tags],
        [{ tags: ['Red'] }, tags],
        [{ tags: [1] }, tags],
        [{ tags: Array.from({ length: 33 }, (_, index) => `t${index}`) }, tags],
        [{ alt: 'x', colour: 'red' }, 'Unknown field: colour; expected alt, title, artist, source, license, tags'],
      ]
      for (const [body, message] of cases)
        assert.deepEqual(answerOf(await change('fox/b.png', body)), refused(400, message), JSON.stringify(body))
      assert.deepEqual(await detailsOf('fox/b.png'), before)
    })

    it('of a hidden image are kept and can be changed, but are not shown', async () => {
      await report('user', 'fox/b.png')
      assert.equal((await resolve('moderator', (await entry('fox/b.png')).id, 'hide')).status, 200)
      assert.equal((await ask('user', 'GET', '/images/fox/b.png')).status, 404)
      assert.equal((await change('fox/b.png', { title: 'Hidden' })).status, 200)
      assert.equal((await ask('moderator', 'POST', '/admin/images/unhide', { name: 'fox/b.png' })).status, 200)
      assert.equal((await shown('fox/b.png')).title, 'Hidden')
      assert.equal((await get('fox/b.png')).status, 200)
    })

    it('of a file named random are out of reach: the contract route wins', async () => {
      await upload('pat/random')
      await upload('pat/x.png')
      const names = new Set<string>()
      for (let turn = 0; turn < 60 && names.size < 2; turn++) names.add((await shown('pat/random')).name)
      assert.deepEqual([...names].sort(), ['pat/random', 'pat/x.png'])
    })
  })
