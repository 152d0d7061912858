import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { s3Times } from '../../../../src/drivers/objects/s3/times.ts'
import { fakeClock } from '../../../support/clock.ts'
import { type Fault, ScriptedS3 } from '../../../support/scripted-s3.ts'
import { isFullSize } from '../../../support/size.ts'
import {
  bucket,
  isNonsense,
  isUnavailable,
  listening,
  opened,
  openStore,
  outcomeOf,
  place,
  shortTimes,
  small,
  stage,
  until,
  whole,
} from './s3-stage.ts'

const bytes = small

/** Refused without an attempt, since the store is known to be away. */
const isRefusedAtOnce = (error: unknown) =>
  isUnavailable(error) && /a moment ago/.test(((error as Error).cause as Error).message)

describe('A response', () => {
  const portals: readonly [string, Fault][] = [
    ['a page to log in', { kind: 'html' }],
    ['an error with the status of success', { kind: 'junk-xml' }],
    ['a refusal', { kind: 'status', status: 403 }],
    ['the 404 of another web server', { kind: 'status', status: 404, body: '<h1>Not found</h1>', type: 'text/html' }],
  ]
  for (const [what, fault] of portals) {
    it(`that is ${what} is an error everywhere, and neither an object nor its absence`, async () => {
      const { s3, store } = await stage()
      const version = await store.head(place)
      assert.ok(version)
      s3.always(fault)
      await assert.rejects(store.read(place), isNonsense)
      await assert.rejects(store.head(place), isNonsense)
      await assert.rejects(store.readRange(place, version, { first: 0, last: 9 }), isNonsense)
      await assert.rejects(store.remove(place), isNonsense)
      await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false })), isNonsense)
      s3.heal()
      assert.ok((await whole(store)).equals(bytes))
    })
  }

  it('that is an empty success is neither an object nor a listing', async () => {
    const { s3, store } = await stage()
    s3.always({ kind: 'status', status: 200, body: '' })
    await assert.rejects(store.read(place), isNonsense)
    await assert.rejects(store.head(place), isNonsense)
    await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false })), isNonsense)
  })

  it('that redirects is not followed', async () => {
    const { s3, store } = await stage()
    const other = await ScriptedS3.open(bucket)
    other.put(bucket, place.name, 'another one')
    for (const status of [301, 302, 307, 308]) {
      s3.always({ kind: 'redirect', to: `${other.endpoint}/${bucket}/${place.name}`, status })
      await assert.rejects(store.read(place), /redirects/)
      await assert.rejects(store.head(place), /redirects/)
      await assert.rejects(store.remove(place), /redirects/)
      await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false })), /redirects/)
      await assert.rejects(store.check(bucket), /redirects/)
    }
    assert.equal(other.requests.length, 0)
  })

  it("that names the bucket's region is reported without secrets", async () => {
    const { s3, store } = await stage()
    s3.always({ kind: 'status', status: 301, headers: { 'x-amz-bucket-region': 'eu-west-3' } })
    await assert.rejects(store.read(place), (error: Error) => {
      assert.match(error.message, /301.*eu-west-3/)
      assert.doesNotMatch(JSON.stringify({ ...error, text: error.stack }), /secret-words|Signature=/)
      return true
    })
  })

  it("may have any headers beside an object's own", async () => {
    const { s3, store } = await stage()
    const headers = [
      ['Set-Cookie', 'a=b'],
      ['Access-Control-Allow-Origin', 'https://evil.example'],
      ['Location', 'https://evil.example'],
      ['Content-Disposition', 'inline'],
    ] as const
    s3.always({ kind: 'hostile-headers', headers })
    const reading = await opened(store)
    assert.deepEqual(Object.keys(reading.head).sort(), ['etag', 'modified', 'size', 'type'])
    assert.ok((await reading.whole()).equals(bytes))
  })

  it('with two lengths, two ETags, or a length and a transfer encoding is refused', async () => {
    const { s3, store } = await stage()
    for (const header of [
      ['Content-Length', '5'],
      ['ETag', '"other"'],
      ['Transfer-Encoding', 'chunked'],
    ] as const) {
      s3.next({ kind: 'hostile-headers', headers: [header] })
      await assert.rejects(store.read(place), isNonsense, header[0])
    }
  })
})

describe('A listing', () => {
  it('that never ends is aborted', async () => {
    const { s3, store } = await stage()
    for (const [tokens, kind] of [
      [['same'], 'one token'],
      [['a', 'b', 'c'], 'a circle of tokens'],
    ] as const) {
      let asked = 0
      const page = () =>
        `<ListBucketResult><Name>${bucket}</Name><IsTruncated>true</IsTruncated><NextContinuationToken>${
          tokens[asked++ % tokens.length]
        }</NextContinuationToken></ListBucketResult>`
      for (let count = 0; count < 40; count++) s3.next({ kind: 'status', status: 200, body: page() })
      await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false })), /never ends/, kind)
      s3.heal()
    }
  })

  it('that repeats names with ever new tokens is aborted, after a bounded number of pages', async () => {
    const { s3, store } = await stage()
    const object = (name: string) =>
      `<Contents><Key>${name}</Key><LastModified>2026-06-01T12:00:00Z</LastModified><ETag>"a"</ETag><Size>1</Size></Contents>`
    const folder = (name: string) => `<CommonPrefixes><Prefix>${name}/</Prefix></CommonPrefixes>`
    for (const [inner, max] of [
      [[object('fox/a')], 3],
      [[object('fox/a'), object('fox/b') + object('fox/c'), object('fox/d'), folder('fox/e')], 20],
      ...(isFullSize ? [[[folder('fox/a'), folder('fox/b')], 1_010] as const] : []),
    ] as const) {
      s3.heal()
      for (let count = 0; count < max; count++)
        s3.next({
          kind: 'status',
          status: 200,
          body: `<ListBucketResult><Name>${bucket}</Name><IsTruncated>true</IsTruncated><NextContinuationToken>${count}</NextContinuationToken>${inner[count % inner.length]}</ListBucketResult>`,
        })
      const pages = store.list(bucket, { prefix: '', isFlat: true })
      await assert.rejects(Array.fromAsync(pages), /never ends/, inner.join())
    }
  })

  it('without its token, or with other keys than requested, is an error', async () => {
    const { s3, store } = await stage()
    const object = '<Key>fox/a</Key><LastModified>2026-06-01T12:00:00Z</LastModified><ETag>"a"</ETag><Size>1</Size>'
    for (const inner of [
      '<IsTruncated>true</IsTruncated>',
      `<IsTruncated>false</IsTruncated><Contents>${object}</Contents>`,
      '<IsTruncated>false</IsTruncated><Contents><Key>cat/a</Key></Contents>',
      '',
    ]) {
      const body = `<ListBucketResult><Name>${bucket}</Name>${inner}</ListBucketResult>`
      s3.next({ kind: 'status', status: 200, body })
      await assert.rejects(Array.fromAsync(store.list(bucket, { prefix: 'cat/', isFlat: false })), isNonsense, inner)
    }
  })

  it('retries a page that failed for a moment', async () => {
    const { s3, store } = await stage()
    s3.next({ kind: 'status', status: 503 })
    const [page] = await Array.fromAsync(store.list(bucket, { prefix: '', isFlat: false }))
    assert.equal(page?.[0]?.name, place.name)
  })
})

describe('A store that is busy', () => {
  const sleepless = { sleep: async () => {} }

  it('is asked at most twice more, and only by idempotent requests', async () => {
    const { s3, store } = await stage(sleepless)
    for (const status of [429, 500, 503]) {
      s3.always({ kind: 'status', status })
      for (const [act, expected] of [
        [() => store.read(place), 3],
        [() => store.head(place), 3],
        [() => store.check(bucket), 3],
        [() => store.remove(place), 1],
      ] as const) {
        const before = s3.requests.length
        await assert.rejects(act(), isNonsense)
        assert.equal(s3.requests.length - before, expected)
      }
    }
    s3.always({ kind: 'status', status: 403 })
    const before = s3.requests.length
    await assert.rejects(store.read(place))
    assert.equal(s3.requests.length - before, 1)
  })

  it('in a third of its responses gets at most half as many requests again', async () => {
    const { s3, store } = await stage(sleepless)
    let count = 0
    s3.always({ kind: 'status', status: 503 }, () => ++count % 10 < 3)
    const reads = 200
    for (let read = 0; read < reads; read++) await whole(store).catch(() => {})
    assert.ok(s3.requests.length <= 1.5 * reads, String(s3.requests.length))
  })

  it('gets a pause of random length before a retry', async () => {
    const slept: number[] = []
    const sleep = async (ms: number) => void slept.push(ms)
    const { s3, store } = await stage({ sleep, random: () => 0.5 })
    s3.always({ kind: 'status', status: 503 })
    await assert.rejects(store.read(place))
    assert.deepEqual(slept, [25, 50])
  })

  it('that resets a connection before its response is retried', async () => {
    const { s3, store } = await stage(sleepless)
    for (let count = 0; count < 2; count++) s3.next({ kind: 'lost-answer' })
    assert.ok((await whole(store)).equals(bytes))
    assert.equal(s3.requests.length, 3)
  })

  it('is not considered away', async () => {
    const { s3, store } = await stage(sleepless)
    s3.always({ kind: 'status', status: 503 })
    for (let count = 0; count < 5; count++) await assert.rejects(store.read(place), isNonsense)
    s3.heal()
    assert.ok((await whole(store)).equals(bytes))
  })
})

describe('A store that is away', () => {
  it('fails soon, then at once, and recovers', async () => {
    const clock = fakeClock(Date.now())
    const { s3, store } = await stage({ clock })
    await whole(store)
    await s3.stop()
    assert.ok(isUnavailable(await outcomeOf(store.read(place))))
    for (const act of [() => store.read(place), () => store.head(place), () => store.remove(place)]) {
      const outcome = await outcomeOf(act())
      assert.ok(isRefusedAtOnce(outcome), String(outcome))
    }
    await s3.start()
    clock.advance(s3Times.breakerOpenMs)
    await whole(store)
  })

  it('because its name does not resolve fails', async () => {
    const { store } = await openStore('http://nowhere.invalid', { clock: fakeClock() })
    assert.ok(isUnavailable(await outcomeOf(store.read(place))))
    assert.ok(isRefusedAtOnce(await outcomeOf(store.head(place))))
  })

  it('that accepts connections and never responds times out, within the maximum of sockets', async () => {
    const { s3, store } = await stage({ times: { ...shortTimes, waitMs: 5_000 } })
    s3.always({ kind: 'silent' })
    const all = await Promise.all(Array.from({ length: 200 }, () => outcomeOf(store.read(place))))
    for (const outcome of all) assert.ok(isUnavailable(outcome), String(outcome))
    assert.ok(s3.mostSockets <= 48, String(s3.mostSockets))
    await until(() => s3.openSockets === 0)
  })

  it('that cannot be connected to times out, and is aborted by callers who leave', async () => {
    const sockets = new Set<Socket>()
    const port = await listening((socket) => {
      sockets.add(socket)
      socket.resume().on('close', () => sockets.delete(socket))
    })
    // TLS, which waits for the server's first message.
    const { store } = await openStore(`https://127.0.0.1:${port}`, { times: { ...shortTimes, connectMs: 200 } })
    assert.ok(isUnavailable(await outcomeOf(store.read(place))))
    await until(() => sockets.size === 0)

    const resumable = await openStore(`https://127.0.0.1:${port}`, { times: {} })
    const giveUp = new AbortController()
    const reading = resumable.store.read(place, giveUp.signal)
    await until(() => sockets.size === 1)
    giveUp.abort(new Error('The visitor left'))
    await assert.rejects(reading, /The visitor left/)
    await until(() => sockets.size === 0)
  })

  it('that does not speak HTTP is an error', async () => {
    const port = await listening((socket) => socket.end('SSH-2.0-OpenSSH_9.7\r\n'))
    const { store } = await openStore(`http://127.0.0.1:${port}`)
    await assert.rejects(store.read(place))
    await assert.rejects(store.check(bucket))
  })
})

describe('The sockets', () => {
  it('are at most 48 for reads, and further reads wait', async () => {
    const { s3, store } = await stage({ times: {} })
    s3.put(bucket, place.name, Buffer.alloc(4_000))
    s3.always({ kind: 'slow', bytesPerSecond: 40_000 })
    const all = await Promise.all(Array.from({ length: 200 }, () => whole(store)))
    assert.ok(all.every(({ length }) => length === 4_000))
    assert.ok(s3.mostSockets <= 48, String(s3.mostSockets))
  })

  it('are not taken by callers who time out or leave', async () => {
    const { s3, store } = await stage()
    s3.put(bucket, place.name, bytes)
    s3.always({ kind: 'stall', after: 1_000 })
    const readings = await Promise.all(Array.from({ length: 48 }, () => opened(store)))
    const giveUp = new AbortController()
    const leaving = store.read(place, giveUp.signal)
    const late = outcomeOf(store.read(place))
    giveUp.abort(new Error('The visitor left'))
    await assert.rejects(leaving, /The visitor left/)
    for (const reading of readings) reading.discard()
    s3.heal()
    assert.equal(await late, null)
  })
})
