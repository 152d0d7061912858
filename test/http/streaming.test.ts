import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import type { Call } from '../../src/http/call.ts'
import { type Refusal, refuse } from '../../src/http/refusal.ts'
import { JsonStreamResponse } from '../../src/http/responses.ts'
import type { RouteSpec } from '../../src/http/route.ts'
import { array, string } from '../../src/http/schema.ts'
import type { ServiceOptions } from '../../src/http/service.ts'
import { Unavailable } from '../../src/lib/unavailable.ts'
import { sized } from '../support/size.ts'
import { until } from '../support/until.ts'
import { type Kit, type KitRouteSpec, kitRoute, startKit } from './kit.ts'
import { ask, head } from './wire.ts'

const gone: Refusal = { status: 410, message: 'Gone' }
const parts = ['["a', 'é', '🦥', '",', '', '"b"', ']']
const whole = '["aé🦥","b"]'

type Make = (call: Call) => AsyncIterable<string>

const route = (make: Make, spec: KitRouteSpec = {}) =>
  kitRoute({
    path: '/stream',
    envelope: 'status',
    reply: { status: 200, schema: array(string()) },
    errors: [gone],
    handle: (call) => new JsonStreamResponse(make(call)),
    ...spec,
  })

async function* inParts(given: readonly string[] = parts): AsyncGenerator<string> {
  yield* given
}

const plain = route(() => inParts(), { path: '/plain', handle: () => ['plain'] })

const kitOf = (make: Make, options: Partial<ServiceOptions> = {}) => startKit([route(make), plain], options)

/** A connection that keeps everything it receives. */
async function dial(t: TestContext, { port }: Kit) {
  const socket = connect({ port, host: '127.0.0.1' })
  const closed = new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve()))
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  const bytes: Buffer[] = []
  socket.on('data', (some: Buffer) => bytes.push(some))
  const text = () => Buffer.concat(bytes).toString()
  return { socket, closed, text, bodyOf: () => text().slice(text().indexOf('\r\n\r\n') + 4) }
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const end = '0\r\n\r\n'
const requestLines = (kit: Kit) => kit.logged().filter(({ msg }) => msg === 'request')
const errorLines = (kit: Kit) => kit.logged().filter(({ level }) => level === 'error')

/** One that fails after these parts. */
const failing = (given: readonly string[], error: unknown): Make =>
  async function* () {
    yield* given
    throw error
  }

describe('A streamed response', () => {
  it('consists of its parts, with the headers of any JSON response', async () => {
    const kit = await kitOf(() => inParts())
    const [streamed, sent] = [await kit.request('/stream'), await kit.request('/plain')]
    assert.deepEqual([streamed.status, streamed.text], [200, whole])
    const own = ['content-length', 'transfer-encoding', 'date', 'x-request-id']
    const others = ({ headers }: typeof sent) => [...headers].filter(([name]) => !own.includes(name))
    assert.deepEqual(others(streamed), others(sent))
    assert.match(streamed.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/)
    assert.equal(streamed.headers.get('content-length'), null)
    assert.deepEqual(
      requestLines(kit).map(({ path, status, error }) => [path, status, error]),
      [
        ['/stream', 200, undefined],
        ['/plain', 200, undefined],
      ],
    )
  })

  it('requests a part only once the client has read the previous ones', async (t) => {
    const most = sized(800, 1_500)
    let made = 0
    let res: Call['res'] | undefined
    const askedEarly: number[] = []
    const kit = await kitOf(
      async function* (call) {
        res = call.res
        yield '["'
        for (; made < most; made++) {
          if (call.res.writableNeedDrain) askedEarly.push(made)
          yield 'x'.repeat(65_536)
        }
        yield '"]'
      },
      { strict: false },
    )
    const { socket } = await dial(t, kit)
    socket.pause()
    socket.write(head('GET', '/stream'))
    let [before, same] = [-1, 0]
    await until(() => {
      same = made === before && res?.writableNeedDrain ? same + 1 : 0
      before = made
      return same > sized(80, 80, 200)
    })
    assert.ok(made < most / 2, `${made} parts were made for a client that reads nothing`)
    const stalledAt = made
    socket.resume()
    await until(() => made > stalledAt)
    await until(() => made === most)
    assert.deepEqual(askedEarly, [])
  })

  it('stops and closes its source if the client leaves', async (t) => {
    let made = 0
    let closed = false
    const kit = await kitOf(async function* () {
      try {
        for (; ; made++) yield 'x'.repeat(65_536)
      } finally {
        closed = true
      }
    })
    const { socket } = await dial(t, kit)
    socket.write(head('GET', '/stream'))
    await once(socket, 'data')
    socket.destroy()
    await until(() => closed)
    const madeWhenClosed = made
    await kit.request('/plain')
    assert.equal(made, madeWhenClosed)
    assert.deepEqual(
      requestLines(kit).map(({ path, status, error }) => [path, status, error]),
      [
        ['/stream', 499, 'the client left before the response'],
        ['/plain', 200, undefined],
      ],
    )
    assert.deepEqual(errorLines(kit), [])
  })

  it('that fails before its first part is a normal error', async () => {
    const away = { status: 503, message: 'Service is temporarily unavailable, please try again' }
    const cases: [unknown, Partial<RouteSpec<null, null, null>>, number, object][] = [
      [new Error('a detail'), { onFailure: 'Failed to list' }, 500, { status: 500, message: 'Failed to list' }],
      [new Error('a detail'), {}, 500, { message: 'Internal Server Error', stack: 'N/A' }],
      [new Unavailable('database'), {}, 503, away],
    ]
    for (const [error, spec, status, body] of cases) {
      const kit = await startKit([route(failing([], error), spec)])
      const answer = await ask(kit.port, head('GET', '/stream'))
      assert.deepEqual([answer.status, answer.json, answer.headers['transfer-encoding']], [status, body, undefined])
      assert.equal(errorLines(kit).length, 1)
      assert.equal(requestLines(kit).length, 1)
    }
  })

  it('can refuse before its first part, in the envelope of its route', async () => {
    // biome-ignore lint/correctness/useYield: it refuses before there is anything to hand out
    const kit = await kitOf(async function* () {
      refuse(gone)
    })
    const answer = await ask(kit.port, head('GET', '/stream'))
    assert.deepEqual([answer.status, answer.json], [410, { status: 410, message: 'Gone' }])
    assert.deepEqual(errorLines(kit), [])
  })

  it('that fails later is cut off so that no client takes it as complete, and logged once each time', async (t) => {
    const kit = await kitOf(failing(['["a"', ','], new Error('a detail')))
    const peer = await dial(t, kit)
    peer.socket.write(head('GET', '/stream'))
    await peer.closed
    assert.match(peer.text(), /^HTTP\/1\.1 200 OK\r\n/)
    assert.ok((chunk('["a"') + chunk(',')).startsWith(peer.bodyOf()))
    await assert.rejects(kit.request('/stream'))
    assert.deepEqual(
      errorLines(kit).map(({ err }) => (err as Error).message),
      ['a detail', 'a detail'],
    )
    assert.deepEqual(
      requestLines(kit).map(({ status, error }) => [status, error]),
      [
        [200, 'the response broke off'],
        [200, 'the response broke off'],
      ],
    )
  })

  it('leaves its connection open for the next request', async (t) => {
    const kit = await kitOf(() => inParts(['["a"', ']']))
    const { socket, text, bodyOf } = await dial(t, kit)
    socket.write(head('GET', '/stream'))
    await until(() => text().endsWith(end))
    assert.equal(bodyOf(), chunk('["a"') + chunk(']') + end)
    socket.write(head('GET', '/plain'))
    await until(() => text().endsWith('["plain"]'))
    socket.write(head('GET', '/stream'))
    await until(() => text().endsWith(end))
    assert.equal(requestLines(kit).length, 3)
  })

  it('has only headers for HEAD, and reads at most one part', async (t) => {
    let made = 0
    let closed = false
    const kit = await kitOf(async function* () {
      try {
        for (const part of parts) {
          made++
          yield part
        }
      } finally {
        closed = true
      }
    })
    const { socket, text } = await dial(t, kit)
    socket.write(head('HEAD', '/stream'))
    await until(() => text().endsWith('\r\n\r\n'))
    assert.match(text(), /^HTTP\/1\.1 200 OK\r\n(.*\r\n)*Content-Type: application\/json; charset=utf-8\r\n/)
    await until(() => closed)
    assert.ok(made <= 1, String(made))
    socket.write(head('GET', '/plain'))
    await until(() => text().endsWith('["plain"]'))
    assert.equal(text().split('\r\n\r\n').length, 3)
    assert.deepEqual(
      requestLines(kit).map(({ method, status, error }) => [method, status, error]),
      [
        ['HEAD', 200, undefined],
        ['GET', 200, undefined],
      ],
    )
  })

  it('for HTTP/1.0 ends with the connection', async (t) => {
    const kit = await kitOf(() => inParts())
    const peer = await dial(t, kit)
    peer.socket.write('GET /stream HTTP/1.0\r\n\r\n')
    await peer.closed
    assert.doesNotMatch(peer.text(), /transfer-encoding/i)
    assert.equal(peer.bodyOf(), whole)
  })

  it('is cut off in development if it does not match its schema', async () => {
    for (const wrong of [['[1', ']'], ['["a"'], ['{}']]) {
      const kit = await kitOf(() => inParts(wrong))
      await assert.rejects(kit.request('/stream'), wrong.join(''))
      assert.equal(errorLines(kit).length, 1)
      const free = await kitOf(() => inParts(wrong), { strict: false })
      assert.equal((await free.request('/stream')).text, wrong.join(''))
    }
  })

  it('lets other requests run between any two parts, even if it never waits', async (t) => {
    let [made, turn, madeAt, isLetIn, sameTurn] = [0, 0, -1, false, 0]
    const make = async function* () {
      for (; made < 300_000 && !isLetIn; made++) {
        if (turn === madeAt) sameTurn++
        madeAt = turn
        yield ' '
      }
      yield '[]'
    }
    const kit = await kitOf(make, { onRefusal: () => (isLetIn = true) })
    const count = () => ++turn && !isLetIn && setImmediate(count)
    count()
    const { socket, text } = await dial(t, kit)
    socket.write(head('GET', '/stream'))
    await once(socket, 'data')
    assert.equal((await ask(kit.port, head('GET', '/unknown'))).status, 404)
    await until(() => text().endsWith(end))
    assert.deepEqual([made < 300_000, sameTurn], [true, 0])
  })

  it('without any part is an error: it would not be JSON', async () => {
    for (const strict of [true, false]) {
      const kit = await kitOf(() => inParts([]), { strict })
      assert.equal((await kit.request('/stream')).status, 500, `strict: ${strict}`)
      assert.equal(errorLines(kit).length, 1)
    }
  })
})
