import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Catalogue, CatalogueEntry } from '../../src/images/catalogue.ts'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { kinds, titles } from '../contract.ts'
import { folder, md5Of, objectStores } from '../support/object-stores.ts'
import type { Reply } from '../support/service.ts'
import { sized, someOf } from '../support/size.ts'
import { assertUniform, seededRandom } from '../support/uniform.ts'
import { answerOf, refused, startImages, withImages } from './image-stage.ts'

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const badCount = refused(400, 'count must be a whole number from 1 to 30')
const badAs = refused(400, 'as must be one of json, redirect, bytes, text')
const onlyOne = refused(400, 'count cannot be combined with as=redirect or as=bytes')
const badRepeat = refused(400, 'repeat must be one of yes, no')
const seedOrRepeat = refused(400, 'seed cannot be combined with repeat=no')
const badKinds = refused(400, `kinds must be a list of ${kinds.join(', ')}`)
const none = refused(404, 'No images found in bucket')
const routes = [...kinds.map((kind) => `/images/${kind}/random`), '/images/random']

const noStore = ({ headers }: Reply) => assert.equal(headers.get('cache-control'), 'no-store')
const namesIn = ({ body }: Reply): string[] => body.images.map(({ name }: { name: string }) => name)
const times = async <T>(count: number, make: (index: number) => Promise<T>) => {
  const made: T[] = []
  for (let index = 0; index < count; index++) made.push(await make(index))
  return made
}

for (const objects of objectStores) {
  describe(`A random image on ${objects.name}`, { skip: objects.skip }, () => {
    const stage = withImages(objects)
    const { random } = describing(stage)

    it('is 404 while there is none, with the kind, or for several kinds without', async () => {
      for (const kind of kinds)
        for (const query of ['', '?as=text', '?as=redirect', '?as=bytes', '?count=3', '?seed=x']) {
          const reply = await stage.get(`/images/${kind}/random${query}`)
          assert.deepEqual(answerOf(reply), refused(404, `No ${kind} images found in bucket`))
          noStore(reply)
        }
      for (const query of ['', '?kinds=fox', '?kinds=fox,bird', '?count=30', '?as=bytes'])
        assert.deepEqual(answerOf(await stage.get(`/images/random${query}`)), none)
    })

    for (const kind of kinds)
      it(`GET /images/${kind}/random shows an upload at the very next request, and a delete`, async () => {
        const bytes = Buffer.from(`the bytes of a ${kind}`)
        const name = `${kind}/Some_${kind}-1.png`
        await stage.upload(name, bytes)
        const reply = await random(kind)
        const head = await stage.store.head({ bucket: stage.bucket, name })
        const described = {
          name,
          etag: md5Of(bytes),
          size: bytes.length,
          lastModified: new Date(head?.modified ?? 0).toISOString(),
          url: `http://localhost:${stage.service.port}/i/${name}`,
        }
        assert.deepEqual([reply.status, reply.body], [200, described])
        assert.equal(reply.text, JSON.stringify(described))
        assert.match(reply.body.lastModified, isoTime)
        assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
        noStore(reply)

        const other = Buffer.from('other bytes, and more of them')
        await stage.upload(name, other)
        const changed = (await random(kind)).body
        assert.deepEqual([changed.etag, changed.size], [md5Of(other), other.length])

        const tooSmall = await stage.get(`/images/${kind}/random?minWidth=320`)
        assert.deepEqual(answerOf(tooSmall), refused(404, `No ${kind} images match`))
        await stage.remove(name)
        assert.deepEqual(answerOf(await random(kind)), refused(404, `No ${kind} images found in bucket`))
      })

    for (const path of routes) {
      it(`${path} refuses invalid parameters, whether there are images or not`, async () => {
        const counts = ['0', '31', '-1', '1.5', 'x', '1e1', ' 1', '+1', '0x1', 'NaN', '9'.repeat(400), '٣']
        for (const count of path === '/images/random' ? counts : someOf(3, counts))
          assert.deepEqual(answerOf(await stage.get(`${path}?count=${encodeURIComponent(count)}`)), badCount, count)
        const forms = ['xml', 'JSON', 'json,text', ' json', '__proto__', 'x'.repeat(5_000)]
        for (const as of path === '/images/random' ? forms : someOf(2, forms))
          assert.deepEqual(answerOf(await stage.get(`${path}?as=${as}`)), badAs, as.slice(0, 20))
        for (const query of ['count=1&as=redirect', 'count=2&as=bytes', 'as=bytes&count=30&seed=x'])
          assert.deepEqual(answerOf(await stage.get(`${path}?${query}`)), onlyOne, query)
        assert.deepEqual(answerOf(await stage.get(`${path}?repeat=never`)), badRepeat)
        assert.deepEqual(answerOf(await stage.get(`${path}?repeat=no&seed=x`)), seedOrRepeat)
        assert.deepEqual(answerOf(await stage.get(`${path}?count=0&as=xml`)), badCount, 'the first one is told')
      })

      it(`${path}?as=bytes is the image itself, with conditions and ranges as on the proxy`, async () => {
        const kind = /^\/images\/(.*)\/random$/.exec(path)?.[1] ?? 'fox'
        const bytes = Buffer.from(Array.from({ length: 3_000 }, (_, index) => index % 251))
        const name = `${kind}/bytes.webp`
        await stage.upload(name, bytes, 'image/webp')
        const ask = async (headers: Record<string, string> = {}, method = 'GET') => {
          const reply = await fetch(`${stage.service.url}${path}?as=bytes`, {
            method,
            headers: { authorization: stage.ownerToken, ...headers },
          })
          const { status } = reply
          return { status, headers: reply.headers, bytes: Buffer.from(await reply.arrayBuffer()) }
        }
        const etag = `"${md5Of(bytes)}"`
        // From the store first, then from memory.
        for (const from of ['store', 'memory']) {
          const reply = await ask()
          assert.equal(reply.status, 200)
          assert.ok(reply.bytes.equals(bytes), `the same bytes from ${from}`)
          assert.deepEqual(
            ['content-type', 'cache-control', 'etag', 'content-length', 'x-content-type-options'].map((header) =>
              reply.headers.get(header),
            ),
            ['image/webp', 'no-store', etag, '3000', 'nosniff'],
          )
          assert.match(reply.headers.get('content-security-policy') ?? '', /\bsandbox\b/)
          assert.equal(reply.headers.get('access-control-allow-origin'), null, `no other page's business, from ${from}`)
        }
        const head = await ask({}, 'HEAD')
        assert.deepEqual([head.status, head.headers.get('content-length'), head.bytes.length], [200, '3000', 0])
        const part = await ask({ range: 'bytes=10-19' })
        assert.deepEqual([part.status, part.bytes], [206, bytes.subarray(10, 20)])
        assert.equal(part.headers.get('cache-control'), 'no-store')
        assert.equal((await ask({ range: 'bytes=3000-' })).status, 416)
        const same = await ask({ 'if-none-match': etag })
        assert.deepEqual([same.status, same.bytes.length], [304, 0])
        assert.equal((await ask({ 'if-none-match': '"other"' })).status, 200)
        // Dates say nothing about an image that is drawn: another request may draw an older one.
        const [future, past] = ['Fri, 01 Jan 2100 00:00:00 GMT', 'Mon, 01 Jan 2001 00:00:00 GMT']
        const modified = String(same.headers.get('last-modified'))
        for (const conditions of [
          { 'if-modified-since': future },
          { 'if-modified-since': modified },
          { 'if-unmodified-since': past },
          { 'if-range': modified, range: 'bytes=10-19' },
        ])
          assert.equal((await ask(conditions as Record<string, string>)).status, 200, JSON.stringify(conditions))
        assert.equal((await ask({ 'if-range': etag, range: 'bytes=10-19' })).status, 206)
        for (const reply of [head, part, same])
          assert.equal(reply.headers.get('content-location'), `http://localhost:${stage.service.port}/i/${name}`)
        const other = await stage.get(`${path}?as=bytes`, { headers: { 'if-match': '"other"' } })
        assert.deepEqual(answerOf(other), refused(412, 'Precondition failed'))
        noStore(other)
        await stage.remove(name)
      })

      it(`${path}?as=bytes is 404 for an image that was removed externally, which is then no longer chosen`, async () => {
        const kind = /^\/images\/(.*)\/random$/.exec(path)?.[1] ?? 'fox'
        const name = `${kind}/vanished.png`
        await stage.upload(name, 'soon gone')
        await stage.store.remove({ bucket: stage.bucket, name })
        assert.equal((await stage.get(path)).status, 200)
        const reply = await stage.get(`${path}?as=bytes`)
        assert.deepEqual(answerOf(reply), refused(404, 'Image not found'))
        noStore(reply)
        assert.equal((await stage.get(path)).status, 404)
      })
    }

    it('that is stored as anything but a raster image is a download', async () => {
      await stage.upload('hug/a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml')
      const { headers } = await stage.get('/images/hug/random?as=bytes')
      assert.equal(headers.get('content-disposition'), 'attachment')
      assert.match(headers.get('content-security-policy') ?? '', /\bsandbox\b/)
      await stage.clear('hug')
    })

    it('ignores unknown parameters, treats empty ones as absent, and takes the first of two', async () => {
      await stage.upload('kiss/a.png', 'a')
      const { body } = await stage.get('/images/kiss/random')
      for (const query of [
        ...['?', '?count=&as=&seed=', '?limit=0&cursor=x&kinds=cat', '?as=json&as=xml', '?as=json&count='],
      ])
        assert.deepEqual(answerOf(await stage.get(`/images/kiss/random${query}`)), [200, body], query)
      const two = await stage.get('/images/kiss/random?count=2&count=0')
      assert.deepEqual(answerOf(two), [200, { status: 200, images: [body] }])
      await stage.clear('kiss')
    })
  })

  describe(`Random images among several on ${objects.name}`, { skip: objects.skip }, () => {
    const stage = withImages(objects, { overrides: { images: { random: seededRandom(1) } } })
    const { random } = describing(stage)
    const foxes = ['fox/a.png', 'fox/b.png', 'fox/c.png', 'fox/d.png', 'fox/e.png']
    const birds = ['bird/a.png', 'bird/z.png']
    const all = [...foxes, ...birds]

    it('are equally frequent', async () => {
      for (const name of all) await stage.upload(name, `the bytes of ${name}`)
      const one = await times(sized(100, 400), async () => (await random('fox')).body.name)
      assertUniform(one, foxes)
      const ofAll = await times(sized(100, 400), async () => (await stage.get('/images/random')).body.name)
      assertUniform(ofAll, all)
      const first = await times(sized(100, 300), async () => namesIn(await random('fox', '?count=3'))[0] as string)
      assertUniform(first, foxes)
    })

    it('?count: that many distinct images, all if there are fewer, in an array even for one', async () => {
      for (const count of [1, 2, 4, 5, 6, 30]) {
        const reply = await random('fox', `?count=${count}`)
        assert.equal(reply.status, 200)
        assert.deepEqual(Object.keys(reply.body), ['status', 'images'])
        assert.equal(reply.body.status, 200)
        const names = namesIn(reply)
        assert.equal(names.length, Math.min(count, 5))
        assert.equal(new Set(names).size, names.length)
        for (const each of reply.body.images) {
          assert.deepEqual(Object.keys(each), ['name', 'etag', 'size', 'lastModified', 'url'])
          assert.equal(each.etag, md5Of(Buffer.from(`the bytes of ${each.name}`)))
          assert.equal(each.url, `http://localhost:${stage.service.port}/i/${each.name}`)
        }
        noStore(reply)
      }
      assert.deepEqual(namesIn(await random('fox', '?count=30')).toSorted(), foxes)
      assert.deepEqual(namesIn(await stage.get('/images/random?count=30')).toSorted(), all.toSorted())
    })

    it('?kinds: only these, whether repeated, with spaces or without', async () => {
      const chosen = async (given: string) =>
        namesIn(await stage.get(`/images/random?count=30&kinds=${encodeURIComponent(given)}`)).toSorted()
      assert.deepEqual(await chosen('bird'), birds)
      assert.deepEqual(await chosen('fox,bird'), all.toSorted())
      assert.deepEqual(await chosen(' bird , fox '), all.toSorted())
      assert.deepEqual(await chosen('bird,bird,pat'), birds)
      assert.deepEqual(await chosen(''), all.toSorted())
      assert.deepEqual(answerOf(await stage.get('/images/random?kinds=pat,hug')), none)
      for (const bad of [
        ...['cat', 'fox,cat', 'fox,', ',', ' ', 'Fox', 'fox;bird', '__proto__', 'constructor', 'fox,,bird'],
      ])
        assert.deepEqual(answerOf(await stage.get(`/images/random?kinds=${encodeURIComponent(bad)}`)), badKinds, bad)
    })

    it('?seed: the same choice in every form as long as the images stay the same', async () => {
      for (const seed of ['a', '0', 'ß 💥', '__proto__', 'x'.repeat(1_024), 'x'.repeat(5_000)]) {
        const query = `?seed=${encodeURIComponent(seed)}`
        const { name, url } = (await random('fox', query)).body
        assert.equal((await random('fox', query)).body.name, name)
        assert.equal((await random('fox', `${query}&as=text`)).text, `${url}\n`)
        assert.equal((await random('fox', `${query}&as=redirect`)).headers.get('location'), url)
        assert.equal((await random('fox', `${query}&as=bytes`)).text, `the bytes of ${name}`)
        const several = namesIn(await random('fox', `${query}&count=4`))
        assert.equal(several[0], name)
        assert.deepEqual(namesIn(await random('fox', `${query}&count=4`)), several)
        await stage.upload('pat/other.png', seed)
        assert.deepEqual(namesIn(await random('fox', `${query}&count=4`)), several)
        const ofAll = await stage.get(`/images/random${query}&kinds=fox,bird&count=7`)
        assert.deepEqual(namesIn(await stage.get(`/images/random${query}&kinds=fox,bird&count=7`)), namesIn(ofAll))
      }
      await stage.clear('pat')
    })

    it('?seed: other seeds make other choices, each image equally often', async () => {
      const names = await times(sized(100, 200), async (index) => (await random('fox', `?seed=${index}`)).body.name)
      assertUniform(names, foxes)
    })

    it('?as=text is one URL a line', async () => {
      const one = await random('fox', '?as=text')
      assert.equal(one.status, 200)
      assert.equal(one.headers.get('content-type'), 'text/plain; charset=utf-8')
      noStore(one)
      const base = `http://localhost:${stage.service.port}/i/`
      assert.ok(
        foxes.some((name) => one.text === `${base}${name}\n`),
        one.text,
      )
      const lines = (await random('fox', '?as=text&count=30')).text.split('\n')
      assert.equal(lines.pop(), '')
      assert.deepEqual(
        lines.toSorted(),
        foxes.map((name) => base + name),
      )
    })

    it('?as=redirect redirects to the image', async () => {
      const reply = await random('fox', '?as=redirect')
      assert.equal(reply.status, 302)
      noStore(reply)
      const location = new URL(reply.headers.get('location') ?? '')
      assert.equal(reply.text, `${location.href}\n`)
      const image = await stage.service.request('GET', location.pathname)
      assert.deepEqual([image.status, image.text], [200, `the bytes of ${location.pathname.slice(3)}`])
    })

    it('?as=json is the default', async () => {
      const plain = await random('fox', '?seed=x')
      assert.deepEqual((await random('fox', '?seed=x&as=json')).body, plain.body)
    })

    it('HEAD has the headers alone in every form', async () => {
      const header = ['content-type', 'content-length', 'cache-control', 'location', 'etag', 'content-security-policy']
      for (const query of [
        ...['?seed=x', '?seed=x&count=3', '?seed=x&as=text', '?seed=x&as=redirect', '?seed=x&as=bytes'],
      ]) {
        const expected = await random('fox', query)
        const token = stage.ownerToken
        const { status, text, headers } = await stage.service.request('HEAD', `/images/fox/random${query}`, { token })
        assert.deepEqual([status, text], [expected.status, ''], query)
        for (const name of header) assert.equal(headers.get(name), expected.headers.get(name), `${name} of ${query}`)
      }
      const token = stage.ownerToken
      const nothing = await stage.service.request('HEAD', '/images/smug/random', { token })
      assert.deepEqual([nothing.status, nothing.text], [404, ''])
    })

    it('count as image requests of the caller, found or refused; the image itself does not', async () => {
      const { id, accessToken: token } = await stage.service.register('counted')
      const paths = ['/images/fox/random', '/images/random?count=2', '/images/smug/random', '/images/fox/random?as=xml']
      for (const path of [...paths, '/images', '/images/fox', '/images/fox/random?as=bytes'])
        await stage.service.request('GET', path, { token })
      await stage.service.request('HEAD', '/images/fox/random', { token })
      await stage.service.request('GET', '/i/fox/a.png', { token })
      const { requests } = (await stage.get(`/admin/user/search?userId=${id}`)).body
      assert.deepEqual([requests.auth, requests.admin, requests.images, requests.total], [1, 0, 8, 9])
    })
  })

  describe(`The address of an image on ${objects.name}`, { skip: objects.skip }, () => {
    const addressesOf = async (env: Record<string, string>) => {
      const stage = await startImages(objects, {
        env,
        fill: async (put) => void (await put('fox/a.png', Buffer.from('a'))),
      })
      const forms = {
        json: (await stage.get('/images/fox/random')).body.url,
        several: (await stage.get('/images/fox/random?count=1')).body.images[0].url,
        page: (await stage.get('/images/fox')).body.images[0].url,
        text: (await stage.get('/images/fox/random?as=text')).text.trim(),
        redirect: (await stage.get('/images/fox/random?as=redirect')).headers.get('location'),
      }
      const { stack } = (await stage.get('/images/bird/random')).body
      return { port: stage.service.port, forms: [...new Set(Object.values(forms))], stack }
    }

    it('begins with BASE_URL, with its path and without its trailing slash', async () => {
      const { forms } = await addressesOf({ BASE_URL: 'https://pictures.example/some/where/' })
      assert.deepEqual(forms, ['https://pictures.example/some/where/i/fox/a.png'])
    })

    it('with NODE_ENV=development begins with localhost whatever BASE_URL is, and refusals have their stack', async () => {
      const env = { BASE_URL: 'https://pictures.example', NODE_ENV: 'development' }
      const { port, forms, stack } = await addressesOf(env)
      assert.deepEqual(forms, [`http://localhost:${port}/i/fox/a.png`])
      assert.match(stack, /No bird images found in bucket\n +at /)
    })
  })
}

describe('A list entry that the proxy does not serve', () => {
  const entry = { current: {} as CatalogueEntry }
  const broken = (real: Catalogue): Catalogue => ({
    ...real,
    count: () => 1,
    groups: (of) => of.map((kind) => ({ kind, count: 1, at: () => entry.current })),
    pick: () => entry.current,
    page: () => [entry.current],
  })
  const stage = withImages(folder, { overrides: { images: { catalogue: broken } } })
  const unusable: readonly unknown[] = [undefined, null, '', '..', 'a/b.png', '../a.png', 'a b.png', 7, {}, ['a.png']]

  for (const [index, kind] of kinds.entries())
    it(`is not believed: 500 "${titles[index]} image name missing"`, async () => {
      const expected = refused(500, `${titles[index]} image name missing`)
      const queries = ['', '?count=2', '?seed=x', '?as=text', '?as=redirect', '?as=bytes']
      const paths = queries.map((query) => `/images/${kind}/random${query}`)
      paths.push(...queries.map((query) => `/images/random${query}${query === '' ? '?' : '&'}kinds=${kind}`))
      paths.push(`/images/${kind}`)
      for (const path of paths)
        for (const filename of someOf(
          path.includes('?') ? 1 : 4,
          path.includes('?') ? unusable.slice(0, 3) : unusable,
        )) {
          entry.current = { filename, etag: 'e', size: 1, modified: 0 } as CatalogueEntry
          assert.deepEqual(answerOf(await stage.get(path)), expected, `${path} ${JSON.stringify(filename)}`)
        }
    })
})

describe('While the store is away', () => {
  const away = { is: false }
  const store = (real: ObjectStore): ObjectStore =>
    new Proxy(real, {
      get(target, name, receiver) {
        const method = Reflect.get(target, name, receiver)
        if (typeof method !== 'function' || name === 'close') return method
        return (...args: unknown[]) => {
          if (away.is) throw new Unavailable('object store', new Error('taken away by a test'))
          return method.apply(target, args)
        }
      },
    })
  const stage = withImages(folder, { overrides: { images: { store } } })

  it('images are still chosen, and cached ones served; the others are 404, and stay in the list', async () => {
    await stage.upload('fox/a.png', 'known')
    await stage.upload('bird/a.png', 'not asked for yet')
    assert.equal((await stage.get('/images/fox/random?as=bytes')).text, 'known')
    away.is = true
    for (const query of ['', '?count=3', '?seed=x', '?as=text', '?as=redirect', '?as=bytes'])
      assert.ok((await stage.get(`/images/fox/random${query}`)).status < 400, query)
    assert.deepEqual(answerOf(await stage.get('/images/bird/random?as=bytes')), refused(404, 'Image not found'))
    assert.equal((await stage.get('/images/bird/random')).status, 200)
    away.is = false
    assert.equal((await stage.get('/images/bird/random?as=bytes')).text, 'not asked for yet')
  })
})

function describing(stage: ReturnType<typeof withImages>) {
  return { random: (kind: string, query = '') => stage.get(`/images/${kind}/random${query}`) }
}
