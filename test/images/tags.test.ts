import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { answerOf } from '../support/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { stores } from '../support/stores.ts'
import { until } from '../support/until.ts'
import { reportStage } from './report-stage.ts'

const images: Readonly<Record<string, readonly string[]>> = {
  'fox/a.png': ['red', 'snow'],
  'fox/b.png': ['red'],
  'fox/c.png': ['snow'],
  'fox/d.png': [],
  'bird/a.png': ['snow'],
  'bird/b.png': ['red', 'sea', 'snow'],
}
const cases: readonly (readonly [query: string, names: readonly string[]])[] = [
  ['tags=red', ['fox/a.png', 'fox/b.png', 'bird/b.png']],
  ['tags=snow,%20red,red', ['fox/a.png', 'bird/b.png']],
  ['tags=snow&without=red', ['fox/c.png', 'bird/a.png']],
  ['without=red', ['fox/c.png', 'fox/d.png', 'bird/a.png']],
  ['without=red,snow', ['fox/d.png']],
  ['tags=&without=', Object.keys(images)],
  ['tags=red&without=red', []],
  ['tags=red&minWidth=1', []],
]
const many = Array.from({ length: 32 }, (_, index) => `${index}-${'x'.repeat(29)}`)
const invalid = ['Red', 'a b', 'red,', 'ä', 'a'.repeat(33), [...many, 'one-more'].join()]
const listOf = (name: string) =>
  `${name} must be a list of at most 32 tags, each of 1 to 32 of the characters a-z, 0-9 and -`
const envelope = (status: number, message: string) => [status, { message, stack: 'N/A' }]

interface Named {
  readonly name: string
}
const namesOf = (all: readonly Named[]) => all.map(({ name }) => name).sort()

for (const store of stores)
  describe(`Tags of images on ${store.name}`, { skip: store.skip }, () => {
    const { stage, people, ask, upload, report, entry, resolve } = reportStage(store)
    const tag = (name: string, tags: readonly string[]) => ask('admin', 'PATCH', `/admin/images/${name}`, { tags })
    const get = (path: string) => ask('user', 'GET', path)
    const listed = async (kind: string, query: string) => namesOf((await get(`/images/${kind}?${query}`)).body.images)
    const counts = async (query = '') => (await get(`/images/tags${query}`)).body.tags
    const drawn = async (path: string) => namesOf((await get(path)).body.images ?? [])
    /** Another instance on the same stores. */
    const onOther = async (act: (other: TestService) => Promise<void>) => {
      const other = await startService({ env: stage.service.env, overrides: {} })
      try {
        await act(other)
      } finally {
        await other.close()
      }
    }

    before(async () => {
      for (const [name, tags] of Object.entries(images)) {
        await upload(name)
        assert.equal((await tag(name, tags)).status, 200)
      }
    })

    it('and filenames are found by a part of them in a list, in upper and lower case, with other terms', async () => {
      for (const [query, names] of [
        ['q=no', ['fox/a.png', 'fox/c.png']],
        ['q=SNO', ['fox/a.png', 'fox/c.png']],
        ['q=B.p', ['fox/b.png']],
        ['q=png', ['fox/a.png', 'fox/b.png', 'fox/c.png', 'fox/d.png']],
        ['q=png&without=red', ['fox/c.png', 'fox/d.png']],
        ['q=d&tags=red', ['fox/a.png', 'fox/b.png']],
        ['q=fox', []],
        ['q=%25', []],
        ['q=', ['fox/a.png', 'fox/b.png', 'fox/c.png', 'fox/d.png']],
      ] as const)
        for (const sort of ['name', 'newest']) {
          assert.deepEqual(await listed('fox', `${query}&sort=${sort}`), names, query)
          const paged: Named[] = []
          for (let next: string | null = ''; next !== null; ) {
            const { body } = await get(`/images/fox?${query}&sort=${sort}&limit=1&cursor=${next}`)
            paged.push(...body.images)
            next = body.next
          }
          assert.deepEqual(namesOf(paged), names, query)
        }
      const long = await get(`/images/fox?q=${'x'.repeat(201)}`)
      assert.deepEqual(answerOf(long), envelope(400, 'q must have at most 200 characters'))
    })

    it('select from one kind and from several, in lists of both orders, with other terms', async () => {
      for (const [query, names] of cases) {
        const expected = [...names].sort()
        assert.deepEqual(await drawn(`/images/random?${query}&count=30`), expected, query)
        assert.deepEqual(await drawn(`/images/random?${query}&count=30&seed=s&w=320`), expected, query)
        const daily = await get(`/images/random?${query}&per=day`)
        if (expected.length > 0) assert.ok(expected.includes(daily.body.name), query)
        assert.deepEqual(await drawn(`/images/random?${query}&count=30&repeat=no&kinds=fox,bird`), expected, query)
        for (const kind of ['fox', 'bird']) {
          const ofKind = expected.filter((name) => name.startsWith(kind))
          assert.deepEqual(await drawn(`/images/${kind}/random?${query}&count=30`), ofKind, query)
          for (const sort of ['name', 'newest']) assert.deepEqual(await listed(kind, `${query}&sort=${sort}`), ofKind)
          const one = await get(`/images/${kind}/random?${query}&as=text&w=320`)
          if (ofKind.length > 0) assert.match(one.text, new RegExp(`/i/(${ofKind.join('|')})\\?w=320\n$`))
          else assert.deepEqual(answerOf(one), envelope(404, `No ${kind} images match`))
        }
        if (expected.length === 0)
          assert.deepEqual(answerOf(await get(`/images/random?${query}`)), envelope(404, 'No images match'))
      }
      assert.deepEqual(
        answerOf(await get('/images/pat/random?tags=red')),
        envelope(404, 'No pat images found in bucket'),
      )
      const { images: page, next } = (await get('/images/fox?tags=red&limit=1')).body
      const rest = await listed('fox', `tags=red&limit=1&cursor=${next}`)
      assert.deepEqual([...namesOf(page), ...rest], ['fox/a.png', 'fox/b.png'])
    })

    it('that are invalid, or too many, are refused', async () => {
      for (const name of ['tags', 'without'])
        for (const text of invalid) {
          const { status, body } = await get(`/images/fox/random?${name}=${encodeURIComponent(text)}`)
          assert.deepEqual([status, body.message], [400, listOf(name)], text)
          assert.equal((await get(`/images/fox?${name}=${encodeURIComponent(text)}`)).status, 400)
          for (const terms of [text, [text]]) {
            const link = await ask('user', 'POST', '/auth/embed', { kind: 'fox', [name]: terms })
            assert.deepEqual(answerOf(link), [400, { error: listOf(name) }])
          }
        }
      for (const tags of [1, {}, [1]])
        assert.deepEqual(answerOf(await ask('user', 'POST', '/auth/embed', { kind: 'fox', tags })), [
          400,
          { error: listOf('tags') },
        ])
      assert.equal((await get(`/images/fox/random?tags=${many}`)).status, 404)
      assert.equal((await get(`/images/fox/random?without=${many}`)).status, 200)
    })

    it('are counted, the most frequent first, in pages and for some kinds', async () => {
      const all = [
        { tag: 'snow', count: 4 },
        { tag: 'red', count: 3 },
        { tag: 'sea', count: 1 },
      ]
      assert.deepEqual((await get('/images/tags')).body, { status: 200, tags: all, next: null })
      assert.deepEqual(await counts('?kinds=fox'), [
        { tag: 'red', count: 2 },
        { tag: 'snow', count: 2 },
      ])
      const { tags: first, next } = (await get('/images/tags?limit=2')).body
      assert.deepEqual([...first, ...(await counts(`?limit=2&cursor=${next}`))], all)
      assert.equal((await ask('user', 'HEAD', '/images/tags')).status, 200)
      for (const [query, message] of [
        ['limit=0', 'limit must be a whole number from 1 to 500'],
        ['cursor=Zm94', 'cursor must be the `next` value of a previous response'],
      ])
        assert.deepEqual(answerOf(await get(`/images/tags?${query}`)), envelope(400, `${message}`))
      assert.match((await get('/images/tags?kinds=dog')).body.message, /^kinds must be a list of fox, /)
      assert.equal((await stage.service.request('GET', '/images/tags')).status, 401)
    })

    it('select at once by what they are now: changed, and of images that are replaced, hidden, shown again and deleted', async () => {
      await upload('hug/a.png')
      await upload('hug/b.png')
      const soft = () => listed('hug', 'tags=soft')
      assert.deepEqual(await soft(), [])
      await tag('hug/a.png', ['soft'])
      await tag('hug/b.png', ['soft', 'warm'])
      assert.deepEqual(await soft(), ['hug/a.png', 'hug/b.png'])
      await upload('hug/a.png', 'other bytes')
      assert.deepEqual(await soft(), ['hug/a.png', 'hug/b.png'])
      await tag('hug/b.png', ['warm'])
      assert.deepEqual(await soft(), ['hug/a.png'])
      await report('user', 'hug/a.png')
      await resolve('moderator', (await entry('hug/a.png')).id, 'hide')
      assert.deepEqual([await soft(), await counts('?kinds=hug')], [[], [{ tag: 'warm', count: 1 }]])
      await ask('moderator', 'POST', '/admin/images/unhide', { name: 'hug/a.png' })
      await until(async () => (await soft()).length === 1)
      const { bucketName, objectName } = { bucketName: 'images', objectName: 'hug/a.png' }
      assert.equal((await ask('owner', 'DELETE', '/admin/s3/delete', { bucketName, objectName })).status, 200)
      await upload('hug/a.png')
      assert.deepEqual([await soft(), await counts('?kinds=hug')], [[], [{ tag: 'warm', count: 1 }]])
    })

    it('select on every instance, and walks of long filters continue there', async () => {
      const walk = `/images/fox/random?repeat=no&without=${many}`
      const seen = [(await get(walk)).body.name]
      await onOther(async (other) => {
        const token = people.user.accessToken
        const of = async (path: string) => (await other.request('GET', path, { token })).body
        assert.deepEqual(namesOf((await of('/images/fox?tags=red')).images), ['fox/a.png', 'fox/b.png'])
        await tag('fox/d.png', ['red'])
        await until(async () => namesOf((await of('/images/fox?tags=red')).images).length === 3)
        assert.equal((await of('/images/tags')).tags[0].count, 4)
        await until(async () => {
          const reply = await other.request('HEAD', walk, { token })
          return reply.headers.get('x-images-remaining') === '2'
        })
        for (let turn = 0; turn < 3; turn++) seen.push((await of(walk)).name)
      })
      assert.equal(new Set(seen).size, 4)
      await tag('fox/d.png', [])
    })

    it('of an embed link are fixed when it is created, and listed and audited with it', async () => {
      const create = async (terms: object) => (await ask('user', 'POST', '/auth/embed', { kind: 'fox', ...terms })).body
      const shown = async (url: string, query = '') =>
        (await stage.service.request('GET', `${new URL(url).pathname}?as=json${query}`)).body.name
      const plain = await create({ tags: [], without: '' })
      assert.deepEqual(
        Object.keys(plain).filter((name) => name === 'tags' || name === 'without'),
        [],
      )
      const link = await create({ tags: 'snow, red', without: ['sea', 'sea'], repeat: 'no' })
      assert.deepEqual([link.tags, link.without], [['red', 'snow'], ['sea']])
      for (const query of ['', '&tags=sea', '&without=red', '&seed=1'])
        assert.equal(await shown(link.url, query), 'fox/a.png')
      const { links } = (await ask('user', 'GET', '/auth/embed')).body
      const { status: _, ...created } = link
      assert.deepEqual(links.at(-1), { ...created, lastUsedAt: links.at(-1).lastUsedAt })
      const { events } = (await ask('owner', 'GET', '/admin/audit?action=create-embed')).body
      assert.deepEqual([events[0].after.tags, events[0].after.without], ['red,snow', 'sea'])
      const daily = await create({ tags: 'snow', without: 'red', per: 'day' })
      assert.equal(await shown(daily.url), 'fox/c.png')
      const none = await create({ tags: ['nothing'] })
      assert.equal((await stage.service.request('GET', new URL(none.url).pathname)).status, 404)
    })
  })
