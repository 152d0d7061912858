import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startService, type TestService } from '../support/service.ts'
import { assertSafeHeaders } from './errors.ts'
import { ask, chunked, head, Wire } from './wire.ts'

let service: TestService
before(async () => {
  service = await startService()
})

const host = 'Host: test\r\n'
const lines = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: a\r\n`).join('')
const post = 'POST /auth/login HTTP/1.1\r\nHost: test\r\n'
const badHost = 'Request must have exactly one valid Host header'
const tooLarge = 'Request head is too large'

const refused: [title: string, bytes: string, status: number, message: string][] = [
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 400, badHost],
  ['two Hosts', `GET / HTTP/1.1\r\n${host}Host: other\r\n\r\n`, 400, badHost],
  ['two equal Hosts', `GET / HTTP/1.1\r\n${host}hOST: test\r\n\r\n`, 400, badHost],
  ['two Hosts in HTTP/1.0', `GET / HTTP/1.0\r\n${host}${host}\r\n`, 400, badHost],
  ['a header over 16 KB', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(16_384)}\r\n\r\n`, 431, tooLarge],
  ['a path over 16 KB', `GET /${'a'.repeat(16_384)} HTTP/1.1\r\n${host}\r\n`, 431, tooLarge],
  ['a query over 16 KB', `GET /?${'a'.repeat(16_384)} HTTP/1.1\r\n${host}\r\n`, 431, tooLarge],
  ['101 header lines', `GET / HTTP/1.1\r\n${host}${lines(100)}\r\n`, 431, tooLarge],
  ['an unknown method', `BREW / HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  ['a method in lower case', `get / HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  ['an endless method', `${'A'.repeat(20_000)} / HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  ['bytes that are not HTTP', '\x00\x01\x02garbage\r\n\r\n', 400, 'Bad Request'],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, 'Bad Request'],
  ['HTTP/0.9', 'GET /\r\n\r\n', 400, 'Bad Request'],
  ['HTTP/0.9 with its version', `GET / HTTP/0.9\r\n${host}\r\n`, 400, 'Bad Request'],
  ['HTTP/1.2', `GET / HTTP/1.2\r\n${host}\r\n`, 400, 'Bad Request'],
  ['HTTP/2.0 in a line of HTTP/1', `GET / HTTP/2.0\r\n${host}\r\n`, 400, 'Bad Request'],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'Bad Request'],
  [
    'a length and chunks',
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    'Bad Request',
  ],
  [
    'chunks and a length',
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n`,
    400,
    'Bad Request',
  ],
  ['two lengths', `${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400, 'Bad Request'],
  ['two lengths in one line', `${post}Content-Length: 2, 2\r\n\r\n{}`, 400, 'Bad Request'],
  ['a negative length', `${post}Content-Length: -2\r\n\r\n{}`, 400, 'Bad Request'],
  ['a length with a sign', `${post}Content-Length: +2\r\n\r\n{}`, 400, 'Bad Request'],
  ['a length in hexadecimal', `${post}Content-Length: 0x2\r\n\r\n{}`, 400, 'Bad Request'],
  ['an excessive length', `${post}Content-Length: 99999999999999999999\r\n\r\n{}`, 400, 'Bad Request'],
  [
    'a chunk whose length is none',
    `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    400,
    'Bad Request',
  ],
  ['a chunk longer than it says', `${post}Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`, 400, 'Bad Request'],
  [
    'a chunk with endless extensions',
    `${post}Transfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}`,
    413,
    'Request body is too large',
  ],
  ['an unknown transfer coding', `${post}Transfer-Encoding: gzip\r\n\r\n{}`, 400, 'Bad Request'],
  ['a coding inside the chunks', `${post}Transfer-Encoding: gzip, chunked\r\n\r\n${chunked('{}')}`, 400, 'Bad Request'],
  ['chunked twice', `${post}Transfer-Encoding: chunked, chunked\r\n\r\n${chunked('{}')}`, 400, 'Bad Request'],
  [
    'a spelling of chunked that is none',
    `${post}Transfer-Encoding: xchunked\r\n\r\n${chunked('{}')}`,
    400,
    'Bad Request',
  ],
  [
    'chunks in HTTP/1.0',
    `POST /auth/login HTTP/1.0\r\n${host}Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${chunked('{}')}`,
    400,
    'Bad Request',
  ],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : test\r\n\r\n', 400, 'Bad Request'],
  ['a folded header', `GET / HTTP/1.1\r\n${host}X: a\r\n b\r\n\r\n`, 400, 'Bad Request'],
  ['a header without a colon', `GET / HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400, 'Bad Request'],
  ['bare line feeds', 'GET / HTTP/1.1\nHost: test\n\n', 400, 'Bad Request'],
  ['a bare line feed in a header', `GET / HTTP/1.1\r\n${host}X: a\nY: b\r\n\r\n`, 400, 'Bad Request'],
  ['a bare carriage return in a header', `GET / HTTP/1.1\r\n${host}X: a\rY: b\r\n\r\n`, 400, 'Bad Request'],
  ['a NUL in a header', `GET / HTTP/1.1\r\n${host}X: a\x00b\r\n\r\n`, 400, 'Bad Request'],
  ['an escape sequence in the path', `GET /\x1b[31m HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  ['a byte over 127 in the path', `GET /\x9b31m HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  ['a target without a slash', `GET health HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
  [
    'an expectation that is not 100-continue',
    `${post}Expect: 200-ok\r\nContent-Length: 2\r\n\r\n{}`,
    417,
    'Expect must be 100-continue',
  ],
  [
    'an expectation with one more behind it',
    `${post}Expect: 100-continue, x\r\nContent-Length: 2\r\n\r\n{}`,
    417,
    'Expect must be 100-continue',
  ],
]

describe('An error before routing', () => {
  for (const [title, bytes, status, message] of refused) {
    it(`is ${status} {message, stack} and closes the connection: ${title}`, async () => {
      const [answer, ...more] = await new Wire(service.port).send(bytes).toTheEnd()
      assert.deepEqual([answer?.status, answer?.json], [status, { message, stack: 'N/A' }])
      assert.equal(more.length, 0)
      assert.equal(answer?.headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(answer?.headers.connection, 'close')
      assert.ok(Date.parse(answer?.headers.date ?? ''))
      assertSafeHeaders((name) => answer?.headers[name])
    })
  }

  it('shows its stack with NODE_ENV=development', async () => {
    const open = await startService({ env: { NODE_ENV: 'development' } })
    for (const bytes of [
      'BREW / HTTP/1.1\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      head('GET', '/%zz'),
      head('GET', '/nowhere'),
    ]) {
      assert.match((await ask(open.port, bytes)).json.stack, /^\w*Error|^Refused|^Error/, bytes)
    }
  })

  it('is logged with the address and the reason, without a byte of the request', async () => {
    await new Wire(service.port).send('SECRET-BYTES / HTTP/1.1\r\nAuthorization: hunter2\r\n\r\n').toTheEnd()
    const line = service.logged().findLast(({ code }) => code !== undefined)
    assert.deepEqual([line?.status, line?.address, line?.code], [400, '127.0.0.1', 'HPE_INVALID_METHOD'])
    assert.doesNotMatch(JSON.stringify(service.logged()), /SECRET-BYTES|hunter2/)
  })
})

describe('An unusual but valid request', () => {
  const answered: [title: string, bytes: string][] = [
    ['an empty Host', 'GET /health HTTP/1.1\r\nHost:\r\n\r\n'],
    ['HTTP/1.0 without a Host', 'GET /health HTTP/1.0\r\n\r\n'],
    ['exactly 100 header lines', `GET /health HTTP/1.1\r\n${host}${lines(99)}\r\n`],
    ['empty lines before the request', `\r\n\r\nGET /health HTTP/1.1\r\n${host}\r\n`],
    [
      'an upgrade that nobody here knows',
      `GET /health HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    ],
    [
      'an upgrade to HTTP/2',
      `GET /health HTTP/1.1\r\n${host}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n`,
    ],
    ['an expectation in HTTP/1.0', 'GET /health HTTP/1.0\r\nExpect: 200-ok\r\n\r\n'],
    ['a query with nothing valid in it', head('GET', '/health?%zz&&&==%00')],
  ]
  for (const [title, bytes] of answered) {
    it(`is answered: ${title}`, async () => {
      assert.equal((await ask(service.port, bytes)).status, 200)
    })
  }

  it('may be an upgrade with a body, which is read like any other', async () => {
    const bytes = `${post}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 19\r\n\r\n{"username":"anna"}`
    assert.deepEqual((await ask(service.port, bytes)).json, { error: 'Password is required' })
  })
})

describe('Expect: 100-continue', () => {
  const expecting = { Expect: '100-continue' }

  it('gets 100 Continue, and then its response', async () => {
    const wire = new Wire(service.port).send(head('POST', '/auth/login', { ...expecting, 'Content-Length': 2 }))
    assert.equal((await wire.answer()).status, 100)
    const [, answer] = await wire.send('{}').answers(2)
    assert.deepEqual(answer?.json, { error: 'Username is required' })
    wire.close()
  })

  it('is ignored for HTTP/1.0, and without a body or a use for it', async () => {
    const old = `POST /auth/login HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}`
    for (const bytes of [
      old,
      head('POST', '/auth/login', expecting),
      head('GET', '/health', { ...expecting, 'Content-Length': 2 }),
    ]) {
      assert.notEqual((await ask(service.port, bytes)).status, 100)
    }
  })

  for (const [title, path, status, headers] of [
    ['without a token', '/auth/password', 401, { 'Content-Length': 100 }],
    ['a body over the limit', '/auth/login', 413, { 'Content-Length': 16_385 }],
    ['another type', '/auth/login', 415, { 'Content-Length': 2, 'Content-Type': 'text/plain' }],
    ['an unknown path', '/nowhere', 404, { 'Content-Length': 2 }],
  ] as const) {
    it(`is refused before the body is sent: ${title}, ${status}`, async () => {
      const wire = new Wire(service.port).send(head('POST', path, { ...expecting, ...headers }))
      const answers = await wire.toTheEnd()
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      )
      assert.equal(answers[0]?.headers.connection, 'close')
    })
  }
})
