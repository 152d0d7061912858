import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { ObjectStore } from '../../../src/images/object-store.ts'
import { formatOf } from '../../../src/images/sizes/size.ts'
import { Unavailable } from '../../../src/lib/unavailable.ts'
import { kinds } from '../../contract.ts'
import { fakeClock } from '../../support/clock.ts'
import { type ObjectStage, objectStores, type Put } from '../../support/object-stores.ts'
import { animation, colourAt, described, entitySvg, painted, picture, plainPng } from '../../support/real-images.ts'
import { isFullSize, itInFull, someOf } from '../../support/size.ts'
import { until } from '../../support/until.ts'
import { type Asking, get as getFrom } from '../client.ts'
import { type ImageStage, startImages } from '../image-stage.ts'

const webp = { accept: 'image/webp,*/*' }
const sharpEdges = { env: { CATALOGUE_REFRESH_SECONDS: '60' } }

interface Stage extends ImageStage {
  ask(path: string, asking?: Asking): ReturnType<typeof getFrom>
}

async function start(objects: ObjectStage, spec: Parameters<typeof startImages>[1] = {}): Promise<Stage> {
  const stage = await startImages(objects, spec)
  return { ...stage, ask: (path, asking) => getFrom(stage.service.port, path, asking) }
}

/** Every path that serves a random image: of each kind, of all, and of an embed link. */
async function randomPaths({ service, ownerToken }: ImageStage): Promise<string[]> {
  const link = await service.request('POST', '/auth/embed', { token: ownerToken, body: { kind: 'fox' } })
  const { pathname } = new URL(link.body.url)
  return ['/images/random', ...kinds.map((kind) => `/images/${kind}/random`), pathname]
}

const outcomesOf = async ({ service }: ImageStage) => {
  const { text } = await service.request('GET', '/metrics')
  return Object.fromEntries(
    [...text.matchAll(/^menagerie_image_sizes_total\{outcome="(\w+)"\} (\d+)$/gm)].map(([, name, count]) => [
      name,
      Number(count),
    ]),
  )
}

for (const objects of objectStores)
  describe(`On ${objects.name}, an image with a size`, { skip: objects.skip }, () => {
    let stage: Stage
    let photo: Buffer
    before(async () => {
      stage = await start(objects, sharpEdges)
      photo = await picture('jpeg', 800, 600)
      await stage.upload('fox/photo.jpg', photo, 'image/jpeg')
    })

    it('is sent with these headers, its own ETag and the time of the original', async () => {
      const original = await stage.ask('/i/fox/photo.jpg')
      for (let turns = 0; turns < 2; turns++) {
        const found = await stage.ask('/i/fox/photo.jpg?w=320')
        const { etag } = found.headers
        assert.deepEqual(
          [found.status, found.isWhole, found.headers],
          [200, true, { ...original.headers, etag, 'content-length': String(found.bytes.length) }],
        )
        assert.match(etag ?? '', /^"[0-9a-f]{32}"$/)
        assert.notEqual(etag, original.headers.etag)
        const { width, height } = await described(found.bytes)
        assert.deepEqual([width, height], [320, 240])
      }
    })

    itInFull('has another ETag for each width and type, and the same for widths that are rounded to one', async () => {
      const etagOf = async (query: string) => (await stage.ask(`/i/fox/photo.jpg?${query}`)).headers.etag
      const others = ['w=160', 'w=320', 'format=webp', 'w=160&format=webp', 'w=160&format=png', 'w=160&format=auto']
      assert.equal(new Set(await Promise.all(others.map(etagOf))).size, others.length)
      assert.equal(await etagOf('w=1'), await etagOf('w=160'))
      assert.equal(await etagOf('w=99999999999999999999'), await etagOf('w=1920'))
    })

    it('answers HEAD, conditions and ranges as the original does', async () => {
      const path = '/i/fox/photo.jpg?w=160'
      const { headers, bytes } = await stage.ask(path)
      const { etag = '', 'last-modified': modified = '', ...others } = headers
      assert.deepEqual(await stage.ask(path, { method: 'HEAD' }), {
        status: 200,
        headers,
        bytes: Buffer.alloc(0),
        isWhole: true,
      })
      const { 'accept-ranges': _ranges, 'content-length': _length, 'content-type': _type, ...kept } = others
      for (const asking of [
        { 'if-none-match': etag },
        { 'if-none-match': `W/${etag}` },
        { 'if-modified-since': modified },
      ]) {
        const found = await stage.ask(path, { headers: asking })
        assert.deepEqual(
          [found.status, found.headers, found.bytes.length],
          [304, { ...kept, etag, 'last-modified': modified }, 0],
        )
      }
      const part = await stage.ask(path, { headers: { range: 'bytes=10-19', 'if-range': etag } })
      assert.deepEqual([part.status, part.headers['content-range']], [206, `bytes 10-19/${bytes.length}`])
      assert.deepEqual(part.bytes, bytes.subarray(10, 20))
      const original = (await stage.ask('/i/fox/photo.jpg')).headers.etag as string
      for (const [status, asking] of [
        [200, { range: 'bytes=10-19', 'if-range': original }],
        [200, { 'if-none-match': original }],
        [412, { 'if-match': original }],
        [416, { range: `bytes=${bytes.length}-` }],
      ] as const)
        assert.equal((await stage.ask(path, { headers: asking })).status, status, JSON.stringify(asking))
    })

    itInFull('with auto is of the smallest type that Accept names, and says that it depends on Accept', async () => {
      const path = '/i/fox/photo.jpg?w=320&format=auto'
      for (const [accept, type] of [
        ['image/avif,image/webp', 'image/avif'],
        ['image/webp', 'image/webp'],
        ['*/*', 'image/jpeg'],
      ] as const) {
        const found = await stage.ask(path, { headers: { accept } })
        assert.deepEqual([found.headers['content-type'], found.headers.vary], [type, 'Accept'])
        assert.equal(`image/${formatOf(found.bytes)}`, type)
        const again = await stage.ask(path, { headers: { accept, 'if-none-match': found.headers.etag as string } })
        assert.deepEqual([again.status, again.headers.vary], [304, 'Accept'])
      }
      for (const query of ['', '?w=320', '?w=320&format=webp'])
        assert.equal((await stage.ask(`/i/fox/photo.jpg${query}`, { headers: webp })).headers.vary, undefined)
    })

    itInFull('keeps moving', async () => {
      await stage.upload('fox/moving.gif', await animation('gif', 400, 300), 'image/gif')
      for (const query of ['w=160', 'w=160&format=webp', 'w=160&format=auto']) {
        const found = await stage.ask(`/i/fox/moving.gif?${query}`, { headers: { accept: 'image/avif,image/webp' } })
        const { pages, width } = await described(found.bytes)
        assert.deepEqual([pages, width], [3, 160], query)
      }
    })

    it('follows a replacement, a deletion and a new upload of its image at once', async () => {
      const colours = ['red', 'blue'] as const
      const images = await Promise.all(
        colours.map((each, index) =>
          painted(400, 300, index + 2)
            .tint(each)
            .png()
            .toBuffer(),
        ),
      )
      const etags = new Set<string | undefined>()
      for (const [index, image] of images.entries()) {
        await stage.upload('fox/changing.png', image)
        const found = await stage.ask('/i/fox/changing.png?w=160')
        etags.add(found.headers.etag)
        const expected = await described(found.bytes)
        assert.equal(expected.width, 160)
        const [red = 0, , blue = 0] = await colourAt(found.bytes, 80, 60)
        assert.equal(red > blue, index === 0)
      }
      assert.equal(etags.size, 2)
      await stage.remove('fox/changing.png')
      assert.equal((await stage.ask('/i/fox/changing.png?w=160')).status, 404)
      await stage.upload('fox/changing.png', images[0] as Buffer)
      const found = await stage.ask('/i/fox/changing.png?w=160')
      assert.ok(etags.has(found.headers.etag), 'the same bytes again')
    })

    it('is hidden with its image', async () => {
      await stage.upload('fox/hidden.jpg', photo, 'image/jpeg')
      assert.equal((await stage.ask('/i/fox/hidden.jpg?w=160')).status, 200)
      const { service, ownerToken: token } = stage
      await service.request('POST', '/images/report', { token, body: { name: 'fox/hidden.jpg', reason: 'no' } })
      const [report] = (await service.request('GET', '/admin/reports', { token })).body.reports
      const body = { action: 'hide' }
      const reply = await service.request('POST', `/admin/reports/${report.id}/resolve`, { token, body })
      assert.equal(reply.status, 200, reply.text)
      assert.equal((await stage.ask('/i/fox/hidden.jpg?w=160')).status, 404)
    })

    it('does not exist if its image does not', async () => {
      const missing = await stage.ask('/i/fox/none.jpg')
      assert.deepEqual(await stage.ask('/i/fox/none.jpg?w=160'), missing)
      assert.deepEqual(await stage.ask('/i/cat/none.jpg?w=160&format=auto'), missing)
    })

    it('is refused if its bytes are those of no such image, whatever its type; an SVG is sent as stored', async () => {
      await stage.upload('fox/svg.png', entitySvg, 'image/png')
      await stage.upload('fox/drawing.svg', entitySvg, 'image/svg+xml')
      await stage.upload('fox/cut.jpg', photo.subarray(0, 9_000), 'image/jpeg')
      await stage.upload('fox/huge.png', plainPng(65_536, 32_768, 1))
      for (const name of ['svg.png', 'cut.jpg', 'huge.png'])
        for (const query of ['w=160', 'w=320&format=webp']) {
          const { status, bytes, headers } = await stage.ask(`/i/fox/${name}?${query}`)
          assert.deepEqual([status, bytes.toString()], [422, '{"status":422,"message":"The image cannot be resized"}'])
          assert.equal(headers['cache-control'], 'no-store')
        }
      await stage.upload('fox/svg.png', await picture('png', 20, 20))
      assert.equal((await stage.ask('/i/fox/svg.png?w=160')).status, 200)
      const original = await stage.ask('/i/fox/drawing.svg')
      for (let turns = 0; turns < 2; turns++) assert.deepEqual(await stage.ask('/i/fox/drawing.svg?w=160'), original)
      const auto = await stage.ask('/i/fox/drawing.svg?format=auto')
      assert.deepEqual(auto, { ...original, headers: { ...original.headers, vary: 'Accept' } })
    })
  })

/** Its first bytes, and never the rest: time enough to see how much memory the process takes. */
function stuck(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  let isFirst = true
  const next = async () => {
    if (!isFirst) return new Promise<never>(() => {})
    isFirst = false
    return { done: false, value: (await iterator.next()).value.subarray(0, 64) } as const
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: async () => (await iterator.return?.()) as never }) }
}

const [folder] = objectStores as [ObjectStage]

describe('Sizes', () => {
  it('are asked for by the URLs of random images, lists and embed links, and sent by them', async () => {
    const stage = await start(folder)
    await stage.upload('fox/a.jpg', await picture('jpeg', 700, 500), 'image/jpeg')
    const url = `http://localhost:${stage.service.port}/i/fox/a.jpg?w=320&format=webp`
    const query = 'w=300&format=webp'
    const plain = (await stage.get('/images/fox/random')).body
    for (const path of ['/images/fox/random', '/images/random'])
      assert.deepEqual((await stage.get(`${path}?${query}`)).body, { ...plain, url })
    assert.deepEqual((await stage.get(`/images/fox/random?count=2&${query}`)).body.images, [{ ...plain, url }])
    assert.equal((await stage.get(`/images/fox/random?meta=1&${query}`)).body.url, url)
    assert.equal((await stage.get(`/images/fox/random?as=text&${query}`)).text, `${url}\n`)
    assert.equal((await stage.get(`/images/fox/random?as=redirect&${query}`)).headers.get('location'), url)
    for (const meta of ['', '&meta=1'])
      assert.equal((await stage.get(`/images/fox?${query}${meta}`)).body.images[0].url, url)
    const { url: link } = (
      await stage.service.request('POST', '/auth/embed', { token: stage.ownerToken, body: { kind: 'fox' } })
    ).body
    const path = new URL(link).pathname
    assert.equal((await stage.get(`${path}?as=redirect&${query}`)).headers.get('location'), url)
    const sized = await stage.ask(`/i/fox/a.jpg?${query}`)
    for (const [from, token] of [
      [`/images/fox/random?as=bytes&${query}`, stage.ownerToken],
      [`${path}?${query}`, ''],
    ] as const) {
      const found = await stage.ask(from, { headers: { authorization: token } })
      assert.deepEqual([found.headers['content-location'], found.headers['content-type']], [url, 'image/webp'])
      assert.deepEqual([found.headers.etag, found.bytes], [sized.headers.etag, sized.bytes])
      assert.equal(found.headers['cache-control'], 'no-store')
    }
  })

  it('that are none are refused, in the envelope of the route', async () => {
    const stage = await start(folder)
    await stage.upload('fox/a.png', await picture('png', 20, 20))
    const { url: link } = (
      await stage.service.request('POST', '/auth/embed', { token: stage.ownerToken, body: { kind: 'fox' } })
    ).body
    const messages = {
      w: 'w must be a whole number of at least 1',
      format: 'format must be one of auto, avif, jpeg, png, webp',
    }
    const bad = [
      ...['0', '-1', '1.5', '1e3', 'abc', '%2B5', '0x10', '00', 'NaN', '320px'].map((value) => ['w', value] as const),
      ...['gif', 'jpg', 'AUTO', 'svg', 'constructor'].map((value) => ['format', value] as const),
    ]
    for (const [name, value] of someOf(4, bad)) {
      const query = `${name}=${value}`
      for (const path of ['/i/fox/a.png', new URL(link).pathname]) {
        const { status, body } = await stage.get(`${path}?${query}`)
        assert.deepEqual([status, body], [400, { status: 400, message: messages[name] }], query)
      }
      for (const path of ['random', ...kinds.flatMap((kind) => [kind, `${kind}/random`])]) {
        const { status, body } = await stage.get(`/images/${path}?${query}`)
        assert.deepEqual([status, body], [400, { message: messages[name], stack: 'N/A' }], query)
      }
    }
    for (const query of ['w=', 'format=', 'w=320&w=abc', 'W=abc', 'width=abc'])
      assert.equal((await stage.get(`/i/fox/a.png?${query}`)).status, 200, query)
  })

  it('that refuse a random image say so: 422', async () => {
    const stage = await start(folder)
    for (const kind of kinds) await stage.upload(`${kind}/svg.png`, entitySvg, 'image/png')
    for (const path of await randomPaths(stage)) {
      const { status, body } = await stage.get(`${path}?as=bytes&w=160`)
      assert.deepEqual([status, body], [422, { status: 422, message: 'The image cannot be resized' }], path)
    }
  })

  itInFull('are ignored with IMAGE_SIZES=false', async () => {
    const stage = await start(folder, { env: { IMAGE_SIZES: 'false' } })
    await stage.upload('fox/a.png', await picture('png', 400, 20))
    const original = await stage.ask('/i/fox/a.png')
    for (const query of ['w=160', 'w=abc', 'format=auto', 'format=abc'])
      assert.deepEqual(await stage.ask(`/i/fox/a.png?${query}`), original)
    const { url } = (await stage.get('/images/fox/random')).body
    assert.equal((await stage.get('/images/fox/random?w=160&format=abc')).body.url, url)
  })

  itInFull('have the widths of IMAGE_WIDTHS', async () => {
    const stage = await start(folder, { env: { IMAGE_WIDTHS: '50, 20' } })
    await stage.upload('fox/a.png', await picture('png', 400, 20))
    const widthOf = async (w: number) => (await described((await stage.ask(`/i/fox/a.png?w=${w}`)).bytes)).width
    assert.deepEqual(await Promise.all([1, 20, 21, 50, 51].map(widthOf)), [20, 20, 50, 50, 50])
  })

  itInFull(
    'are made once for all concurrent requests, then come from memory, and after a restart from the disk',
    async () => {
      const env = { CATALOGUE_REFRESH_SECONDS: '86400' }
      const stage = await start(folder, { env })
      await stage.upload('fox/a.jpg', await picture('jpeg', 700, 500), 'image/jpeg')
      const all = await Promise.all(Array.from({ length: 20 }, () => stage.ask('/i/fox/a.jpg?w=160')))
      const [first] = all
      for (const each of all) assert.deepEqual(each, first)
      assert.deepEqual(await stage.ask('/i/fox/a.jpg?w=160'), first)
      assert.deepEqual(await outcomesOf(stage), { made: 1, disk: 0, refused: 0, busy: 0 })
      await stage.service.close()
      const folderOfAll = stage.service.env.DATA_DIR as string
      const next = await start(
        {
          ...folder,
          make: async () => ({
            store: stage.store,
            bucket: stage.bucket,
            env: { DATA_DIR: folderOfAll },
            drop: async () => {},
          }),
        },
        { env },
      )
      assert.deepEqual(await next.ask('/i/fox/a.jpg?w=160'), first)
      assert.deepEqual(await outcomesOf(next), { made: 0, disk: 1, refused: 0, busy: 0 })
      rmSync(join(folderOfAll, 'sizes'), { recursive: true })
      assert.deepEqual(await next.ask('/i/fox/a.jpg?w=160'), first)
      assert.equal((await next.ask('/i/fox/a.jpg?w=320')).status, 200)
      await next.service.close()
      assert.equal(readdirSync(join(folderOfAll, 'sizes')).length, 1)
    },
  )

  itInFull(
    'that cannot be made are remembered for the version, and for ten minutes if it was time or memory',
    async () => {
      const clock = fakeClock(Date.now())
      const reads: string[] = []
      const stage = await start(folder, {
        env: { CATALOGUE_REFRESH_SECONDS: '86400' },
        overrides: {
          clock,
          images: {
            resizer: { maxBytes: 1 },
            readsShapes: false,
            store: (real) => ({
              ...real,
              async read(ref, signal) {
                reads.push(ref.name)
                const reading = await real.read(ref, signal)
                return reading && { ...reading, chunks: () => stuck(reading.chunks()) }
              },
            }),
          },
        },
      })
      await stage.upload('fox/svg.png', entitySvg, 'image/png')
      await stage.upload('fox/a.png', plainPng(1_000, 1_000))
      const ask = async (name: string) => (await stage.ask(`/i/fox/${name}?w=160`)).status
      const asked = (name: string) => reads.filter((each) => each === `fox/${name}`).length
      for (let turns = 0; turns < 3; turns++) assert.deepEqual([await ask('svg.png'), await ask('a.png')], [422, 422])
      assert.deepEqual([asked('svg.png'), asked('a.png')], [1, 1])
      clock.advance(600_001)
      assert.deepEqual([await ask('svg.png'), await ask('a.png')], [422, 422])
      assert.deepEqual([asked('svg.png'), asked('a.png')], [1, 2])
    },
  )

  it('beyond a short queue are refused with 503, while the images themselves are served', async () => {
    const held = Promise.withResolvers<void>()
    let isAway = false
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      async read(ref, signal) {
        await held.promise
        if (isAway) throw new Unavailable('object store')
        return await real.read(ref, signal)
      },
    })
    const names = Array.from({ length: 50 }, (_, index) => `fox/${index}.png`)
    const image = await picture('png', 30, 30)
    const fill = async (put: Put) => {
      for (const name of [...names, ...kinds.map((kind) => `${kind}/other.png`)]) await put(name, image)
    }
    const stage = await start(folder, { fill, overrides: { images: { readsShapes: false, store } } })
    const paths = names.flatMap((name) => [160, 320, 640, 960, 1280, 1920].map((w) => `/i/${name}?w=${w}`))
    const replies = Promise.all(paths.map((path) => stage.ask(path)))
    const busy = await Promise.race(
      paths.map(async (path) => {
        const found = await stage.ask(path)
        return found.status === 503 ? found : new Promise<never>(() => {})
      }),
    )
    assert.equal(busy.headers['retry-after'], '1')
    assert.equal(
      busy.bytes.toString(),
      '{"status":503,"message":"Too many images are being resized, please try again"}',
    )
    for (const path of await randomPaths(stage)) {
      assert.equal((await stage.get(`${path}?as=bytes&w=160&format=webp`)).status, 503, path)
      if (path.startsWith('/images/')) assert.equal((await stage.get(path)).status, 200, path)
    }
    // In the small size, those that wait are not resized: an image that cannot be read is 404.
    isAway = !isFullSize
    held.resolve()
    const statuses = (await replies).map(({ status }) => status)
    isAway = false
    assert.deepEqual(new Set(statuses), new Set([isFullSize ? 200 : 404, 503]))
    assert.equal((await stage.ask(paths.at(-1) as string)).status, 200)
  })

  it('are made for each address in turn, however many one asks for, and whoever asked first', async () => {
    const held = Promise.withResolvers<void>()
    const order: string[] = []
    const store = (real: ObjectStore): ObjectStore => ({
      ...real,
      async read(ref) {
        order.push(ref.name)
        await held.promise
        throw new Unavailable('object store')
      },
    })
    const many = Array.from({ length: 40 }, (_, index) => `fox/${index}.png`)
    const image = await picture('png', 30, 30)
    const fill = async (put: Put) => {
      for (const name of [...many, 'fox/other.png']) await put(name, image)
    }
    const overrides = { images: { readsShapes: false, store } }
    const stage = await start(folder, { fill, overrides, env: { TRUST_PROXY: 'loopback' } })
    const asked = (name: string, address: string) =>
      stage.ask(`/i/${name}?w=160`, { headers: { 'x-forwarded-for': address } })
    const replies = many.map((name) => asked(name, '203.0.113.9'))
    const waiting = async () =>
      Number(/_sizes_waiting (\d+)/.exec((await stage.service.request('GET', '/metrics')).text)?.[1])
    await until(async () => order.length + (await waiting()) === many.length)
    const running = order.length
    const shared = many.at(-1) as string
    const others = [asked(shared, '203.0.113.11'), asked('fox/other.png', '203.0.113.10')]
    await until(async () => running + (await waiting()) === replies.length + 1)
    held.resolve()
    await Promise.all([...replies, ...others])
    for (const name of [shared, 'fox/other.png']) {
      const place = order.indexOf(name)
      assert.ok(place >= running && place <= running + 2, `${name}: ${place} of ${order.length}, ${running} at once`)
    }
  })
})
