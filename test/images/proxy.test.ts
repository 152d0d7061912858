import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Catalogue } from '../../src/images/catalogue.ts'
import type { ObjectStore } from '../../src/images/object-store.ts'
import { kinds } from '../contract.ts'
import { fakeClock } from '../support/clock.ts'
import { folder, type ObjectStage, objectStores, type Put, putInto } from '../support/object-stores.ts'
import { startService, type TestService } from '../support/service.ts'
import { itInFull, someOf } from '../support/size.ts'
import { type Asking, bodyOf, type Got, get, readSlowly, until } from './client.ts'

const owner = { OWNER_USERNAME: 'keeper', OWNER_PASSWORD: 'correct horse of the keeper' }
const always = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}
const notFound = {
  status: 404,
  headers: {
    ...always,
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
    'content-length': '42',
  },
  text: '{"status":404,"message":"Image not found"}',
}

const told = ({ status, headers, bytes }: Got) => ({ status, headers, text: bytes.toString() })

interface Proxy {
  readonly service: TestService
  readonly place: Awaited<ReturnType<ObjectStage['make']>>
  readonly put: Put
  readonly clock: ReturnType<typeof fakeClock>
  /** What the service asked of its store, by name. */
  readonly asked: { readonly act: 'head' | 'read' | 'readRange'; readonly name: string }[]
  get(path: string, asking?: Asking): Promise<Got>
}

const acts = ['head', 'read', 'readRange'] as const

function watched(real: ObjectStore, asked: Proxy['asked']): ObjectStore {
  const watch = (act: (typeof acts)[number]) => ({
    [act]: (place: { name: string }, ...rest: unknown[]) => {
      asked.push({ act, name: place.name })
      return (real[act] as (...all: unknown[]) => unknown)(place, ...rest)
    },
  })
  return Object.assign({}, real, ...acts.map(watch)) as ObjectStore
}

async function open(stage: ObjectStage, env: Record<string, string> = {}): Promise<Proxy> {
  const place = await stage.make()
  // Signatures are of the real time.
  const clock = fakeClock(Date.now())
  const asked: Proxy['asked'] = []
  let catalogue: Catalogue | undefined
  const service = await startService({
    env: { ...place.env, ...owner, ...env },
    overrides: {
      clock,
      images: {
        store: (real) => watched(real, asked),
        readsShapes: false,
        catalogue(real) {
          catalogue = real
          return real
        },
      },
    },
  })
  // A first listing drops cached images, so that no test would know what is cached.
  await until(() => kinds.every((kind) => catalogue?.isComplete(kind)))
  return {
    service,
    place,
    put: putInto(place.store, place.bucket),
    clock,
    asked,
    get: (path, asking) => get(service.port, path, asking),
  }
}

const sizes = { 'one byte': 1, '100 kB': 100_000, '9 MiB, which is not kept in memory': 9 * 1024 * 1024 }
const images = Object.entries(sizes).map(([title, size], index) => ({
  title,
  name: `fox/image-${index}.png`,
  bytes: randomBytes(size),
}))
const small = randomBytes(1_000)
const large = randomBytes(9_000_000)

for (const stage of objectStores)
  describe(`On ${stage.name}, the proxy`, { skip: stage.skip }, () => {
    let proxy: Proxy
    before(async () => {
      proxy = await open(stage)
    })

    for (const { title, name, bytes } of images)
      (bytes.length > 1_000_000 ? itInFull : it)(
        `serves an image of ${title}, to the byte and with these headers`,
        async () => {
          const { etag } = await proxy.put(name, bytes)
          const head = await proxy.place.store.head({ bucket: proxy.place.bucket, name })
          const expected = {
            ...always,
            'cache-control': 'public, max-age=3600, stale-if-error=86400',
            etag: `"${etag}"`,
            'last-modified': new Date(head?.modified ?? 0).toUTCString(),
            'accept-ranges': 'bytes',
            'content-type': 'image/png',
            'content-length': String(bytes.length),
          }
          const asked = proxy.asked.length
          for (let turns = 0; turns < 2; turns++) {
            const found = await proxy.get(`/i/${name}`, { method: 'HEAD' })
            assert.deepEqual([found.status, found.headers, found.bytes.length], [200, expected, 0])
          }
          assert.deepEqual(
            proxy.asked.slice(asked).map(({ act }) => act),
            ['head', 'head'],
            'HEAD fills nothing',
          )
          for (let turns = 0; turns < 2; turns++) {
            const found = await proxy.get(`/i/${name}`)
            assert.deepEqual([found.status, found.headers, found.isWhole], [200, expected, true])
            assert.ok(found.bytes.equals(bytes))
          }
          const reads = proxy.asked.slice(asked).filter(({ act }) => act === 'read').length
          assert.equal(reads, bytes.length > 8 * 1024 * 1024 ? 2 : 1)
          const found = await proxy.get(`/i/${name}`, { method: 'HEAD' })
          assert.deepEqual([found.status, found.headers, found.bytes.length], [200, expected, 0])
        },
      )

    it('gives the same response for every missing image, whatever is wrong with its name', async () => {
      await proxy.put('fox/here.png', small)
      for (const path of [
        ...['/i/fox/nowhere.png', '/i/cat/here.png', '/i/Fox/here.png', '/i/FOX/here.png', '/i/fox/HERE.PNG'],
        ...['/i/fox/..', '/i/fox/a..b', '/i/fox/...', '/i/../here.png', '/i/./here.png', '/i/fox/.', '/i/__proto__/x'],
        ...['/i/fox/%2e%2e', '/i/fox/%2E%2E', '/i/%2e%2e/here.png', '/i/fox/%252e%252e', '/i/fox/.%2e', '/i/fox/..%00'],
        ...['/i/fox/here.png%00', '/i/fox/%00', '/i/fox%00/here.png', '/i/fox/here.png%0a', '/i/fox/here.png%0d%0aX:y'],
        ...['/i/fox%2Fhere.png/x', '/i/fox/a%2Fb', '/i/fox/%2Fetc%2Fpasswd', '/i/fox/..%2Fbird%2Fa.png', '/i/fox/%5C'],
        ...['/i/fox/here.png%20', '/i/fox/%20here.png', '/i/fox/here%2', '/i/fox/here.png;x', '/i/fox/h%C3%A9re.png'],
        ...['/i/fox/a+b', '/i/fox/~', '/i/fox/here.png%3F', '/i/fox/%EF%BC%8E%EF%BC%8E', "/i/fox/'", '/i/fox/*'],
        ...[`/i/fox/${'x'.repeat(2_000)}`, `/i/fox/${'%41'.repeat(2_000)}`, `/i/${'x'.repeat(2_000)}/here.png`],
        ...['/i/.temporary/here.png', '/i/.details/here.png', '/i/images/here.png', '/i/fox/constructor'],
      ].filter((path) => path !== '/i/fox/here%2'))
        assert.deepEqual(told(await proxy.get(path)), notFound, path)
      const { status, headers, bytes } = await proxy.get('/i/fox/nowhere.png', { method: 'HEAD' })
      assert.deepEqual([status, headers, bytes.length], [404, notFound.headers, 0])
    })

    it('serves no other path, and refuses invalid ones', async () => {
      for (const path of ['/i', '/i/', '/i/fox', '/i/fox/', '/i//here.png', '/i/fox/here.png/', '/i/fox/a/here.png']) {
        const { status, headers, bytes } = await proxy.get(path)
        assert.deepEqual([status, JSON.parse(String(bytes)).message], [404, `Not Found - GET ${path}`])
        assert.equal(headers['x-content-type-options'], 'nosniff')
      }
      for (const path of ['/i/fox/here%2', '/i/fox/%zz', '/i/fox/%c3%28'])
        assert.equal((await proxy.get(path)).status, 400, path)
      for (const method of ['POST', 'PUT', 'DELETE'])
        assert.equal((await proxy.get('/i/fox/here.png', { method })).status, 404, method)
    })

    it('serves a name, percent-encoded or not, with any query', async () => {
      const { bytes } = await put('fox/A.b_c-1.PNG')
      for (const path of [
        ...'/i/fox/A.b_c-1.PNG /i/fox/%41%2Eb%5Fc%2D1.PNG /i/%66ox/A.b_c-1.PNG?x=../..'.split(' '),
        ...'/i/fox/A.b_c-1.PNG?'.split(' '),
      ])
        assert.ok((await proxy.get(path)).bytes.equals(bytes), path)
      await put('fox/.hidden')
      await put('fox/-')
      await put(`fox/${'n'.repeat(1020)}`)
      for (const name of ['.hidden', '-', 'n'.repeat(1020)])
        assert.equal((await proxy.get(`/i/fox/${name}`)).status, 200, name)
    })

    async function put(name: string, bytes: Buffer = small) {
      const { etag } = await proxy.put(name, bytes)
      const head = await proxy.place.store.head({ bucket: proxy.place.bucket, name })
      return { bytes, tag: `"${etag}"`, modified: head?.modified ?? 0, path: `/i/${name}` }
    }

    type Conditions = (image: Awaited<ReturnType<typeof put>>) => readonly (readonly [Asking, number, string?])[]
    const conditions: Conditions = ({ bytes, tag, modified }) => {
      const { length } = bytes
      const [earlier, same, later] = [-60_000, 0, 60_000].map((ms) => new Date(modified + ms).toUTCString()) as [
        string,
        string,
        string,
      ]
      const asking = (headers: Asking['headers'], method = 'GET'): Asking => ({ method, headers: headers ?? {} })
      return [
        [asking({ 'if-none-match': tag }), 304],
        [asking({ 'if-none-match': `W/${tag}, "x"` }), 304],
        [asking({ 'if-none-match': '*' }), 304],
        [asking({ 'if-none-match': '"x"' }), 200],
        [asking({ 'if-none-match': tag }, 'HEAD'), 304],
        [asking({ 'if-modified-since': same }), 304],
        [asking({ 'if-modified-since': later }), 304],
        [asking({ 'if-modified-since': earlier }), 200],
        [asking({ 'if-modified-since': 'yesterday' }), 200],
        [asking({ 'if-match': tag }), 200],
        [asking({ 'if-match': '"x"' }), 412],
        [asking({ 'if-match': `W/${tag}` }), 412],
        [asking({ 'if-match': '"x"' }, 'HEAD'), 412],
        [asking({ 'if-unmodified-since': earlier }), 412],
        [asking({ 'if-unmodified-since': same }), 200],
        [asking({ range: 'bytes=0-0' }), 206, `0-0`],
        [asking({ range: 'bytes=10-99' }), 206, `10-99`],
        [asking({ range: `bytes=${length - 1}-` }), 206, `${length - 1}-${length - 1}`],
        [asking({ range: 'bytes=-5' }), 206, `${length - 5}-${length - 1}`],
        [asking({ range: 'bytes=5-' }), 206, `5-${length - 1}`],
        [asking({ range: `bytes=0-${length}` }), 206, `0-${length - 1}`],
        [asking({ range: `bytes=${length}-` }), 416],
        [asking({ range: 'bytes=-0' }), 416],
        [asking({ range: 'bytes=2-1' }), 200],
        [asking({ range: 'bytes=0-0,2-2' }), 200],
        [asking({ range: 'items=0-0' }), 200],
        [asking({ range: 'bytes=0-0' }, 'HEAD'), 200],
        [asking({ range: 'bytes=0-0', 'if-range': tag }), 206, '0-0'],
        [asking({ range: 'bytes=0-0', 'if-range': same }), 206, '0-0'],
        [asking({ range: 'bytes=0-0', 'if-range': '"x"' }), 200],
        [asking({ range: 'bytes=0-0', 'if-range': earlier }), 200],
        [asking({ range: 'bytes=0-0', 'if-none-match': tag }), 304],
        [asking({ range: 'bytes=0-0', 'if-match': '"x"' }), 412],
      ]
    }

    async function checkOne(
      image: Awaited<ReturnType<typeof put>>,
      [asking, status, range]: ReturnType<Conditions>[0],
    ) {
      const { bytes, tag, modified } = image
      const found = await proxy.get(image.path, asking)
      const what = JSON.stringify(asking)
      assert.equal(found.status, status, what)
      const isHead = asking.method === 'HEAD'
      const validators = { etag: tag, 'last-modified': new Date(modified).toUTCString() }
      const cached = { 'cache-control': 'public, max-age=3600, stale-if-error=86400' }
      const sent = (length: number) => ({
        ...always,
        ...cached,
        ...validators,
        'accept-ranges': 'bytes',
        'content-type': 'image/png',
        'content-length': String(length),
      })
      const json = { ...always, 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' }
      switch (status) {
        case 304:
          assert.deepEqual([found.headers, found.bytes.length], [{ ...always, ...cached, ...validators }, 0], what)
          return
        case 412:
          assert.deepEqual(found.headers, { ...json, 'content-length': '46' }, what)
          assert.equal(String(found.bytes), isHead ? '' : '{"status":412,"message":"Precondition failed"}', what)
          return
        case 416: {
          const more = { ...validators, 'content-range': `bytes */${bytes.length}`, 'content-length': '48' }
          assert.deepEqual(found.headers, { ...json, ...more }, what)
          assert.equal(String(found.bytes), '{"status":416,"message":"Range not satisfiable"}', what)
          return
        }
        case 206: {
          const [first = 0, last = 0] = range?.split('-').map(Number) ?? []
          const more = { 'content-range': `bytes ${range}/${bytes.length}` }
          assert.deepEqual(found.headers, { ...sent(last - first + 1), ...more }, what)
          assert.ok(found.bytes.equals(bytes.subarray(first, last + 1)), what)
          return
        }
        default:
          assert.deepEqual(found.headers, sent(bytes.length), what)
          assert.ok(found.bytes.equals(isHead ? Buffer.alloc(0) : bytes), what)
      }
    }

    itInFull('evaluates conditions and ranges of an image that is not cached', async () => {
      for (const index of conditions({ bytes: small, tag: '', modified: 0, path: '' }).keys()) {
        const image = await put(`bird/new-${index}.png`)
        await checkOne(image, conditions(image)[index] as ReturnType<Conditions>[0])
      }
    })

    it('evaluates them for a cached image without asking the store', async () => {
      const image = await put('bird/small.png')
      await proxy.get(image.path)
      const before = proxy.asked.length
      for (const each of conditions(image)) await checkOne(image, each)
      await Promise.all(conditions(image).map((each) => checkOne(image, each)))
      assert.equal(proxy.asked.length, before)
    })

    it('evaluates them for an image too large to cache, and reads only what is wanted', async () => {
      const image = await put('bird/large.png', large)
      for (const each of someOf(6, conditions(image))) {
        const before = proxy.asked.length
        await checkOne(image, each)
        const [, status] = each
        const expected = { 200: ['head', 'read'], 206: ['head', 'readRange'] }[status] ?? ['head']
        const acts = proxy.asked.slice(before).map(({ act }) => act)
        assert.deepEqual(acts, each[0].method === 'HEAD' ? ['head'] : expected, JSON.stringify(each))
      }
    })

    itInFull('gives each of many concurrent requests what it asked for', async () => {
      const image = await put('bird/asked-by-many.png', large)
      const other = await put('bird/asked-by-many-too.png')
      await Promise.all(
        [image, other].flatMap((each) => someOf(11, conditions(each)).map((one) => checkOne(each, one))),
      )
    })

    it('sends anything but a raster image as a download, with its stored type', async () => {
      for (const [type, sent, isDownload] of [
        ['text/html', 'text/html', true],
        ['text/html; charset=utf-8', 'text/html; charset=utf-8', true],
        ['image/svg+xml', 'image/svg+xml', true],
        ['application/xml', 'application/xml', true],
        ['text/javascript', 'text/javascript', true],
        ['image/unheard-of', 'image/unheard-of', true],
        ['image/gif', 'image/gif', false],
        ['image/png; a=b', 'image/png; a=b', false],
        ['binary/octet-stream', 'image/jpeg', false],
        ['application/octet-stream', 'image/jpeg', false],
        ['junk', 'image/jpeg', false],
        ['text/html, image/png', 'image/jpeg', false],
      ] as const) {
        const name = `slap/${type.replaceAll(/[^a-z]/g, '-')}`
        await proxy.put(name, Buffer.from('<script>alert(1)</script>'), { type })
        for (const asking of [{ method: 'HEAD' }, {}, {}, { headers: { range: 'bytes=0-0' } }]) {
          const { headers } = await proxy.get(`/i/${name}`, asking)
          const { 'content-type': found, 'content-disposition': disposition } = headers
          assert.deepEqual([found, disposition], [sent, isDownload ? 'attachment' : undefined], type)
          for (const [header, value] of Object.entries(always)) assert.equal(headers[header], value)
        }
      }
    })

    it('serves no object that is empty, a folder, or below one', async () => {
      await proxy.put('hug/empty.png', Buffer.alloc(0))
      await proxy.put('hug/nested/a.png', small)
      if (stage.name === 'S3') await proxy.put('hug/marker/', Buffer.alloc(0))
      for (const path of [
        ...['/i/hug/empty.png', '/i/hug/nested', '/i/hug/marker', '/i/hug/nested%2Fa.png', '/i/hug/marker%2F'],
      ])
        for (const asking of [{}, { headers: { range: 'bytes=0-0' } }, { headers: { 'if-none-match': '*' } }])
          assert.deepEqual(told(await proxy.get(path, asking)), notFound, path)
      for (const path of ['/i/hug/empty.png', '/i/hug/nested'])
        assert.equal((await proxy.get(path, { method: 'HEAD' })).status, 404, path)
      assert.equal((await proxy.get('/i/hug/nested/a.png')).status, 404)
    })

    for (const change of ['overwritten', 'deleted'] as const)
      itInFull(`sends the whole old image or breaks off when it is ${change} during a slow read`, async () => {
        const [old, young] = [Buffer.alloc(16_000_000, 'old'), Buffer.alloc(16_000_000, 'new')]
        const name = `pat/${change}.png`
        await proxy.put(name, old)
        const readers = Array.from({ length: 3 }, () => readSlowly(proxy.service.port, `/i/${name}`))
        for (const { begun } of readers) await begun
        if (change === 'overwritten') await proxy.put(name, young)
        else await proxy.place.store.remove({ bucket: proxy.place.bucket, name })
        for (const reader of readers) {
          const body = bodyOf(await reader.rest())
          assert.ok(body.length > 0 && body.equals(old.subarray(0, body.length)), 'no byte of another image')
        }
        const found = await proxy.get(`/i/${name}`)
        if (change === 'overwritten') assert.ok(found.bytes.equals(young))
        else assert.equal(found.status, 404)
      })

    it('applies uploads and deletes at the very next request', async () => {
      const { body } = await proxy.service.login(owner.OWNER_USERNAME, owner.OWNER_PASSWORD)
      const of = `bucketName=${proxy.place.bucket}&objectName=kiss/a.png`
      const upload = (text: string) =>
        proxy.service.request('POST', `/admin/s3/upload?${of}`, {
          token: body.accessToken,
          headers: { 'content-type': 'image/png' },
          body: Buffer.from(text),
        })
      for (const text of ['the first', 'the second', 'the third']) {
        assert.equal((await upload(text)).status, 200)
        for (const asking of [{}, { headers: { range: 'bytes=0-' } }, {}])
          assert.equal(String((await proxy.get('/i/kiss/a.png', asking)).bytes), text)
      }
      const removed = await proxy.service.request('DELETE', `/admin/s3/delete?${of}`, { token: body.accessToken })
      assert.equal(removed.status, 200)
      assert.deepEqual(told(await proxy.get('/i/kiss/a.png')), notFound)
      assert.equal((await upload('again')).status, 200)
      assert.equal(String((await proxy.get('/i/kiss/a.png')).bytes), 'again')
    })

    it('shows external changes after the refresh time, and revalidates by the ETag', async () => {
      const name = 'smug/a.png'
      const { tag, path } = await put(name, Buffer.from('old'))
      await proxy.get(path)
      const before = proxy.asked.length
      proxy.clock.advance(60_000)
      assert.equal((await proxy.get(path)).headers.etag, tag)
      assert.deepEqual(proxy.asked.slice(before), [{ act: 'head', name }])
      await put(name, Buffer.from('new'))
      proxy.clock.advance(60_000)
      assert.equal(String((await proxy.get(path, { headers: { 'if-none-match': tag } })).bytes), 'new')
      await proxy.place.store.remove({ bucket: proxy.place.bucket, name })
      proxy.clock.advance(60_000)
      assert.deepEqual(told(await proxy.get(path, { headers: { 'if-none-match': tag } })), notFound)
    })

    it('answers HTTP/1.0, and closes the connection', async () => {
      for (const [name, bytes] of [
        ['shibe/small.png', small],
        ['shibe/large.png', large],
      ] as const) {
        await proxy.put(name, bytes)
        const socket = connect({ port: proxy.service.port, host: '127.0.0.1' })
        socket.write(`GET /i/${name} HTTP/1.0\r\n\r\n`)
        const sent = Buffer.concat(await socket.toArray())
        assert.match(String(sent.subarray(0, 20)), /^HTTP\/1\.1 200 OK\r\n/)
        assert.match(String(sent.subarray(0, 2_000)), new RegExp(`\r\nContent-Length: ${bytes.length}\r\n`))
        assert.ok(bodyOf(sent).equals(bytes))
      }
    })

    it('answers pipelined requests in order', async () => {
      const all = await Promise.all(
        Array.from({ length: 8 }, (_, index) => put(`shibe/${index}.png`, index % 2 ? small : randomBytes(500_000))),
      )
      const socket = connect({ port: proxy.service.port, host: '127.0.0.1' })
      socket.write(all.map(({ path }) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
      socket.write('GET /i/cat/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      let sent: Buffer = Buffer.concat(await socket.toArray())
      for (const { bytes } of all) {
        sent = bodyOf(sent)
        assert.ok(sent.subarray(0, bytes.length).equals(bytes))
        sent = sent.subarray(bytes.length)
      }
      assert.equal(String(bodyOf(sent)), notFound.text)
    })
  })

describe('In the folder', () => {
  let proxy: Proxy
  before(async () => {
    proxy = await open(folder)
  })

  it('what is not a regular file is no image, and blocks nobody', async () => {
    await proxy.put('fox/real.png', small)
    const at = (name: string) => join(proxy.place.env.DATA_DIR ?? '', 'objects/images/fox', name)
    const secret = join(proxy.place.env.DATA_DIR ?? '', 'secret')
    writeFileSync(secret, 'a secret')
    execFileSync('mkfifo', [at('fifo.png')])
    symlinkSync(secret, at('link.png'))
    symlinkSync('real.png', at('link-inside.png'))
    symlinkSync('nowhere', at('link-to-nothing.png'))
    symlinkSync('/dev/zero', at('zero.png'))
    mkdirSync(at('folder.png'))
    for (let turns = 0; turns < 10; turns++)
      for (const name of ['fifo', 'link', 'link-inside', 'link-to-nothing', 'zero', 'folder'])
        for (const asking of [{}, { headers: { range: 'bytes=0-0' } }])
          assert.deepEqual(told(await proxy.get(`/i/fox/${name}.png`, asking)), notFound, name)
    assert.equal((await proxy.get('/i/fox/real.png')).status, 200)
  })

  it('a file put there by hand is an image, of the type of its extension', async () => {
    const at = (name: string) => join(proxy.place.env.DATA_DIR ?? '', 'objects/images/fox', name)
    for (const [name, type, isDownload] of [
      ['by-hand.webp', 'image/webp', false],
      ['by-hand.svg', 'image/svg+xml', true],
      ['by-hand.html', 'text/html', true],
      ['by-hand', 'image/jpeg', false],
      ['by-hand.xyz', 'image/jpeg', false],
    ] as const) {
      writeFileSync(at(name), small)
      const { headers, bytes } = await proxy.get(`/i/fox/${name}`)
      assert.ok(bytes.equals(small))
      assert.deepEqual(
        [headers['content-type'], headers['content-disposition']],
        [type, isDownload ? 'attachment' : undefined],
      )
    }
  })

  it('without CORS_ORIGINS a preflight is an unmatched route, but every page can use the image', async () => {
    const headers = { origin: 'https://page.example', 'access-control-request-method': 'GET' }
    const { status, bytes } = await proxy.get('/i/fox/real.png', { method: 'OPTIONS', headers })
    assert.deepEqual([status, JSON.parse(String(bytes)).message], [404, 'Not Found - OPTIONS /i/fox/real.png'])
    const found = await proxy.get('/i/fox/real.png', { headers: { origin: 'https://page.example' } })
    assert.deepEqual([found.status, found.headers['access-control-allow-origin']], [200, '*'])
  })

  it('with CORS_ORIGINS a preflight is answered, and an image as without', async () => {
    const page = 'https://page.example'
    const { service, place, put } = await open(folder, { CORS_ORIGINS: page })
    await put('fox/a.png', small)
    const asking = { origin: page, 'access-control-request-method': 'GET' }
    const preflight = await get(service.port, '/i/fox/a.png', { method: 'OPTIONS', headers: asking })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers['access-control-allow-origin'], page)
    assert.equal(preflight.headers['access-control-allow-methods'], 'GET, HEAD')
    for (const origin of [page, 'https://other.example']) {
      const found = await get(service.port, '/i/fox/a.png', { headers: { origin } })
      assert.deepEqual([found.status, found.headers['access-control-allow-origin']], [200, '*'])
      assert.equal(found.headers.vary, undefined)
      assert.deepEqual(told(await get(service.port, '/i/fox/nowhere', { headers: { origin } })), notFound)
    }
    await service.close()
    await place.drop()
  })
})
