import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import type { Running } from '../../src/http/running.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createLogs, type Logs } from '../../src/process/logger.ts'
import { startWorker } from '../../src/worker/worker.ts'
import { assertSafeHeaders } from '../http/errors.ts'
import { ask, chunked, head, Wire } from '../http/wire.ts'
import { temporaryFolder } from '../support/folder.ts'
import { rememberRefusal } from '../support/seen.ts'

function workerWith(env: Record<string, string>): { port(): number; lines: string[] } {
  let worker: Running
  const folder = temporaryFolder()
  const lines: string[] = []
  const logs: Logs = createLogs('debug', systemClock, { write: (line) => lines.push(line), flush() {} })
  before(async () => {
    worker = await startWorker(readConfig({ DATA_DIR: folder.path, ...env }), {
      logs,
      strict: true,
      port: 0,
      onRefusal: rememberRefusal,
    })
  })
  after(async () => {
    await worker.close(0)
    folder.remove()
  })
  return { port: () => worker.listening.port, lines }
}

const host = 'Host: test\r\n'
const badRequest = { ok: false, error: 'Bad Request' }

describe('The status worker, called by a host name', () => {
  const { port } = workerWith({ ALLOWED_HOSTS: 'status.example.org', STATUS_WORKER_URL: 'http://worker.example.org:1' })

  it('answers 403 to a foreign host name, in the header or the request target, on every path', async () => {
    for (const target of ['/livez', '/health', '/diag', '/nowhere', 'http://evil.example/livez']) {
      const Host = target.startsWith('/') ? 'evil.example:3001' : 'localhost'
      const answer = await ask(port(), head('GET', target, { Host }))
      assert.deepEqual([answer.status, answer.json], [403, { ok: false, error: 'Forbidden' }], target)
    }
  })

  it('answers to its own names', async () => {
    for (const Host of ['localhost:3001', 'worker', '[::1]', 'STATUS.example.org', 'worker.example.org:2'])
      assert.equal((await ask(port(), head('GET', '/livez', { Host }))).status, 200, Host)
  })
})

describe('The status worker', () => {
  const { port } = workerWith({})

  it('answers GET /livez', async () => {
    const answer = await ask(port(), head('GET', '/livez'))
    assert.deepEqual([answer.status, answer.body], [200, '{"ok":true}'])
    assertSafeHeaders((name) => answer.headers[name])
    const wire = new Wire(port(), { head: true })
    assert.equal((await wire.send(head('HEAD', '/livez')).answer()).status, 200)
    wire.close()
  })

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['GET', '/livez/'],
    ['GET', '/LIVEZ'],
    ['POST', '/livez'],
    ['OPTIONS', '/livez'],
    ['OPTIONS', '*'],
    ['DELETE', '/livez'],
    ['CONNECT', 'example.org:443'],
    ['GET', '/docs'],
    ['POST', '/auth/login'],
  ]) {
    it(`answers 404 {ok: false, error: "Not found"} to ${method} ${path}`, async () => {
      const answer = await ask(port(), head(method as string, path as string))
      assert.deepEqual([answer.status, answer.json], [404, { ok: false, error: 'Not found' }])
      assertSafeHeaders((name) => answer.headers[name])
    })
  }

  for (const [title, bytes, status, error] of [
    ['an unknown method', `BREW /livez HTTP/1.1\r\n${host}\r\n`, 400, 'Bad Request'],
    ['bytes that are no HTTP', '\x00\x01garbage\r\n\r\n', 400, 'Bad Request'],
    ['no Host', 'GET /livez HTTP/1.1\r\n\r\n', 400, 'Request must have exactly one valid Host header'],
    ['two Hosts', `GET /livez HTTP/1.1\r\n${host}${host}\r\n`, 400, 'Request must have exactly one valid Host header'],
    ['a path that is not validly encoded', head('GET', '/%zz'), 400, 'Request URL is not valid'],
    [
      'a head over 16 KB',
      `GET /livez HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'Request head is too large',
    ],
    ['an unknown expectation', head('GET', '/livez', { Expect: 'x' }), 417, 'Expect must be 100-continue'],
    [
      'a length and chunks',
      head('POST', '/livez', { 'Content-Length': 2, 'Transfer-Encoding': 'chunked' }),
      400,
      'Bad Request',
    ],
  ] as const) {
    it(`answers errors before routing in its own envelope: ${title}`, async () => {
      const answer = await ask(port(), bytes)
      assert.deepEqual([answer.status, answer.json], [status, { ok: false, error }])
      assertSafeHeaders((name) => answer.headers[name])
    })
  }

  it('shows no stack, not even with NODE_ENV=development', async () => {
    const folder = temporaryFolder()
    const worker = await startWorker(readConfig({ DATA_DIR: folder.path, NODE_ENV: 'development' }), {
      port: 0,
      logs: createLogs('fatal', systemClock),
    })
    for (const bytes of ['BREW / HTTP/1.1\r\n\r\n', head('GET', '/nowhere')]) {
      assert.deepEqual(Object.keys((await ask(worker.listening.port, bytes)).json), ['ok', 'error'])
    }
    await worker.close(0)
    folder.remove()
  })

  it('refuses requests of web pages (Origin, Sec-Fetch-Site) with 403', async () => {
    for (const site of ['cross-site', 'same-site']) {
      const answer = await ask(port(), head('GET', '/diag', { 'Sec-Fetch-Site': site }))
      assert.deepEqual([answer.status, answer.json], [403, { ok: false, error: 'Forbidden' }])
    }
    for (const site of ['none', 'same-origin'])
      assert.equal((await ask(port(), head('GET', '/livez', { 'Sec-Fetch-Site': site }))).status, 200)
    for (const origin of ['https://evil.example', 'http://localhost:3001', 'null', '']) {
      for (const request of [
        head('GET', '/livez', { Origin: origin }),
        head('OPTIONS', '/livez', { Origin: origin, 'Access-Control-Request-Method': 'GET' }),
        head('GET', '/%zz', { Origin: origin }),
      ]) {
        const answer = await ask(port(), request)
        assert.deepEqual([answer.status, answer.json], [403, { ok: false, error: 'Forbidden' }])
        assert.equal(answer.headers['access-control-allow-origin'], undefined)
      }
    }
  })
})

describe('The status worker, to an address outside STATUS_ALLOW,', () => {
  const { port, lines } = workerWith({ STATUS_ALLOW: '10.0.0.0/8' })
  const forwarded = {
    'X-Forwarded-For': '10.0.0.1',
    'X-Real-IP': '10.0.0.1',
    Forwarded: 'for=10.0.0.1',
    'CF-Connecting-IP': '10.0.0.1',
  }
  const requests: [title: string, bytes: string][] = [
    ['GET /livez', head('GET', '/livez')],
    ['HEAD', head('HEAD', '/livez')],
    ['POST with a body', `${head('POST', '/livez', { 'Content-Length': 2 })}{}`],
    ['chunks', head('POST', '/heartbeat/x', { 'Transfer-Encoding': 'chunked' }) + chunked('{}')],
    ['OPTIONS', head('OPTIONS', '*')],
    ['TRACE', head('TRACE', '/livez')],
    ['CONNECT', head('CONNECT', '10.0.0.1:80')],
    ['an unknown path', head('GET', '/nowhere')],
    ['an invalid path', head('GET', '/%zz')],
    ['a target with another host', head('GET', 'http://10.0.0.1/livez')],
    ['a forged forwarding header', head('GET', '/livez', forwarded)],
    ['an Origin', head('GET', '/livez', { Origin: 'http://10.0.0.1' })],
    ['an expectation', head('POST', '/livez', { Expect: '100-continue', 'Content-Length': 2 })],
    ['an unknown expectation', head('POST', '/livez', { Expect: 'x' })],
    ['an upgrade', head('GET', '/livez', { Connection: 'Upgrade', Upgrade: 'websocket' })],
    ['no Host', 'GET /livez HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /livez HTTP/1.1\r\n${host}${host}\r\n`],
    ['HTTP/1.0', 'GET /livez HTTP/1.0\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', `BREW / HTTP/1.1\r\n${host}\r\n`],
    ['bytes that are no HTTP', '\x16\x03\x01garbage\r\n\r\n'],
    ['a head over 16 KB', `GET / HTTP/1.1\r\n${host}X: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['a bad chunk', `${head('POST', '/livez', { 'Transfer-Encoding': 'chunked' })}zz\r\n`],
  ]

  for (const [title, bytes] of requests) {
    it(`answers 403 {ok: false, error: "Forbidden"} and nothing else: ${title}`, async () => {
      const wire = new Wire(port(), { head: title === 'HEAD' }).send(bytes)
      const answer = await wire.answer()
      wire.close()
      assert.deepEqual([answer.status, answer.headers.connection], [403, 'close'])
      if (title !== 'HEAD') assert.deepEqual(answer.json, { ok: false, error: 'Forbidden' })
      assertSafeHeaders((name) => answer.headers[name])
    })
  }

  it('logs the address of the connection, not that of a header', () => {
    assert.ok(lines.length >= requests.length && lines.every((line) => line.includes('"address":"127.0.0.1"')))
    assert.doesNotMatch(lines.join(''), /"address":"10\./)
  })
})

describe('A client of the status worker that resets its connection', () => {
  const { port } = workerWith({})

  it('does not affect others, whatever it sent', async () => {
    for (const bytes of ['GARBAGE\r\n\r\n', head('GET', '/livez'), 'GET /']) {
      await Promise.all(
        Array.from({ length: 30 }, async () => {
          const { socket } = new Wire(port()).send(bytes)
          await new Promise((resolve) => socket.once('connect', resolve))
          await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy())
        }),
      )
    }
    assert.equal((await ask(port(), head('GET', '/livez'))).status, 200)
    assert.deepEqual((await ask(port(), 'BREW / HTTP/1.1\r\n\r\n')).json, badRequest)
  })
})
