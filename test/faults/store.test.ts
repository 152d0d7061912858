import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { after, describe, it } from 'node:test'
import type { Catalogue } from '../../src/images/catalogue.ts'
import { kinds } from '../contract.ts'
import { type Asking, type Got, get, readSlowly, until } from '../images/client.ts'
import { atEnd } from '../support/at-end.ts'
import { fakeClock } from '../support/clock.ts'
import { patientTimes, shortTimes } from '../support/s3-times.ts'
import { type Fault, type Filter, ScriptedS3 } from '../support/scripted-s3.ts'
import { storedObject } from '../support/scripted-s3-answers.ts'
import { startService } from '../support/service.ts'
import { sized, someOf } from '../support/size.ts'

const keys = {
  S3_ACCESS_KEY_ID: 'key-of-the-store',
  S3_SECRET_ACCESS_KEY: 'secret-of-the-store',
  S3_SESSION_TOKEN: 'session-of-the-store',
}
const owner = { username: 'keeper', password: 'correct horse of the keeper' }
const small = randomBytes(100_000)
const large = randomBytes(9_000_000)
const [smallPath, largePath] = ['/i/fox/small.png', '/i/bird/large.png']
const images = [
  ['fox/small.png', storedObject(small, { type: 'image/png' })],
  ['bird/large.png', storedObject(large, { type: 'image/png' })],
] as const
const notFound = '{"status":404,"message":"Image not found"}'

const unhandled: unknown[] = []
process.on('unhandledRejection', (reason) => unhandled.push(reason))
process.on('warning', (warning) => unhandled.push(warning))
after(() => assert.deepEqual(unhandled, []))

interface Options {
  readonly env?: Record<string, string>
  /** The store is refused until it is started. */
  readonly isAway?: boolean
}

async function stage({ env = {}, isAway = false }: Options = {}) {
  const s3 = await ScriptedS3.open('images')
  s3.objects.set('images', new Map(images))
  if (isAway) await s3.stop()
  const clock = fakeClock(Date.now())
  const times = { ...patientTimes }
  let catalogue: Catalogue | undefined
  const service = await startService({
    env: {
      ...keys,
      S3_ENDPOINT: s3.endpoint,
      OWNER_USERNAME: owner.username,
      OWNER_PASSWORD: owner.password,
      ...env,
    },
    overrides: {
      clock,
      images: {
        storeTimes: times,
        // Requests are counted.
        readsShapes: false,
        catalogue(real) {
          catalogue = real
          return real
        },
      },
    },
  })
  const close = atEnd(async () => {
    const log = JSON.stringify(service.logged())
    for (const secret of [...Object.values(keys), 'AWS4-HMAC', owner.password]) assert.ok(!log.includes(secret), secret)
    await service.close()
    await s3.close()
    assert.equal(s3.openSockets, 0)
  })
  const isListed = () => kinds.every((kind) => catalogue?.isComplete(kind))
  if (!isAway) await until(isListed)
  const { body } = await service.login(owner.username, owner.password)
  return {
    s3,
    service,
    clock,
    times,
    isListed,
    close,
    token: body.accessToken as string,
    get: (path: string, asking?: Asking) => get(service.port, path, asking),
    random: (kind: string) => service.request('GET', `/images/${kind}/random`, { token: body.accessToken }),
    upload: (name: string, bytes: Uint8Array, bucket = 'images') =>
      service.request('POST', `/admin/s3/upload?bucketName=${bucket}&objectName=${name}`, {
        token: body.accessToken,
        headers: { 'content-type': 'image/png' },
        body: bytes,
      }),
    /** Why images could not be served. */
    reasons: () => service.logged().filter(({ msg }) => msg === 'an image could not be served'),
  }
}

type Stage = Awaited<ReturnType<typeof stage>>

const ofObjects: Filter = ({ operation }) => operation === 'get' || operation === 'head'
const requestsOf = ({ s3 }: Stage) => s3.requests.filter(ofObjects).length

function assertNotFound({ status, headers, bytes, isWhole }: Got, what = '') {
  assert.deepEqual([status, String(bytes), isWhole, headers['cache-control']], [404, notFound, true, 'no-store'], what)
  assert.match(headers['content-security-policy'] ?? '', /sandbox/)
}

function assertServed({ status, bytes, isWhole }: Got, expected: Buffer, what = '') {
  assert.deepEqual([status, isWhole, bytes.equals(expected)], [200, true, true], what)
}

/** The head announces the whole image and less follows, so no client takes it for the image. */
function assertBroken({ status, headers, bytes, isWhole }: Got, expected: Buffer, what = '') {
  assert.deepEqual([status, isWhole], [200, false], what)
  assert.ok(Number(headers['content-length']) > 0)
  assert.ok(bytes.equals(expected.subarray(0, bytes.length)), what)
}

/** Advances the clock until the store has been asked again, and has answered. */
async function untilServed({ get, clock }: Stage, path: string, expected: Buffer) {
  for (let tries = 1; ; tries++) {
    const found = await get(path)
    if (found.status === 200 || tries === 1_000) return assertServed(found, expected)
    clock.advance(1_000)
  }
}

describe('While the store refuses connections', { concurrency: true }, () => {
  it('random uses the last list, cached images are served, and any other is 404', async () => {
    const here = await stage()
    assertServed(await here.get(smallPath), small)
    await here.s3.stop()
    here.clock.advance(3_600_000)
    for (let turns = 0; turns < 3; turns++) {
      assertServed(await here.get(smallPath), small)
      const range = await here.get(smallPath, { headers: { range: 'bytes=1-2' } })
      assert.deepEqual([range.status, range.bytes], [206, small.subarray(1, 3)])
      for (const asking of [{}, { headers: { range: 'bytes=0-0' } }]) assertNotFound(await here.get(largePath, asking))
      assert.equal((await here.get(largePath, { method: 'HEAD' })).status, 404)
      for (const [kind, name] of [
        ['fox', 'fox/small.png'],
        ['bird', 'bird/large.png'],
      ] as const)
        assert.equal((await here.random(kind)).body.name, name)
      here.clock.advance(1_000)
    }
    assert.match(JSON.stringify(here.reasons()[0]), /the object store is not reachable/)
  })

  it('it is not tried for a while, and then used again without a restart', async () => {
    const here = await stage()
    await here.s3.stop()
    assertNotFound(await here.get(smallPath))
    await here.s3.start()
    const before = requestsOf(here)
    for (const path of [smallPath, largePath]) assertNotFound(await here.get(path))
    assert.equal(requestsOf(here), before, 'not asked')
    await untilServed(here, smallPath, small)
    await untilServed(here, largePath, large)
  })

  it('a service can start, and has the images when the store is back', async () => {
    const here = await stage({ isAway: true, env: { CATALOGUE_REFRESH_SECONDS: '1' } })
    assertNotFound(await here.get(smallPath))
    assert.equal((await here.service.request('GET', '/health')).status, 200)
    await here.s3.start()
    while (!here.isListed()) {
      here.clock.advance(1_000)
      await untilServed(here, smallPath, small)
    }
    assert.equal((await here.random('bird')).body.name, 'bird/large.png')
  })

  it('a bucket to be created is created when the store is back, and accepts images', async () => {
    const here = await stage({ isAway: true, env: { S3_BUCKET: 'later', S3_CREATE_BUCKET: 'true' } })
    await here.s3.start()
    here.clock.advance(1_500)
    await until(() => here.s3.objects.has('later'))
    assert.equal((await here.upload('fox/new.png', small, 'later')).status, 200)
    assertServed(await here.get('/i/fox/new.png'), small)
  })

  it('a service that creates its bucket is ready only once the bucket exists', async () => {
    const s3 = await ScriptedS3.open('images')
    const env = { ...keys, S3_ENDPOINT: s3.endpoint, S3_BUCKET: 'fresh', S3_CREATE_BUCKET: 'true' }
    const { request } = await startService({ env, overrides: { images: { storeTimes: patientTimes } } })
    // On a busy machine the first check may have timed out.
    await until(async () => (await request('GET', '/ready')).body.checks.objectStore === 'up')
    assert.ok(s3.objects.has('fresh'))
  })

  it('because its name does not resolve, a service starts, and images are 404', async () => {
    const here = await stage({ isAway: true, env: { S3_ENDPOINT: 'http://nowhere.invalid:9' } })
    assertNotFound(await here.get(smallPath))
  })
})

describe('While the store does not answer', () => {
  it('other routes are answered, images time out as 404, and then it is not asked for a while', async () => {
    const here = await stage()
    // Not even a probe: its response would close the circuit breaker.
    here.s3.always({ kind: 'silent' })
    Object.assign(here.times, shortTimes)
    const arrived = here.s3.arrival(ofObjects)
    const asked = [here.get(smallPath), here.get(largePath), here.get(smallPath, { method: 'HEAD' })]
    await arrived
    assert.equal((await here.service.request('GET', '/health')).status, 200)
    assert.equal((await here.random('fox')).status, 200)
    const [one, other, head] = await Promise.all(asked)
    assertNotFound(one as Got)
    assertNotFound(other as Got)
    assert.equal(head?.status, 404)
    await until(() => here.s3.inFlight === 0)
    const before = requestsOf(here)
    assertNotFound(await here.get(smallPath))
    assert.equal(requestsOf(here), before)
    here.s3.heal()
    Object.assign(here.times, patientTimes)
    await untilServed(here, smallPath, small)
  })

  it('and hundreds of clients ask, it gets at most its maximum of sockets, and each client is answered', async () => {
    const here = await stage()
    here.s3.always({ kind: 'silent' }, ofObjects)
    Object.assign(here.times, shortTimes)
    const asked = Array.from({ length: sized(100, 300) }, (_, index) => here.get(`/i/fox/${index}.png`))
    for (const each of await Promise.all(asked)) assertNotFound(each)
    assert.ok(here.s3.mostSockets <= 64, String(here.s3.mostSockets))
    await until(() => here.s3.inFlight === 0)
  })
})

describe('A body that the store', { concurrency: true }, () => {
  const truncated = [0, 50_000].flatMap((after) =>
    (['end', 'reset'] as const).map((how): [string, Fault] => [
      `ends after ${after} bytes by ${how}`,
      { kind: 'truncate', after, how },
    ]),
  )
  const wrong: readonly (readonly [string, Fault])[] = [
    ...truncated,
    ['leaves unfinished', { kind: 'stall', after: 50_000 }],
    ['leaves unbegun', { kind: 'stall', after: 0 }],
    ['sends without a length', { kind: 'no-length' }],
  ]
  for (const [what, fault] of someOf(2, wrong))
    it(`${what} never becomes an image: a small one is 404, a large one is cut off, and none is cached`, async () => {
      const here = await stage()
      here.s3.always(fault, ({ operation }) => operation === 'get')
      Object.assign(here.times, shortTimes)
      for (let turns = 0; turns < 2; turns++) {
        assertNotFound(await here.get(smallPath))
        const found = await here.get(largePath)
        if (found.status === 404) assertNotFound(found)
        else assertBroken(found, large)
        const part = await here.get(largePath, { headers: { range: 'bytes=100000-8999999' } })
        if (part.status === 404) assertNotFound(part)
        else assert.deepEqual([part.status, part.isWhole], [206, false])
      }
      assert.equal(here.reasons().length >= 2, true)
      await until(() => here.s3.inFlight === 0)
      here.s3.heal()
      Object.assign(here.times, patientTimes)
      await untilServed(here, smallPath, small)
      assertServed(await here.get(largePath), large)
    })

  it('makes longer than its length is never cached as an image: data after the end may arrive too late to be noticed', async () => {
    const here = await stage()
    here.s3.always({ kind: 'too-long', extra: 10 }, ({ operation }) => operation === 'get')
    for (const [path, image] of [
      [smallPath, small],
      [largePath, large],
    ] as const) {
      const found = await here.get(path)
      if (found.status === 404) assertNotFound(found)
      else if (found.isWhole) assertServed(found, image)
      else assertBroken(found, image)
    }
    await until(() => here.s3.inFlight === 0)
  })

  for (const by of someOf(1, [1, 20_000]))
    it(`announces with ${by} bytes fewer than it listed is a 404, for HEAD too, with the reason in the log`, async () => {
      const here = await stage()
      here.s3.always({ kind: 'too-short-length', by }, ofObjects)
      for (const path of [smallPath, largePath]) {
        assertNotFound(await here.get(path))
        assert.equal((await here.get(path, { method: 'HEAD' })).status, 404)
        assertNotFound(await here.get(path, { headers: { range: 'bytes=0-9' } }))
      }
      assert.match(JSON.stringify(here.reasons()[0]), /announced \d+ bytes of an object that it had announced with \d+/)
      here.s3.heal()
      assertServed(await here.get(smallPath), small)
      assertServed(await here.get(largePath), large)
    })

  it('breaks off halfway is logged, and reset for an HTTP/1.0 client', async () => {
    const here = await stage()
    here.s3.always({ kind: 'truncate', after: 5_000_000, how: 'end' }, ({ operation }) => operation === 'get')
    assertBroken(await here.get(largePath), large)
    const lines = here.service.logged().filter(({ path }) => path === largePath)
    assert.ok(lines.some(({ msg, level }) => msg === 'request failed' && level === 'error'))
    assert.ok(lines.some(({ msg, error }) => msg === 'request' && error === 'the response broke off'))
    const socket = connect({ port: here.service.port, host: '127.0.0.1' })
    socket.write(`GET ${largePath} HTTP/1.0\r\n\r\n`)
    await assert.rejects(socket.toArray(), { code: 'ECONNRESET' })
  })

  it('sends slowly but steadily is served', async () => {
    const here = await stage()
    const image = randomBytes(50_000)
    here.s3.put('images', 'hug/slow.png', image, { type: 'image/png' })
    // Longer in total than it may be silent.
    here.times.idleMs = 2_000
    here.s3.always({ kind: 'slow', bytesPerSecond: 20_000 }, ofObjects)
    assertServed(await here.get('/i/hug/slow.png'), image)
  })
})

describe('A store response that is not an image:', { concurrency: true }, () => {
  const answers: readonly (readonly [string, Fault])[] = [
    ['403', { kind: 'status', status: 403 }],
    ['500', { kind: 'status', status: 500 }],
    ['501', { kind: 'status', status: 501 }],
    ['400', { kind: 'status', status: 400 }],
    ['a 404 of a web server', { kind: 'status', status: 404, body: '<h1>404</h1>', type: 'text/html' }],
    ['a page to log in', { kind: 'html' }],
    ['an error with the status 200', { kind: 'junk-xml' }],
    ['204', { kind: 'status', status: 204, body: '' }],
    ['304', { kind: 'status', status: 304, body: '' }],
  ]
  for (const [what, fault] of someOf(3, answers))
    it(`${what} is a 404 with the reason in the log, and loses nothing`, async () => {
      const here = await stage()
      here.s3.always(fault, ofObjects)
      const path = [smallPath, largePath]
      for (const each of path)
        for (const headers of [{}, { range: 'bytes=0-0' }, { 'if-none-match': '*' }])
          assertNotFound(await here.get(each, { headers }), JSON.stringify(headers))
      assert.equal((await here.get(smallPath, { method: 'HEAD' })).status, 404)
      assert.equal(here.reasons().length, 7)
      assert.equal((await here.random('fox')).body.name, 'fox/small.png')
      here.s3.heal()
      assertServed(await here.get(smallPath), small)
      assertServed(await here.get(largePath), large)
    })

  it('404 is trusted: the image is not chosen again', async () => {
    for (const asking of [{}, { method: 'HEAD' }, { headers: { 'if-none-match': '*' } }]) {
      const here = await stage()
      here.s3.objects.get('images')?.delete('fox/small.png')
      assert.equal((await here.random('fox')).status, 200)
      assert.equal((await here.get(smallPath, asking)).status, 404)
      const { status, body } = await here.random('fox')
      assert.deepEqual([status, body.message], [404, 'No fox images found in bucket'])
      assert.deepEqual(here.reasons(), [])
      await here.close()
    }
  })

  it('a redirect is not followed, and nothing is sent to its target', async () => {
    const here = await stage()
    const other = await ScriptedS3.open('images')
    other.put('images', 'fox/small.png', 'another image', { type: 'image/png' })
    for (const status of [301, 302, 303, 307, 308]) {
      here.s3.always({ kind: 'redirect', to: `${other.endpoint}/images/fox/small.png`, status })
      for (const asking of [{}, { headers: { range: 'bytes=0-0' } }])
        assertNotFound(await here.get(smallPath, asking), String(status))
      assert.equal((await here.get(smallPath, { method: 'HEAD' })).status, 404)
      assert.equal((await here.upload('fox/new.png', small)).status, 500)
    }
    assert.deepEqual([other.requests.length, other.mostSockets], [0, 0])
    here.s3.heal()
    assertServed(await here.get(smallPath), small)
  })

  it('503 is retried, at most twice', async () => {
    const here = await stage()
    for (const [times, status] of [
      [1, 200],
      [2, 200],
      [3, 404],
    ] as const) {
      const name = `hug/${times}.png`
      here.s3.put('images', name, small, { type: 'image/png' })
      const before = requestsOf(here)
      for (let time = 0; time < times; time++) here.s3.next({ kind: 'status', status: 503 }, ({ key }) => key === name)
      const found = await here.get(`/i/${name}`)
      assert.deepEqual([found.status, requestsOf(here) - before], [status, Math.min(3, times + 1)])
      assertServed(await here.get(`/i/${name}`), small)
    }
  })

  it('unrequested headers are not passed on', async () => {
    const here = await stage()
    const hostile = [
      ['Set-Cookie', 'token=x; Path=/'],
      ['Access-Control-Allow-Origin', 'https://evil.example'],
      ['Access-Control-Allow-Credentials', 'true'],
      ['Content-Security-Policy', "default-src * 'unsafe-inline'"],
      ['Content-Disposition', 'inline; filename="x.html"'],
      ['Content-Encoding', 'gzip'],
      ['Content-Language', 'x'],
      ['Cache-Control', 'public, max-age=31536000, immutable'],
      ['Content-Location', 'https://evil.example'],
      ['Location', 'https://evil.example'],
      ['Link', '<https://evil.example>; rel=preload'],
      ['Refresh', '0; url=https://evil.example'],
      ['Clear-Site-Data', '"*"'],
      ['Strict-Transport-Security', 'max-age=0'],
      ['Service-Worker-Allowed', '/'],
      ['Vary', '*'],
      ['Age', '99999'],
      ['Server', 'evil'],
      ['X-Powered-By', 'evil'],
      ['X-Request-Id', 'evil'],
      ['x-amz-meta-evil', 'evil'],
    ] as const
    const clean = [await here.get(smallPath, { method: 'HEAD' }), await here.get(largePath)]
    here.s3.always({ kind: 'hostile-headers', headers: hostile })
    for (let turns = 0; turns < 2; turns++) {
      const head = await here.get(smallPath, { method: 'HEAD' })
      assert.deepEqual([head.status, head.headers], [200, clean[0]?.headers])
      const found = await here.get(largePath)
      assertServed(found, large)
      assert.deepEqual(found.headers, clean[1]?.headers)
      const held = await here.get(smallPath)
      assertServed(held, small)
      assert.deepEqual(held.headers, clean[0]?.headers)
    }
  })
})

describe('A store that fails during an upload', { concurrency: true }, () => {
  const old = Buffer.from('the old image')

  for (const [what, fault] of [
    ['before its first byte', { kind: 'reset-on-put', after: 0 }],
    ['in the middle', { kind: 'reset-on-put', after: 2_500_000 }],
  ] as const)
    it(`${what} keeps the old object or none, and the service continues`, async () => {
      const here = await stage()
      here.s3.put('images', 'hug/a.png', old, { type: 'image/png' })
      assertServed(await here.get('/i/hug/a.png'), old)
      for (const name of ['hug/a.png', 'hug/b.png']) {
        here.s3.next(fault, ({ operation }) => operation === 'put')
        const { status, body } = await here.upload(name, Buffer.alloc(5_000_000, 'new'))
        assert.deepEqual([status, body.message], [500, 'Error uploading object'])
      }
      await until(() => here.s3.inFlight === 0)
      assertServed(await here.get('/i/hug/a.png'), old)
      assertNotFound(await here.get('/i/hug/b.png'))
      assert.equal((await here.upload('hug/b.png', small)).status, 200)
      assertServed(await here.get('/i/hug/b.png'), small)
    })

  it('and stays down keeps the old object too', async () => {
    const here = await stage()
    here.s3.put('images', 'hug/a.png', old, { type: 'image/png' })
    const { promise, resolve } = Promise.withResolvers<void>()
    here.s3.next({ kind: 'hold', until: promise }, ({ operation }) => operation === 'put')
    const arrived = here.s3.arrival(({ operation }) => operation === 'put')
    const uploading = here.upload('hug/a.png', small)
    await arrived
    await here.s3.stop()
    assert.equal((await uploading).status, 500)
    await here.s3.start()
    await untilServed(here, '/i/hug/a.png', old)
    resolve()
  })

  it('after it stored the object fails the upload, and the new image is served', async () => {
    const here = await stage()
    here.s3.put('images', 'hug/a.png', old, { type: 'image/png' })
    assertServed(await here.get('/i/hug/a.png'), old)
    here.s3.next({ kind: 'lost-answer' }, ({ operation }) => operation === 'put')
    const looked = here.s3.arrival(({ operation, key }) => operation === 'head' && key === 'hug/a.png')
    assert.equal((await here.upload('hug/a.png', small)).status, 500)
    await looked
    assertServed(await here.get('/i/hug/a.png'), small)
  })
})

describe('Many clients', () => {
  it('that leave in the middle of an image release the store, and are not logged as failures', async () => {
    const here = await stage()
    here.s3.always({ kind: 'stall', after: 4_000_000 }, ({ operation }) => operation === 'get')
    const readers = Array.from({ length: sized(80, 200) }, () => readSlowly(here.service.port, largePath))
    await until(() => here.s3.inFlight >= 48)
    await Promise.race(readers.map(({ begun }) => begun))
    for (const reader of readers) reader.leave()
    await until(() => here.s3.inFlight === 0)
    const asked = () => here.service.logged().filter(({ msg, path }) => msg === 'request' && path === largePath)
    await until(() => asked().length === readers.length)
    assert.deepEqual(new Set(asked().map(({ status }) => status)), new Set([499]))
    assert.deepEqual(
      here.service.logged().filter((line) => line.level === 'error' || line.level === 'warn'),
      [],
    )
    assert.ok(here.s3.mostSockets <= 64, String(here.s3.mostSockets))
    here.s3.heal()
    assertServed(await here.get(largePath), large)
  })

  it('that leave before the first byte also release it', async () => {
    const here = await stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    here.s3.always({ kind: 'hold', until: promise }, ofObjects)
    const leaving = new AbortController()
    const { signal } = leaving
    const asked = Array.from({ length: sized(80, 200) }, (_, index) =>
      here.get(index % 2 ? smallPath : `/i/fox/${index}.png`, { signal, method: index % 3 ? 'GET' : 'HEAD' }),
    )
    await until(() => here.s3.inFlight >= 48)
    leaving.abort()
    await Promise.all(asked)
    await until(() => here.s3.inFlight === 0)
    resolve()
    here.s3.heal()
    assertServed(await here.get(smallPath), small)
    assert.deepEqual(here.reasons(), [])
  })

  it('that all wait for a slow store use at most 64 sockets', async () => {
    const here = await stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    const images = Array.from({ length: sized(100, 300) }, (_, index) => {
      const image = randomBytes(1_000)
      here.s3.put('images', `fox/${index}.png`, image, { type: 'image/png' })
      return { path: `/i/fox/${index}.png`, image }
    })
    here.s3.always({ kind: 'hold', until: promise }, ofObjects)
    const asked = images.map(({ path }) => here.get(path))
    await until(() => here.s3.inFlight >= 48)
    resolve()
    for (const [index, each] of (await Promise.all(asked)).entries()) assertServed(each, images[index]?.image as Buffer)
    assert.ok(here.s3.mostSockets <= 64, String(here.s3.mostSockets))
  })

  it('that request one image cause one request to the store', async () => {
    const here = await stage()
    const { promise, resolve } = Promise.withResolvers<void>()
    here.s3.always({ kind: 'hold', until: promise }, ofObjects)
    const arrived = here.s3.arrival(ofObjects)
    const before = requestsOf(here)
    const asked = Array.from({ length: 100 }, () => here.get(smallPath))
    await arrived
    resolve()
    for (const each of await Promise.all(asked)) assertServed(each, small)
    assert.equal(requestsOf(here), before + 1)
  })
})
