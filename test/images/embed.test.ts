import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Catalogue } from '../../src/images/catalogue.ts'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { refused } from '../support/people.ts'
import type { Reply } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { pathOf, withEmbeds } from './embed-stage.ts'
import { answerOf } from './image-stage.ts'

const notFound = refused(404, 'Image not found')
const foxes = ['a', 'b', 'c'].map((name) => `the bytes of fox/${name}.png`)

const keeper = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'a keeper of links' }

/** What every response has. */
const publicHeaders = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}
const headersOf = ({ headers }: Reply) =>
  Object.fromEntries(Object.keys(publicHeaders).map((name) => [name, headers.get(name)]))

for (const store of stores) {
  describe(`An embed link on ${store.name}`, { skip: store.skip }, () => {
    const { stage, create } = withEmbeds(store, { env: { ...keeper, CORS_ORIGINS: 'https://example.org' } })
    const get = (path: string, options: { headers?: Record<string, string> } = {}, method = 'GET') =>
      stage.one.request(method, path, options)

    it('is a random image at each GET without a header, is never stored, and works on pages of any origin', async () => {
      const path = pathOf(await create({ kind: 'fox' }))
      assert.match(path, /^\/e\/[\w-]{44}$/)
      const replies = await Promise.all(
        Array.from({ length: 60 }, () => get(path, { headers: { origin: 'https://example.org' } })),
      )
      assert.deepEqual([...new Set(replies.map(({ text }) => text))].sort(), foxes)
      for (const reply of replies) {
        assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, 'image/png'])
        assert.deepEqual(headersOf(reply), publicHeaders)
      }
      const head = await get(path, {}, 'HEAD')
      assert.deepEqual([head.status, head.headers.get('content-length'), head.text], [200, '22', ''])
      const etag = String(head.headers.get('etag'))
      const pinned = await get(`${path}?seed=1`)
      const conditional = (name: string, value: string) => get(`${path}?seed=1`, { headers: { [name]: value } })
      assert.equal((await conditional('if-none-match', String(pinned.headers.get('etag')))).status, 304)
      assert.equal((await conditional('if-modified-since', 'Fri, 01 Jan 2100 00:00:00 GMT')).status, 200)
      const shown = await fetch(String(pinned.headers.get('content-location')))
      assert.equal(await shown.text(), pinned.text)
      assert.equal(pinned.headers.get('access-control-expose-headers'), 'Content-Location')
      assert.equal((await conditional('range', 'bytes=4-8')).text, 'bytes')
      assert.deepEqual(answerOf(await conditional('range', 'bytes=99-')), refused(416, 'Range not satisfiable'))
      assert.deepEqual(answerOf(await conditional('if-match', `${etag}x`)), refused(412, 'Precondition failed'))
    })

    it('redirects to an image with as=redirect, and shows the same one for the same seed', async () => {
      const path = pathOf(await create({ kinds: 'bird, fox' }))
      const found = await get(`${path}?as=redirect`)
      const location = String(found.headers.get('location'))
      assert.deepEqual([found.status, headersOf(found)], [302, publicHeaders])
      assert.match(location, new RegExp(`^http://localhost:${stage.one.port}/i/(fox|bird)/[abc]\\.png$`))
      const seeded = await Promise.all(Array.from({ length: 10 }, () => get(`${path}?seed=mine&as=bytes&t=1`)))
      assert.equal(new Set(seeded.map(({ text }) => text)).size, 1)
      const other = pathOf(await create({ kinds: ['bird', 'fox', 'bird'] }))
      assert.equal((await get(`${other}?seed=mine`)).text, seeded[0]?.text)
      for (const as of ['text', 'BYTES', 'JSON']) {
        const reply = await get(`${path}?as=${as}`)
        assert.deepEqual(answerOf(reply), refused(400, 'as must be one of bytes, redirect, json'))
        assert.deepEqual(headersOf(reply), publicHeaders)
      }
    })

    it('describes an image with as=json, for the caption of any page', async () => {
      const { accessToken: token } = (await stage.one.login('keeper', 'a keeper of links')).body
      for (const name of ['a', 'b', 'c']) {
        const details = { alt: `A fox, ${name}`, artist: 'Somebody', source: 'https://example.org/a' }
        const { status, text } = await stage.one.request('PATCH', `/admin/images/fox/${name}.png`, {
          token,
          body: details,
        })
        assert.equal(status, 200, text)
      }
      const path = pathOf(await create({ kind: 'fox', repeat: 'no' }))
      const found = await get(`${path}?as=json&w=320`)
      assert.deepEqual([found.status, headersOf(found)], [200, publicHeaders])
      assert.match(found.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(found.headers.get('x-images-remaining'), '2')
      const { name, url, alt, artist, source, width } = found.body
      const letter = /^fox\/([abc])\.png$/.exec(name)?.[1]
      assert.deepEqual([alt, artist, source, width], [`A fox, ${letter}`, 'Somebody', 'https://example.org/a', null])
      assert.equal(url, `http://localhost:${stage.one.port}/i/${name}?w=320`)
    })

    it('counts for its user as images, and is 404 for a token that is forged, cut off or of another kind', async () => {
      const person = await stage.one.register('counted')
      const { accessToken: token } = person
      const path = pathOf(await create({ kind: 'fox' }, token))
      const good = path.slice('/e/'.length)
      const flipped = [...good].map(
        (char, at) => `${good.slice(0, at)}${char === 'A' ? 'B' : 'A'}${good.slice(at + 1)}`,
      )
      const bad = [
        ...flipped.filter((each) => each !== good),
        ...[
          good.slice(0, -1),
          `${good}A`,
          `${good}=`,
          good.slice(4),
          good.toLowerCase(),
          'x',
          '%20',

          `${good}.${good}`,
        ],
        ...[token.slice('Bearer '.length), 'A'.repeat(16_000), '%00', '%F0%9F%92%A5', '__proto__'],
      ]
      for (const each of bad) {
        const reply = await get(`/e/${each}`)
        assert.deepEqual([answerOf(reply), headersOf(reply)], [notFound, publicHeaders], each)
      }
      assert.equal((await get('/e/%zz')).status, 400)
      assert.equal((await get(`/e/%${good.charCodeAt(0).toString(16)}${good.slice(1)}`)).status, 200)
      for (const method of ['POST', 'DELETE', 'PUT']) assert.equal((await get(path, {}, method)).status, 404)
      for (const header of [`Bearer ${good}`, good])
        for (const guarded of ['/auth/me', '/images', '/images/fox/random?as=bytes', '/auth/embed'])
          assert.equal((await stage.one.request('GET', guarded, { token: header })).status, 401)
      const owner = (await stage.one.login('keeper', keeper.OWNER_PASSWORD)).body.accessToken
      const { requests } = (await stage.one.request('GET', '/admin/user/search?username=counted', { token: owner }))
        .body
      assert.deepEqual([requests.auth, requests.images], [2, 1])
    })

    it('shows its other kinds after one was removed, and is 404 while none is left', async () => {
      const both = pathOf(await create({ kinds: ['fox', 'hug'] }))
      const cats = await stage.again({ env: { IMAGE_KINDS_EXTRA: 'cat' } })
      const { accessToken: token } = await cats.register('catlover')
      const of = async (body: object) => pathOf((await cats.request('POST', '/auth/embed', { token, body })).body)
      const [cat, catOrFox] = [await of({ kind: 'cat' }), await of({ kinds: 'cat,fox' })]
      const without = await get(cat)
      assert.deepEqual([answerOf(without), headersOf(without)], [notFound, publicHeaders])
      assert.equal((await get(catOrFox)).status, 200)
      assert.equal((await cats.request('GET', both)).status, 200)
      // The kind has no images yet.
      assert.deepEqual(answerOf(await cats.request('GET', cat)), notFound)
      const links = (await stage.one.request('GET', '/auth/embed', { token })).body.links
      assert.deepEqual(
        links.map(({ kinds }: { kinds: string[] }) => kinds),
        [['cat'], ['cat', 'fox']],
      )
      await cats.close()
    })

    it('is 503 while its images cannot be listed, and 500 for an entry without a usable name', async () => {
      const list = () => assert.fail('the store is away')
      const away = (real: ObjectStore): ObjectStore =>
        new Proxy(real, { get: (at, name) => (name === 'list' ? list : Reflect.get(at, name).bind?.(at)) })
      const unlisted = await stage.again({ env: { IMAGE_KINDS_EXTRA: 'dog' }, overrides: { images: { store: away } } })
      const { accessToken: token } = await unlisted.register('doglover')
      const { url } = (await unlisted.request('POST', '/auth/embed', { token, body: { kind: 'dog' } })).body
      const unavailable = refused(503, 'Service is temporarily unavailable, please try again')
      assert.deepEqual(answerOf(await unlisted.request('GET', new URL(url).pathname)), unavailable)
      const catalogue = (real: Catalogue): Catalogue => ({
        ...real,
        pick: () => ({ filename: '..', etag: 'e', size: 1, modified: 0 }),
      })
      const broken = await stage.again({ overrides: { images: { catalogue } } })
      const path = pathOf(await create({ kind: 'fox' }))
      assert.deepEqual(answerOf(await broken.request('GET', path)), refused(500, 'Fox image name missing'))
    })

    it('appears neither in the log nor in the metrics, which show /e/:token', async () => {
      const path = pathOf(await create({ kind: 'fox' }))
      const token = path.slice('/e/'.length)
      for (const each of [
        path,
        `${path}?as=json`,
        `${path}/`,
        `/%65/${token}`,
        `/prefix/e/${token}`,
        `/e//${token}`,
        `/e/prefix/${token}`,
        `/e/${token.slice(1)}`,
        `/i/fox/${token}`,
        `/i/fox/${token}.png`,
        `/images/fox/%41${token.slice(1)}`,
      ])
        await get(each)
      await get(path, {}, 'POST')
      const lines = stage.one.logged()
      assert.ok(lines.some(({ path: shown, userId }) => shown === '/e/:token' && userId === stage.person.id))
      assert.ok(lines.some(({ error }) => error === 'Not Found - POST /e/:token'))
      const metrics = (await get('/metrics')).text
      assert.match(metrics, /route="\/e\/:token",code="200"/)
      for (const text of [JSON.stringify(lines), metrics]) assert.ok(!text.includes(token.slice(1)))
    })
  })
}
