import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { kinds } from '../contract.ts'
import { folder, objectStores, type Put } from '../support/object-stores.ts'
import * as of from '../support/pictures.ts'
import { itInFull, someOf } from '../support/size.ts'
import { until } from '../support/until.ts'
import { answerOf, type ImageStage, refused, startImages, withImages } from './image-stage.ts'

const unknown = { width: null, height: null, mime: null, animated: null }
const junk = Buffer.from('this is not an image')

/** Names, bytes and what `meta=1` should say. */
const images: readonly (readonly [name: string, bytes: Buffer, shape: object])[] = [
  ['wide.png', of.png(1920, 1080), { width: 1920, height: 1080, mime: 'image/png', animated: false }],
  [
    'turned.jpg',
    of.jpeg(640, 480, of.exifSegment(6)),
    { width: 480, height: 640, mime: 'image/jpeg', animated: false },
  ],
  ['square.webp', of.extendedWebp(320, 320, true), { width: 320, height: 320, mime: 'image/webp', animated: true }],
  [
    'moving.gif',
    of.gif(319, 100, of.gifFrame(100), of.gifFrame()),
    { width: 319, height: 100, mime: 'image/gif', animated: true },
  ],
  ['still.avif', of.avif(3840, 2560), { width: 3840, height: 2560, mime: 'image/avif', animated: false }],
  [
    'photo.jpg',
    of.jpeg(6000, 4000, of.segment(0xe1, Buffer.alloc(30_000)), of.segment(0xe2, Buffer.alloc(30_000))),
    { width: 6000, height: 4000, mime: 'image/jpeg', animated: false },
  ],
  ['bomb.png', of.png(2 ** 31, 1), unknown],
  ['drawing.svg', Buffer.from('<svg width="5" height="5"/>'), unknown],
]

const cases: readonly (readonly [query: string, names: readonly string[]])[] = [
  ['orientation=landscape', ['moving.gif', 'photo.jpg', 'still.avif', 'wide.png']],
  ['orientation=portrait', ['turned.jpg']],
  ['orientation=square', ['square.webp']],
  ['animated=true', ['moving.gif', 'square.webp']],
  ['animated=false', ['photo.jpg', 'still.avif', 'turned.jpg', 'wide.png']],
  ['minWidth=320', ['photo.jpg', 'square.webp', 'still.avif', 'turned.jpg', 'wide.png']],
  ['minWidth=640', ['photo.jpg', 'still.avif', 'wide.png']],
  ['minHeight=1280', ['photo.jpg', 'still.avif']],
  ['minWidth=3840&minHeight=2560&orientation=landscape&animated=false', ['photo.jpg', 'still.avif']],
  ['minWidth=3840&animated=true', []],
  ['minWidth=1919', ['photo.jpg', 'still.avif', 'wide.png']],
  ['minWidth=1921', ['photo.jpg', 'still.avif']],
  ['minWidth=321&minHeight=640', ['photo.jpg', 'still.avif', 'turned.jpg', 'wide.png']],
  ['minHeight=0', ['moving.gif', 'photo.jpg', 'square.webp', 'still.avif', 'turned.jpg', 'wide.png']],
  ['minWidth=6001', []],
  ['minWidth=999999999999999', []],
  ['minWidth=99999999999999999999', []],
  [`minHeight=${'9'.repeat(400)}`, []],
  ['minWidth=00000000000000000640', ['photo.jpg', 'still.avif', 'wide.png']],
]

for (const objects of objectStores) {
  describe(`Objects that are not images, on ${objects.name}`, { skip: objects.skip }, () => {
    const quick = { env: { CATALOGUE_REFRESH_SECONDS: '1' }, overrides: { images: { settledMs: 0 } } }
    const only = { ...quick, env: { ...quick.env, CHOOSE_IMAGES_ONLY: 'true' } }
    const page = Buffer.from('<!doctype html><title>no image</title>')
    const fill = async (put: Put) => {
      await put('fox/a.txt', junk, { type: 'text/plain' })
      await put('fox/b.html', page, { type: 'text/html' })
      await put('fox/c.pdf', of.png(3, 2), { type: 'application/pdf' })
      await put('fox/d.png', of.png(3, 2), { type: 'image/png' })
    }
    const all = ['fox/a.txt', 'fox/b.html', 'fox/c.pdf', 'fox/d.png']
    const names = async (stage: ImageStage) =>
      (await stage.get('/images/fox')).body.images.map(({ name }: { name: string }) => name)
    const warningOf = async (stage: ImageStage, name: string, body: Buffer) => {
      const path = `/admin/s3/upload?bucketName=${stage.bucket}&objectName=${name}`
      const headers = { 'content-type': 'image/png' }
      const reply = await stage.service.request('POST', path, { token: stage.ownerToken, headers, body })
      assert.equal(reply.status, 200)
      return reply.headers.get('x-upload-warning')
    }

    itInFull('can be chosen like all others, also after they have been read and listed again', async () => {
      const stage = await startImages(objects, { ...quick, fill })
      // Known once it has been read.
      await until(async () => (await stage.get('/images/fox?minWidth=320')).body.images.length === 0)
      await until(async () => (await stage.get('/images/fox?orientation=landscape')).body.images.length === 2)
      assert.equal(await warningOf(stage, 'fox/e.png', junk), 'its first bytes are not those of a known type of image')
      assert.deepEqual(await names(stage), [...all, 'fox/e.png'])
      const chosen = (await stage.get('/images/fox/random?count=30')).body.images.map(
        (each: { name: string }) => each.name,
      )
      assert.deepEqual(chosen.sort(), [...all, 'fox/e.png'])
      const { body } = await stage.get('/admin/images/set-aside')
      assert.deepEqual(body, { status: 200, imagesOnly: false, count: 0, objects: [], next: null })
    })

    it('are set aside with CHOOSE_IMAGES_ONLY=true, by bytes or type; the upload warns, and a list names them', async () => {
      const stage = await startImages(objects, { ...only, fill })
      await until(async () => (await names(stage)).join() === 'fox/d.png')
      assert.match((await warningOf(stage, 'fox/e.png', junk)) ?? '', /^never chosen .*CHOOSE_IMAGES_ONLY is true$/)
      assert.equal(await warningOf(stage, 'fox/f.png', of.png(1, 1)), null)
      assert.deepEqual(await names(stage), ['fox/d.png', 'fox/f.png'])
      assert.equal((await stage.get('/i/fox/e.png')).text, String(junk))
      const { objects: first, count, next } = (await stage.get('/admin/images/set-aside?limit=3')).body
      const rest = (await stage.get(`/admin/images/set-aside?limit=3&cursor=${next}`)).body
      const told = [...first, ...rest.objects].map(({ image, fault }) => [image.name, fault])
      assert.deepEqual(told, [
        ['fox/a.txt', 'bytes'],
        ['fox/b.html', 'bytes'],
        ['fox/c.pdf', 'type'],
        ['fox/e.png', 'bytes'],
      ])
      assert.deepEqual([count, rest.count, rest.next], [4, 4, null])
      await stage.remove('fox/e.png')
      assert.equal((await stage.get('/admin/images/set-aside')).body.count, 3)
      for (const [query, message] of [
        ['cursor=Zm94', 'cursor must be the `next` value of a previous response'],
        ['limit=0', 'limit must be a whole number from 1 to 500'],
        ['kind=fox', 'Unknown parameter: kind'],
      ]) {
        const { status, body } = await stage.get(`/admin/images/set-aside?${query}`)
        assert.deepEqual([status, body.message], [400, message])
      }
    })
  })

  describe(`Shapes of images on ${objects.name}`, { skip: objects.skip }, () => {
    const spec = {
      env: { CATALOGUE_REFRESH_SECONDS: '1', CHOOSE_IMAGES_ONLY: 'true' },
      overrides: { images: { settledMs: 0 } },
    }
    const stage = withImages(objects, spec)
    const namesOf = (all: readonly { name: string }[]) => all.map(({ name }) => name)
    const list = async (query: string) => (await stage.get(`/images/fox?${query}`)).body.images

    it('are known at the request after an upload', async () => {
      for (const [name, bytes, shape] of images) {
        await stage.upload(`bird/${name}`, bytes)
        const [found] = (await stage.get(`/images/bird?meta=1&limit=1`)).body.images
        const plain = (await stage.get('/images/bird/random')).body
        assert.deepEqual(found, { ...plain, ...shape }, name)
        assert.deepEqual((await stage.get('/images/bird/random?meta=1')).body, found)
        await stage.remove(`bird/${name}`)
      }
      await stage.upload('bird/a.png', of.png(5, 4))
      await stage.upload('bird/a.png', of.gif(4, 5, of.gifFrame()))
      const [changed] = (await stage.get('/images/bird?meta=1&orientation=portrait')).body.images
      assert.deepEqual([changed.width, changed.height, changed.mime], [4, 5, 'image/gif'])
    })

    it('are read from what others have stored, filter every choice and list, and are kept', async () => {
      for (const [name, bytes] of images) await stage.put(`fox/${name}`, bytes)
      await until(async () => (await list('')).length === images.length && (await list('minHeight=320')).length === 5)
      assert.deepEqual(
        (await list('meta=1')).map(({ name, width, height, mime, animated }: Record<string, unknown>) => [
          name,
          { width, height, mime, animated },
        ]),
        images
          .map(([name, , shape]) => [`fox/${name}`, shape])
          .sort(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      )
      for (const [query, files] of someOf(7, cases)) {
        const names = files.map((file) => `fox/${file}`)
        assert.deepEqual(namesOf(await list(query)), names, query)
        const first = await stage.get(`/images/fox?${query}&limit=1`)
        assert.deepEqual(namesOf(first.body.images), names.slice(0, 1))
        assert.equal(first.body.next === null, names.length < 2)
        if (names.length === 0) {
          for (const as of ['json', 'redirect', 'bytes'])
            assert.deepEqual(
              answerOf(await stage.get(`/images/fox/random?${query}&as=${as}`)),
              refused(404, 'No fox images match'),
            )
          assert.deepEqual(answerOf(await stage.get(`/images/random?${query}`)), refused(404, 'No images match'))
          continue
        }
        const all = (await stage.get(`/images/random?kinds=fox,slap&count=30&${query}`)).body.images
        assert.deepEqual(namesOf(all).sort(), names)
        for (const seed of ['a', 'b'])
          assert.ok(names.includes((await stage.get(`/images/fox/random?seed=${seed}&${query}`)).body.name))
        assert.ok(names.includes((await stage.get(`/images/fox/random?${query}`)).body.name))
        const { headers } = await stage.get(`/images/fox/random?as=redirect&${query}`)
        assert.ok(names.includes((headers.get('location') ?? '').split('/i/')[1] ?? ''), query)
        const served = await stage.get(`/images/fox/random?as=bytes&${query}`)
        assert.ok(
          images.some(
            ([name, bytes]) => files.includes(name) && bytes.length === Number(served.headers.get('content-length')),
          ),
          query,
        )
      }
    })

    it('of what was there before the first start are waited for by a filter, which is refused with 503 if that takes over two seconds', async () => {
      const fill = async (put: Put) => void (await put('fox/wide.png', of.png(3, 2)))
      const portrait = 'orientation=portrait'
      const first = await startImages(objects, { fill })
      const queries = ['', '&repeat=no', '&as=text']
      const waited = queries.map((query) => first.get(`/images/fox/random?orientation=landscape${query}`))
      for (const { status, text } of await Promise.all(waited))
        assert.deepEqual([status, text.includes('fox/wide.png')], [200, true])
      for (const query of queries)
        assert.deepEqual(
          answerOf(await first.get(`/images/fox/random?${portrait}${query}`)),
          refused(404, 'No fox images match'),
        )
      // Two seconds pass at once, while no header can be read.
      const held = Promise.withResolvers<void>()
      const hurried = await startImages(objects, {
        fill: async (put) => {
          for (const kind of kinds) await put(`${kind}/wide.png`, of.png(3, 2))
        },
        overrides: {
          images: {
            sleep: async () => {},
            store: (real) => ({
              ...real,
              readRange: (...asked) => held.promise.then(() => real.readRange(...asked)),
            }),
          },
        },
      })
      const body = { kinds: 'fox', orientation: 'landscape' }
      const link = await hurried.service.request('POST', '/auth/embed', { token: hurried.ownerToken, body })
      assert.equal((await hurried.get('/images/fox/random')).status, 200)
      const paths = ['random?', 'fox/random?repeat=no&', ...kinds.map((kind) => `${kind}/random?`)]
      const late = paths.map((path) => hurried.get(`/images/${path}orientation=landscape`))
      for (const reply of [...(await Promise.all(late)), await hurried.get(new URL(link.body.url).pathname)]) {
        assert.deepEqual(answerOf(reply), [
          503,
          { status: 503, message: 'Images are still being read, please try again' },
        ])
        assert.equal(reply.headers.get('retry-after'), '2')
      }
      held.resolve()
      await until(async () => (await hurried.get('/images/fox/random?orientation=landscape')).status === 200)
      assert.equal((await hurried.get(`/images/fox/random?${portrait}`)).status, 404)
      assert.equal((await hurried.get(new URL(link.body.url).pathname)).status, 200)
    })

    it('limit an embed link to its orientation', async () => {
      const show = async (orientation: string, repeat: string) => {
        const body = { kinds: 'fox,slap', orientation, repeat }
        const link = await stage.service.request('POST', '/auth/embed', { token: stage.ownerToken, body })
        assert.deepEqual([link.status, link.body.orientation], [201, orientation])
        const { pathname } = new URL(link.body.url)
        return Array.fromAsync(['', '?as=redirect', '?seed=a'], async (query) => {
          const { status, headers } = await stage.service.request('GET', pathname + query)
          return [
            status,
            headers
              .get(query === '?as=redirect' ? 'location' : 'content-length')
              ?.split('/i/')
              .at(-1),
          ]
        })
      }
      const length = String(images[1]?.[1].length)
      for (const repeat of ['yes', 'no'])
        assert.deepEqual(await show('portrait', repeat), [
          [200, length],
          [302, 'fox/turned.jpg'],
          [200, length],
        ])
    })

    it('also filter repeat=no: each match is shown once, separately from the walk through all', async () => {
      const walk = async (query: string, length: number) => {
        const seen: string[] = []
        for (let left = length - 1; left >= 0; left--) {
          const { body, headers } = await stage.get(`/images/fox/random?repeat=no${query}`)
          assert.equal(headers.get('x-images-remaining'), String(left))
          seen.push(body.name)
        }
        return seen.sort()
      }
      const all = images.map(([name]) => `fox/${name}`).sort()
      for (let round = 0; round < 2; round++) {
        assert.deepEqual(
          await walk('&minWidth=320', 5),
          all.filter((name) => /photo|square|still|turned|wide/.test(name)),
        )
        assert.deepEqual(
          await walk('&minWidth=481', 3),
          all.filter((name) => /photo|still|wide/.test(name)),
        )
        assert.deepEqual(await walk('', all.length), all)
      }
      assert.equal((await stage.get('/images/fox/random?repeat=no&minWidth=3840&animated=true')).status, 404)
    })

    it('are those of the image that as=bytes serves in place of one that is gone', async () => {
      // A listing in between would find out first.
      const calm = await startImages(objects, { ...spec, env: { ...spec.env, CATALOGUE_REFRESH_SECONDS: '86400' } })
      const [wide, tall] = ['kiss/wide.png', 'kiss/tall.png']
      await calm.upload(wide, of.png(2, 1))
      await calm.upload(tall, of.png(1, 2))
      assert.equal((await calm.get(`/i/${wide}`)).status, 200)
      await calm.store.remove({ bucket: calm.bucket, name: tall })
      const reply = await calm.get('/images/kiss/random?as=bytes&orientation=portrait')
      assert.deepEqual(answerOf(reply), refused(404, 'Image not found'))
      assert.equal((await calm.get('/images/kiss/random?as=bytes&orientation=landscape')).status, 200)
    })

    itInFull(
      'of an object that is no image keep it out of every choice and list until it is replaced, but not from its URL',
      async () => {
        const [old, soon] = [
          await startImages(objects, { ...spec, fill: async (put) => void (await put('fox/no.png', junk)) }),
          'pat/no.png',
        ]
        await stage.put(soon, junk)
        await stage.put('pat/yes.png', of.png(3, 2))
        await until(async () => namesOf((await stage.get('/images/pat')).body.images).join() === 'pat/yes.png')
        assert.equal((await stage.get(`/i/${soon}`)).text, String(junk))
        await until(async () => (await old.get('/images/fox')).body.images.length === 0)
        await stage.upload(soon, of.png(3, 2))
        assert.equal((await stage.get('/images/pat')).body.images.length, 2)
      },
    )
  })
}

const tagCharacters = '1 to 32 of the characters a-z, 0-9 and -'

describe('Filters by shape', () => {
  const stage = withImages(folder)

  it('are only those that are declared: names near them are ignored, like any other', async () => {
    await stage.upload('hug/a.png', of.png(3, 2))
    for (const query of ['tag=x', 'width=9000', 'minwidth=x', 'min_width=9000', 'Animated=x', 'dryrun=x'])
      for (const path of ['/images/hug', '/images/hug/random', '/images/random'])
        assert.equal((await stage.get(`${path}?${query}`)).status, 200, `${path}?${query}`)
  })

  const bad: readonly (readonly [name: string, values: readonly string[], message: string])[] = [
    ['orientation', ['Portrait', 'x', 'landscape,square'], 'orientation must be one of landscape, portrait, square'],
    ['animated', ['2', 'on', 'TRUE', ''], 'animated must be true or false'],
    ['minWidth', ['320.0', '1e3', '-640', 'x'], 'minWidth must be a whole number'],
    ['minHeight', [' 640', '+1', '0x10'], 'minHeight must be a whole number'],
    ['meta', ['2', 'on', '-1'], 'meta must be 0 or 1'],
    ...['tags', 'without'].map(
      (name) =>
        [name, ['Red', 'a b', 'a,,é'], `${name} must be a list of at most 32 tags, each of ${tagCharacters}`] as const,
    ),
  ]
  const badPeriods = [
    ['per=year', 'per must be one of hour, day, week'],
    ['per=day&tz=Atlantis', 'tz must be an IANA time zone such as Europe/Berlin'],
    ['per=day&count=2', 'per cannot be combined with seed, count or repeat'],
  ]

  it('and other parameters take every word for yes and no, and a kind without images keeps its own 404', async () => {
    const [image] = (await stage.get('/images/hug')).body.images
    for (const [yes, no] of [
      ['true', 'false'],
      ['1', '0'],
      ['yes', 'no'],
    ]) {
      const full = (await stage.get(`/images/hug/random?meta=${yes}&animated=${no}&repeat=${no}`)).body
      assert.deepEqual([full.width, full.animated], [3, false])
      const plain = await stage.get(`/images/hug/random?meta=${no}&repeat=${yes}`)
      assert.deepEqual([plain.body, plain.headers.get('x-images-remaining')], [image, null])
      assert.deepEqual(
        answerOf(await stage.get(`/images/hug/random?animated=${yes}`)),
        refused(404, 'No hug images match'),
      )
      const none = await stage.get(`/images/slap/random?animated=${yes}`)
      assert.deepEqual(answerOf(none), refused(404, 'No slap images found in bucket'))
      const users = async (value: string) => (await stage.get(`/admin/users?banned=${value}`)).status
      assert.deepEqual([await users(String(yes)), await users(String(no))], [200, 200])
      const body = { kind: 'hug', repeat: no }
      const link = await stage.service.request('POST', '/auth/embed', { token: stage.ownerToken, body })
      assert.deepEqual([link.status, link.body.repeat], [201, 'no'])
    }
  })

  it('are refused with anything else, as tags and periods are, on every route that has them', async () => {
    for (const path of ['/images/random', ...kinds.flatMap((kind) => [`/images/${kind}`, `/images/${kind}/random`])])
      for (const [name, values, message] of bad)
        for (const value of path.includes('fox') ? values : values.slice(0, 1))
          assert.deepEqual(
            answerOf(await stage.get(`${path}?${name}=${encodeURIComponent(value)}`)),
            refused(400, message),
            `${path} ${name}=${value}`,
          )
    for (const path of ['/images/random', ...kinds.map((kind) => `/images/${kind}/random`)])
      for (const [query, message = ''] of badPeriods)
        assert.deepEqual(answerOf(await stage.get(`${path}?${query}`)), refused(400, message), `${path} ${query}`)
  })
})
