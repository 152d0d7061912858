import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { kinds } from '../contract.ts'
import { inParallel, md5Of, objectStores } from '../support/object-stores.ts'
import { sized } from '../support/size.ts'
import { seededRandom } from '../support/uniform.ts'
import { answerOf, refused, withImages } from './image-stage.ts'

/** These uploads are no images, and would leave the catalogue after a while. */
const unread = { overrides: { images: { readsShapes: false } } }

const badLimit = refused(400, 'limit must be a whole number from 1 to 500')
const badCursor = refused(400, 'cursor must be the `next` value of a previous response')

interface Described {
  readonly name: string
  readonly lastModified: string
}

for (const objects of objectStores) {
  describe(`The kinds on ${objects.name}`, { skip: objects.skip }, () => {
    const stage = withImages(objects, unread)

    it('are listed in a fixed order, empty at first', async () => {
      const reply = await stage.get('/images')
      const empty = kinds.map((kind) => ({ kind, count: 0, bytes: 0, newest: null }))
      assert.deepEqual(answerOf(reply), [200, { status: 200, kinds: empty }])
      assert.equal(reply.headers.get('cache-control'), 'no-store')
    })

    it('report their number of images, bytes and the time of the newest', async () => {
      await stage.upload('pat/a.png', 'four')
      await stage.upload('pat/b.png', 'seven77')
      await stage.upload('fox/a.png', 'x')
      const { images } = (await stage.get('/images/pat')).body
      const newest = images
        .map(({ lastModified }: Described) => lastModified)
        .sort()
        .at(-1)
      const of = async (kind: string) => {
        const { kinds: all } = (await stage.get('/images')).body
        return all.find((each: { kind: string }) => each.kind === kind)
      }
      assert.deepEqual(await of('pat'), { kind: 'pat', count: 2, bytes: 11, newest })
      assert.equal((await of('fox')).count, 1)
      assert.deepEqual(await of('bird'), { kind: 'bird', count: 0, bytes: 0, newest: null })
      await stage.upload('pat/b.png', '2b')
      assert.equal((await of('pat')).bytes, 6)
      await stage.clear('pat')
      assert.deepEqual(await of('pat'), { kind: 'pat', count: 0, bytes: 0, newest: null })
    })

    it('answer HEAD with the headers alone, as pages do', async () => {
      for (const path of ['/images', '/images/fox']) {
        const { headers: expected } = await stage.get(path)
        const token = stage.ownerToken
        const { status, text, headers } = await stage.service.request('HEAD', path, { token })
        assert.deepEqual([status, text], [200, ''])
        for (const name of ['content-type', 'content-length', 'cache-control'])
          assert.equal(headers.get(name), expected.get(name), name)
      }
    })

    for (const kind of kinds)
      it(`GET /images/${kind} is empty at first, and refuses invalid parameters`, async () => {
        if (kind === 'fox') await stage.clear(kind)
        const path = `/images/${kind}`
        assert.deepEqual(answerOf(await stage.get(path)), [200, { status: 200, images: [], next: null }])
        for (const limit of ['0', '501', '-1', '1.5', 'x', '1e2', ' 1', '9'.repeat(400)])
          assert.deepEqual(answerOf(await stage.get(`${path}?limit=${encodeURIComponent(limit)}`)), badLimit, limit)
        const encoded = (text: string | Buffer) => Buffer.from(text).toString('base64url')
        for (const cursor of [
          ...'x ! a.png __proto__'.split(' '),
          ' ',
          '\0',
          '💥',
          'x'.repeat(10_000),
          encoded('../a.png'),
          encoded('a/b.png'),
          encoded('a b.png'),
          encoded('\0'),
          encoded(Buffer.from([0xff, 0xfe])),
          encoded('{"filename":"a"}'),
          // Valid cursors in a different encoding.
          `${encoded('a.png')}=`,
          ` ${encoded('a.png')}`,
          'YR',
        ])
          assert.deepEqual(
            answerOf(await stage.get(`${path}?cursor=${encodeURIComponent(cursor)}`)),
            badCursor,
            cursor.slice(0, 20),
          )
        const badSort = refused(400, 'sort must be one of name, newest')
        assert.deepEqual(answerOf(await stage.get(`${path}?sort=oldest`)), badSort)
        const badQuery = refused(400, 'q must have at most 200 characters')
        assert.deepEqual(answerOf(await stage.get(`${path}?q=${'x'.repeat(201)}`)), badQuery)
        for (const query of ['?limit=&cursor=', '?limit=1&limit=0', '?count=99&as=xml'])
          assert.equal((await stage.get(path + query)).status, 200, query)
      })
  })

  describe(`The pages of a kind on ${objects.name}`, { skip: objects.skip }, () => {
    const stage = withImages(objects, unread)
    const random = seededRandom(1)
    // Some whose alphabetical order differs from their byte order.
    const odd = ['-.png', '.hidden', 'A.png', 'Z.png', '_.png', 'a', 'a.png', 'aa.png', '9.png', '10.png']
    const names = [...odd, ...Array.from({ length: 110 }, (_, index) => `image-${index}.png`)].sort((a, b) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    )
    const read = async (query: string): Promise<{ names: string[]; next: string | null }> => {
      const { status, body, text } = await stage.get(`/images/smug${query}`)
      assert.equal(status, 200, text)
      assert.deepEqual(Object.keys(body), ['status', 'images', 'next'])
      return { names: body.images.map(({ name }: Described) => name.replace(/^smug\//, '')), next: body.next }
    }
    const readAll = async (limit: number) => {
      const pages: string[][] = []
      let query = `?limit=${limit}`
      for (let more = true; more; ) {
        const page = await read(query)
        pages.push(page.names)
        query = `?limit=${limit}&cursor=${page.next}`
        more = page.next !== null
      }
      return pages
    }

    before(async () => {
      const shuffled = names.toSorted(() => random() - 0.5)
      await inParallel(shuffled, (name) => stage.upload(`smug/${name}`, `the bytes of ${name}`))
      await stage.upload('slap/other.png', 'not in it')
    })

    it('have all images once, ordered by file name, 50 at a time', async () => {
      const pages = await readAll(50)
      assert.deepEqual(pages.flat(), names)
      assert.deepEqual(
        pages.map(({ length }) => length),
        [50, 50, 20],
      )
      assert.deepEqual(await read(''), await read('?limit=50'), 'that is usual')
    })

    it('end with the last image, even if it fills the page', async () => {
      for (const [limit, pages] of [
        [sized(12, 1), sized(10, 120)],
        [60, 2],
        [119, 2],
        [120, 1],
        [500, 1],
      ] as const)
        assert.equal((await readAll(limit)).length, pages, String(limit))
    })

    it('describe each image as a random response does', async () => {
      const { images } = (await stage.get('/images/smug?limit=1')).body
      const [name = ''] = names
      const head = await stage.store.head({ bucket: stage.bucket, name: `smug/${name}` })
      const bytes = Buffer.from(`the bytes of ${name}`)
      assert.equal(
        JSON.stringify(images),
        JSON.stringify([
          {
            name: `smug/${name}`,
            etag: md5Of(bytes),
            size: bytes.length,
            lastModified: new Date(head?.modified ?? 0).toISOString(),
            url: `http://localhost:${stage.service.port}/i/smug/${name}`,
          },
        ]),
      )
    })

    it('begin after the cursor, in any kind, whether or not its image still exists', async () => {
      const { next } = await read('?limit=3')
      assert.deepEqual((await read(`?limit=2&cursor=${next}`)).names, names.slice(3, 5))
      assert.equal((await stage.get(`/images/hug?cursor=${next}`)).status, 200)
    })

    it('have the newest first with sort=newest, and a cursor continues only in its own order', async () => {
      const { images } = (await stage.get('/images/smug?limit=500')).body
      const keyOf = ({ name, lastModified }: Described) => `${lastModified} ${name}`
      const newest = (images as Described[])
        .toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
        .map(({ name }) => name.replace('smug/', ''))
      const first = await read('?sort=newest&limit=70')
      await stage.upload('smug/a-later.png', 'stored between two pages')
      const rest = await read(`?sort=newest&limit=70&cursor=${first.next}`)
      assert.deepEqual(
        [...first.names, ...rest.names].filter((name) => name !== 'a-later.png'),
        newest,
      )
      assert.equal(rest.next, null)
      assert.deepEqual(await read(`?limit=70&cursor=${first.next}`), rest, 'the cursor knows its order')
      await stage.remove('smug/a-later.png')
      const byName = await read('?sort=name&limit=3')
      assert.deepEqual(byName, await read('?limit=3'))
      const at = (text: string) => Buffer.from(text).toString('base64url')
      for (const [query, reply] of [
        [`sort=name&cursor=${first.next}`, badCursor],
        [`sort=newest&cursor=${byName.next}`, badCursor],
        ...['1e3/a.png', '1.5/a.png', '/a.png', 'x/a.png', '01/a.png', '1/2/a.png', '1/..', `${2 ** 60}/a.png`].map(
          (text) => [`cursor=${at(text)}`, badCursor] as const,
        ),
      ] as const)
        assert.deepEqual(answerOf(await stage.get(`/images/smug?${query}`)), reply, query)
    })

    it('neither skip nor repeat other images when some are added and removed in between', async () => {
      const first = await read('?limit=50')
      const gone = [...names.slice(10, 20), names[49] ?? '', ...names.slice(60, 65)]
      await inParallel(gone, (name) => stage.remove(`smug/${name}`))
      await stage.upload('smug/--new.png', 'before the cursor')
      await stage.upload('smug/zz-new.png', 'after it')
      const rest: string[] = []
      for (let { next } = first; next !== null; ) {
        const page = await read(`?limit=50&cursor=${next}`)
        rest.push(...page.names)
        next = page.next
      }
      assert.deepEqual(rest, [...names.slice(50).filter((name) => !gone.includes(name)), 'zz-new.png'])
    })
  })
}
