import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { before, beforeEach, describe, it } from 'node:test'
import { type Fault, ScriptedS3 } from '../../../support/scripted-s3.ts'

const cat = Buffer.from('a picture of a cat, as far as anybody knows')

describe('the scripted S3', () => {
  let store: ScriptedS3
  before(async () => {
    store = await ScriptedS3.open('pets')
  })
  beforeEach(() => {
    store.heal()
    store.objects.set('pets', new Map())
    store.put('pets', 'a/cat.png', cat, { type: 'image/png', modified: new Date('2026-01-02T03:04:05Z') })
  })

  const ask = (path: string, init?: RequestInit) => fetch(`${store.endpoint}/${path}`, { redirect: 'manual', ...init })
  const tell = (fault: Fault, path = 'pets/a/cat.png', init?: RequestInit) => {
    store.next(fault)
    return ask(path, init)
  }

  /** Everything that comes over the wire until the other side ends it. */
  async function wire(path: string): Promise<string> {
    const socket = connect(store.port, '127.0.0.1')
    socket.write(`GET /${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    return (await buffer(socket)).toString('latin1')
  }

  it('keeps what is put, and gives it back with what S3 says of it', async () => {
    const put = await ask('pets/b%20c.txt', { method: 'PUT', body: 'hello', headers: { 'Content-Type': 'text/x' } })
    assert.equal(put.headers.get('etag'), '"5d41402abc4b2a76b9719d911017c592"')
    assert.equal(store.objects.get('pets')?.get('b c.txt')?.type, 'text/x')

    const got = await ask('pets/a/cat.png')
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), cat)
    assert.equal(got.headers.get('content-type'), 'image/png')
    assert.equal(got.headers.get('last-modified'), 'Fri, 02 Jan 2026 03:04:05 GMT')
    assert.equal(got.headers.get('accept-ranges'), 'bytes')
    const head = await ask('pets/a/cat.png', { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(cat.length))
    assert.equal(head.headers.get('etag'), got.headers.get('etag'))

    assert.equal((await ask('pets/a/cat.png', { method: 'DELETE' })).status, 204)
    const gone = await ask('pets/a/cat.png')
    assert.equal(gone.status, 404)
    assert.match(await gone.text(), /<Code>NoSuchKey<\/Code>/)
    assert.match(await (await ask('plants/a')).text(), /<Code>NoSuchBucket<\/Code>/)
    assert.equal((await ask('pets', { method: 'HEAD' })).status, 200)
    assert.equal((await ask('plants', { method: 'HEAD' })).status, 404)
  })

  it('gives a part when it is asked for one', async () => {
    for (const [range, part, name] of [
      ['bytes=2-8', cat.subarray(2, 9), 'bytes 2-8/43'],
      ['bytes=40-', cat.subarray(40), 'bytes 40-42/43'],
      ['bytes=-5', cat.subarray(38), 'bytes 38-42/43'],
    ] as const) {
      const got = await ask('pets/a/cat.png', { headers: { Range: range } })
      assert.equal(got.status, 206)
      assert.equal(got.headers.get('content-range'), name)
      assert.deepEqual(Buffer.from(await got.arrayBuffer()), part)
    }
    assert.equal((await ask('pets/a/cat.png', { headers: { Range: 'bytes=43-' } })).status, 416)
  })

  it('lists in pages, in the order of the bytes, and every entry once', async () => {
    for (const key of ['a/dog', 'a/deep/1', 'a/deep/2', 'a/é & <b>', 'a/\u{1f408}', 'a/\ufb01', 'b'])
      store.put('pets', key, key)
    const pages: string[][] = []
    let token = ''
    do {
      const query = new URLSearchParams({ 'list-type': '2', prefix: 'a/', delimiter: '/', 'max-keys': '2' })
      query.set('encoding-type', 'url')
      if (token) query.set('continuation-token', token)
      const list = await (await ask(`pets?${query}`)).text()
      pages.push([...list.matchAll(/<(?:Key|CommonPrefixes><Prefix)>([^<]*)</g)].map(([, name]) => String(name)))
      token = /<NextContinuationToken>([^<]*)</.exec(list)?.[1] ?? ''
      assert.equal(/<IsTruncated>true</.test(list), token !== '')
    } while (token)
    assert.deepEqual(
      pages.map((page) => page.map((name) => decodeURIComponent(name.replaceAll('+', ' ')))),
      [
        // First come the objects of a page, then what stands for many.
        ['a/cat.png', 'a/deep/'],
        ['a/dog', 'a/é & <b>'],
        ['a/\ufb01', 'a/\u{1f408}'],
      ],
    )
    const rest = await (await ask('pets?list-type=2&start-after=a/dog&prefix=a/%C3%A9')).text()
    assert.match(rest, /<KeyCount>1<.*<Key>a\/é &amp; &lt;b&gt;<\/Key>/)
  })

  it('breaks off in the middle when told to, with an end or with a reset', async () => {
    for (const how of ['end', 'reset'] as const) {
      const cut = await tell({ kind: 'truncate', after: 10, how })
      assert.equal(cut.headers.get('content-length'), String(cat.length))
      await assert.rejects(cut.arrayBuffer())
    }
    store.next({ kind: 'truncate', after: 10, how: 'end' })
    assert.match(await wire('pets/a/cat.png'), /\r\n\r\na picture $/)
    store.next({ kind: 'truncate', after: 10, how: 'reset' })
    await assert.rejects(wire('pets/a/cat.png'), { code: 'ECONNRESET' })
    assert.equal(store.requests.at(-1)?.end, 'cut')
    assert.equal((await ask('pets/a/cat.png')).status, 200)
  })

  it('lies about lengths when told to', async () => {
    store.next({ kind: 'too-long', extra: 4 })
    const long = await wire('pets/a/cat.png')
    assert.match(long, /\r\nContent-Length: 43\r\n/)
    assert.equal(long.split('\r\n\r\n')[1], `${cat}xxxx`)
    store.next({ kind: 'too-short-length', by: 3 })
    const short = await wire('pets/a/cat.png')
    assert.match(short, /\r\nContent-Length: 40\r\n/)
    assert.equal(short.split('\r\n\r\n')[1], `${cat}`)
    const chunked = await tell({ kind: 'no-length' })
    assert.equal(chunked.headers.get('content-length'), null)
    assert.equal((await chunked.arrayBuffer()).byteLength, cat.length)
  })

  it('answers in the store’s place as a proxy or a portal would, and then does nothing', async () => {
    const slow = await tell({ kind: 'status', status: 503, headers: { 'Retry-After': '1' } })
    assert.deepEqual([slow.status, slow.headers.get('retry-after')], [503, '1'])
    assert.match(await slow.text(), /<Code>SlowDown<\/Code>/)
    const own = await tell({ kind: 'status', status: 502, body: 'Bad Gateway', type: 'text/plain' })
    assert.deepEqual([own.headers.get('content-type'), await own.text()], ['text/plain', 'Bad Gateway'])
    const page = await tell({ kind: 'html' }, 'pets/new', { method: 'PUT', body: 'new' })
    assert.deepEqual([page.status, page.headers.get('etag')], [200, null])
    assert.equal(store.objects.get('pets')?.has('new'), false)
    const moved = await tell({ kind: 'redirect', to: 'http://localhost:1/', status: 301 })
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, 'http://localhost:1/'])
    const list = await (await tell({ kind: 'junk-xml' }, 'pets?list-type=2')).text()
    assert.match(list, /^<\?xml/)
    assert.doesNotMatch(list, /<\/ListBucketResult>/)
    const junk = await tell({ kind: 'junk-xml' })
    assert.equal(junk.status, 200)
    assert.match(await junk.text(), /<Error>/)
  })

  it('adds headers as they are, and another ETag to an upload', async () => {
    store.next({
      kind: 'hostile-headers',
      headers: [
        ['Set-Cookie', 'a=1'],
        ['X-Odd', 'caf\xe9\x01'],
        ['Content-Length', '1'],
      ],
    })
    const raw = await wire('pets/a/cat.png')
    assert.ok(
      raw.includes('\r\nContent-Length: 43\r\nSet-Cookie: a=1\r\nX-Odd: caf\xe9\x01\r\nContent-Length: 1\r\n'),
      raw,
    )
    assert.ok(raw.endsWith(`\r\n\r\n${cat}`))
    store.next({ kind: 'wrong-etag' })
    const got = await ask('pets/a/cat.png')
    assert.equal(got.headers.get('etag'), store.objects.get('pets')?.get('a/cat.png')?.etag)
    const put = await ask('pets/new', { method: 'PUT', body: 'new' })
    assert.notEqual(put.headers.get('etag'), store.objects.get('pets')?.get('new')?.etag)
  })

  it('falls silent, before its answer or within it', async () => {
    const stop = new AbortController()
    const arrived = store.arrival()
    const silent = tell({ kind: 'silent' }, undefined, { signal: stop.signal })
    const request = await arrived
    assert.deepEqual([request.operation, request.end, store.inFlight], ['get', null, 1])

    const stalled = await tell({ kind: 'stall', after: 9 }, undefined, { signal: stop.signal })
    const reader = stalled.body?.getReader()
    assert.equal((await reader?.read())?.value?.length, 9)
    assert.equal(store.inFlight, 2)
    assert.ok(store.mostInFlight >= 2 && store.openSockets >= 2 && store.mostSockets >= store.openSockets)
    stop.abort()
    await assert.rejects(silent, { name: 'AbortError' })
    await assert.rejects(async () => reader?.read(), { name: 'AbortError' })
  })

  it('waits for a promise, and drips', async () => {
    const gate = Promise.withResolvers<void>()
    const arrived = store.arrival(({ operation }) => operation === 'put')
    const held = tell({ kind: 'hold', until: gate.promise }, 'pets/late', { method: 'PUT', body: 'late' })
    await arrived
    assert.equal(store.objects.get('pets')?.has('late'), false)
    gate.resolve()
    assert.equal((await held).status, 200)
    assert.equal(store.objects.get('pets')?.has('late'), true)
    assert.equal(await (await tell({ kind: 'slow', bytesPerSecond: 400 })).text(), String(cat))
  })

  it('resets an upload on its way, or after it is done', async () => {
    const init = { method: 'PUT', body: Buffer.alloc(1_000_000) }
    await assert.rejects(tell({ kind: 'reset-on-put', after: 1000 }, 'pets/new', init))
    const seen = store.requests.at(-1)
    assert.ok(seen && seen.received >= 1000 && seen.end === 'cut')
    assert.equal(store.objects.get('pets')?.has('new'), false)
    await assert.rejects(tell({ kind: 'lost-answer' }, 'pets/new', init))
    assert.equal(store.objects.get('pets')?.get('new')?.bytes.length, 1_000_000)
  })

  it('does wrong to the requests that it was told about, once or always', async () => {
    store.always({ kind: 'status', status: 500 }, ({ key }) => key === 'a/cat.png')
    store.next({ kind: 'status', status: 503 }, ({ method }) => method === 'HEAD')
    assert.equal((await ask('pets/a/cat.png')).status, 500)
    assert.equal((await ask('pets/a/cat.png', { method: 'HEAD' })).status, 503)
    assert.equal((await ask('pets/a/cat.png', { method: 'HEAD' })).status, 500)
    assert.equal((await ask('pets?list-type=2')).status, 200)
    store.always(null)
    assert.equal((await ask('pets/a/cat.png')).status, 200)
    const last = store.requests.at(-1)
    assert.deepEqual(
      [last?.method, last?.path, last?.bucket, last?.key],
      ['GET', '/pets/a/cat.png', 'pets', 'a/cat.png'],
    )
  })

  it('goes away in the middle of an answer, and comes back at the same place with its objects', async () => {
    const stalled = await tell({ kind: 'stall', after: 5 })
    await store.stop()
    assert.equal(store.openSockets, 0)
    await assert.rejects(stalled.text())
    const refused = connect(store.port, '127.0.0.1')
    const [error] = await once(refused, 'error')
    assert.equal(error.code, 'ECONNREFUSED')
    await store.start()
    assert.equal(await (await ask('pets/a/cat.png')).text(), String(cat))
    assert.equal(store.inFlight, 0)
  })
})
