import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import fc from 'fast-check'
import { assertProperty } from '../support/seed.ts'
import { startService, type TestService } from '../support/service.ts'
import { ask, chunked, head, Wire } from './wire.ts'

const limit = 16_384
const json = 'application/json'
const missing = { error: 'Username is required' }

let service: TestService
before(async () => {
  service = await startService()
})

const login = (body: string, headers: Record<string, string | number> = {}) =>
  ask(service.port, head('POST', '/auth/login', { 'Content-Length': body.length, ...headers }) + body)
const loginChunked = (headers: Record<string, string>, ...parts: string[]) =>
  ask(service.port, head('POST', '/auth/login', { 'Transfer-Encoding': 'chunked', ...headers }) + chunked(...parts))
/** A valid body of exactly this many bytes. */
const ofLength = (bytes: number) => `{"username":"${'!'.repeat(bytes - 15)}"}`

describe('An empty body counts as absent', () => {
  for (const type of [undefined, json, 'text/plain', 'image/png', 'multipart/form-data; boundary=x', '']) {
    it(`with any type: ${JSON.stringify(type)}`, async () => {
      const headers = type === undefined ? {} : { 'Content-Type': type }
      const answers = [
        await ask(service.port, head('POST', '/auth/login', headers)),
        await login('', headers),
        await loginChunked(headers as Record<string, string>),
      ]
      for (const { status, json: body } of answers) assert.deepEqual([status, body], [400, missing])
    })
  }

  it('with any encoding', async () => {
    assert.deepEqual((await login('', { 'Content-Encoding': 'gzip' })).json, missing)
    assert.deepEqual((await loginChunked({ 'Content-Encoding': 'br' })).json, missing)
  })
})

describe('A body is read as JSON', () => {
  const understood = '{"username":"alice"}'
  for (const type of [
    json,
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; x=y',
    undefined,
    '',
  ]) {
    it(`with the type ${JSON.stringify(type)}`, async () => {
      const { status, json: body } = await login(understood, type === undefined ? {} : { 'Content-Type': type })
      assert.deepEqual([status, body], [400, { error: 'Password is required' }])
    })
  }

  it('with the encoding identity', async () => {
    assert.equal((await login(understood, { 'Content-Encoding': 'identity' })).json.error, 'Password is required')
  })

  it('in one chunk or in a chunk per byte', async () => {
    assert.equal((await loginChunked({}, understood)).json.error, 'Password is required')
    assert.equal((await loginChunked({}, ...understood)).json.error, 'Password is required')
  })

  it('after a byte order mark', async () => {
    assert.equal((await login(`\xef\xbb\xbf${understood}`)).json.error, 'Password is required')
  })

  it('and the last of two equal keys counts', async () => {
    assert.equal((await login('{"username":"!","username":"alice"}')).json.error, 'Password is required')
    assert.deepEqual((await login('{"username":"alice","username":7}')).json, missing)
  })

  for (const [title, body] of [
    ['an array', '[{"username":"alice","password":"correct horse"}]'],
    ['a string', '"username"'],
    ['a number', '7'],
    ['null', 'null'],
    ['true', 'true'],
    ['an object whose fields only its prototype has', '{"__proto__":{"username":"alice","password":"correct horse"}}'],
    ['an object with a constructor', '{"constructor":{"prototype":{"username":"alice"}}}'],
    ['7,000 arrays in each other', '['.repeat(7_000) + ']'.repeat(7_000)],
  ] as const) {
    it(`and ${title} counts as {}`, async () => {
      const { status, json: answer } = await login(body)
      assert.deepEqual([status, answer], [400, missing])
    })
  }

  it('and 16,000 unclosed brackets are invalid', async () => {
    assert.equal((await login('['.repeat(16_000))).json.error, 'Request body is not valid JSON')
  })

  it('and any bytes at all get a 4xx', async () => {
    await assertProperty(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        const body = Buffer.from(bytes).toString('latin1')
        const { status } = await login(body)
        assert.equal(status, 400)
      }),
      { numRuns: 100 },
    )
  })

  it('and any JSON value at all gets a 4xx, on every field', async () => {
    await assertProperty(
      fc.asyncProperty(fc.jsonValue(), fc.jsonValue(), async (username, password) => {
        const { status } = await service.request('POST', '/auth/login', { body: { username, password } })
        assert.ok(status === 400 || status === 401, String(status))
      }),
      { numRuns: 100 },
    )
  })
})

describe('The maximum of a body', () => {
  it('is inclusive: one byte more is a 413', async () => {
    assert.match((await login(ofLength(limit))).json.error, /^Password is required/)
    assert.equal((await login(ofLength(limit + 1))).status, 413)
  })

  it('applies to chunked bodies, however they are split', async () => {
    const cut = (bytes: number, at: number) => [ofLength(bytes).slice(0, at), ofLength(bytes).slice(at)]
    for (const at of [1, 8_000, limit - 1]) {
      assert.match((await loginChunked({}, ...cut(limit, at))).json.error, /^Password is required/)
      assert.equal((await loginChunked({}, ...cut(limit + 1, at))).status, 413)
    }
  })

  it('counts bytes, not characters', async () => {
    const body = `{"username":"${'\xc3\xa9'.repeat(limit / 2 - 6)}"}`
    assert.ok(Buffer.from(body, 'latin1').toString().length < limit && body.length > limit)
    assert.equal((await login(body)).status, 413)
  })

  it('is checked after the type, and the encoding before both', async () => {
    const headers = { 'Content-Type': 'text/plain', 'Content-Length': limit + 1 }
    assert.equal((await login('', headers)).json.error, 'Content-Type must be application/json')
    assert.equal(
      (await login('', { ...headers, 'Content-Encoding': 'gzip' })).json.error,
      'Content-Encoding is not supported',
    )
  })
})

describe('A body that no route reads', () => {
  it('is ignored by GET, and the next request on the connection is answered', async () => {
    for (const body of ['{}', 'no JSON', 'x'.repeat(100_000)]) {
      const { answers } = await pipelined(
        head('GET', '/health', { 'Content-Type': 'text/plain', 'Content-Length': body.length }) + body,
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      )
    }
    const { answers } = await pipelined(head('GET', '/health', { 'Transfer-Encoding': 'chunked' }) + chunked('a', 'b'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
  })

  it('is ignored by a POST that takes none', async () => {
    const { accessToken } = await service.register('bodyless')
    const body = 'no JSON'
    const answer = await ask(
      service.port,
      head('POST', '/auth/logout', {
        token: accessToken,
        'Content-Type': 'text/plain',
        'Content-Length': body.length,
      }) + body,
    )
    assert.equal(answer.status, 200)
  })
})

async function pipelined(first: string) {
  const wire = new Wire(service.port).send(first).send(head('GET', '/health'))
  const answers = await wire.answers(2)
  wire.close()
  return { answers }
}
