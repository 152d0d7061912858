import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { before, describe, it, type TestContext } from 'node:test'
import { argon2Hasher } from '../../src/drivers/accounts/argon2.ts'
import { TextResponse } from '../../src/http/responses.ts'
import { startService, type TestService } from '../support/service.ts'
import { sized } from '../support/size.ts'
import { turns, until } from '../support/until.ts'
import { kitRoute, startKit } from './kit.ts'
import { chunked, head, Wire } from './wire.ts'

let service: TestService
before(async () => {
  service = await startService()
})

const health = head('GET', '/health')
const credentials = '{"username":"nobody","password":"whatever it is"}'
const login = head('POST', '/auth/login', { 'Content-Length': credentials.length }) + credentials

/** The server's own side of the connections that the test makes from here on. */
function serverSide(t: TestContext): { server?: Server; sockets: Set<Socket> } {
  const found: { server?: Server; sockets: Set<Socket> } = { sockets: new Set() }
  const look = (message: unknown) => {
    const { server, socket } = message as { server: Server; socket: Socket }
    found.server = server
    found.sockets.add(socket)
  }
  subscribe('http.server.request.start', look)
  t.after(() => unsubscribe('http.server.request.start', look))
  return found
}

/** A service whose passwords take as long as the test wants. */
async function slowService() {
  const { promise: started, resolve: start } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<boolean>()
  const verify = () => {
    start()
    return released
  }
  const slow = await startService({ overrides: { hasher: { ...argon2Hasher, verify } } })
  return { slow, started, release: () => release(false) }
}

describe('Pipelining', () => {
  it('answers 50 requests in order, slow and fast ones alike', async () => {
    const paths = Array.from({ length: 50 }, (_, index) => (index % 5 === 4 ? null : `/nowhere-${index}`))
    const wire = new Wire(service.port).send(paths.map((path) => (path ? head('GET', path) : login)).join(''))
    const answers = await wire.answers(50)
    wire.close()
    assert.deepEqual(
      answers.map(({ json }) => json),
      paths.map((path) =>
        path ? { message: `Not Found - GET ${path}`, stack: 'N/A' } : { error: 'Invalid credentials' },
      ),
    )
  })

  it('answers a request before invalid data, and then closes', async () => {
    for (const [first, status] of [
      [health, 200],
      [login, 401],
      [head('GET', '/docs'), 200],
    ] as const) {
      const answers = await new Wire(service.port).send(`${first}NONSENSE\x00\r\n\r\n`).toTheEnd()
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      )
    }
  })
})

describe('A long response', () => {
  it('is sent whole when invalid data follows its request', async () => {
    const text = 'x'.repeat(sized(8_000_000, 20_000_000))
    const kit = await startKit([kitRoute({ handle: () => new TextResponse(200, 'text/plain', text) })])
    const [answer] = await new Wire(kit.port).send(`${head('GET', '/')}NONSENSE\x00\r\n\r\n`).toTheEnd()
    assert.equal(answer?.body.length, text.length)
  })
})

describe('A request that is refused before it was read completely', () => {
  for (const [title, headers] of [
    ['', {}],
    [' and the connection is to be closed', { Connection: 'close' }],
    [' and it expects to be asked', { Expect: '100-continue' }],
  ] as const) {
    it(`is answered while it sends 8 MB${title}, and is not read endlessly`, async (t) => {
      const { sockets } = serverSide(t)
      const wire = new Wire(service.port)
      wire.send(head('POST', '/auth/login', { 'Content-Length': 8_000_000, ...headers }))
      wire.send(Buffer.alloc(8_000_000, 'x'))
      assert.equal((await wire.answer()).status, 413)
      const [socket] = sockets
      await stalls(socket as Socket)
      assert.ok((socket as Socket).bytesRead < 2_000_000, String(socket?.bytesRead))
      assert.equal((socket as Socket).destroyed, false, 'a reset could overtake the answer')
      wire.close()
    })
  }

  it('leaves the connection usable if little remains', async () => {
    const first = head('POST', '/auth/login', { 'Content-Type': 'text/plain', 'Content-Length': 500_000 })
    const wire = new Wire(service.port).send(first + 'x'.repeat(500_000) + health)
    assert.deepEqual(
      (await wire.answers(2)).map(({ status }) => status),
      [415, 200],
    )
    wire.close()
  })

  it('is answered with Connection: close if much may remain', async () => {
    const long = head('POST', '/auth/login', { 'Content-Type': 'text/plain', 'Content-Length': 1_048_577 })
    const wire = new Wire(service.port).send(long)
    const { status, headers } = await wire.answer()
    assert.deepEqual([status, headers.connection], [415, 'close'])
    wire.close()
  })

  it('has its connection closed: at once when all has arrived, or after 5 s', async (t) => {
    const { sockets } = serverSide(t)
    const closing = new Wire(service.port, { halfOpen: true })
    closing.send(head('POST', '/nowhere', { Connection: 'close', 'Content-Length': 10 }))
    await closing.answer()
    const closed = once(await first(sockets), 'close')
    closing.send('0123456789')
    await closed
    closing.close()
    sockets.clear()
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const wire = new Wire(service.port).send(head('POST', '/nowhere', { 'Content-Length': 10 }))
    await wire.answer()
    t.mock.timers.tick(5_000)
    assert.equal([...sockets][0]?.destroyed, true)
    wire.close()
  })

  it('gets no second response for errors in the rest', async () => {
    const start = head('POST', '/auth/login', { 'Content-Type': 'text/plain', 'Transfer-Encoding': 'chunked' })
    const wire = new Wire(service.port).send(`${start}2\r\n{}\r\n`)
    await wire.answer()
    assert.deepEqual(
      (await wire.send('zz\r\n\r\n').toTheEnd()).map(({ status }) => status),
      [415],
    )
  })

  it('gets 431 while it sends a head of 4 MB', async () => {
    const wire = new Wire(service.port).send(`GET / HTTP/1.1\r\nX: ${'a'.repeat(4_000_000)}`)
    assert.equal((await wire.answer()).status, 431)
    wire.close()
  })
})

describe('A client that leaves', () => {
  it('during its response leaves one log line and no connection, and the next request is served', async (t) => {
    const side = serverSide(t)
    const { slow, started, release } = await slowService()
    const wire = new Wire(slow.port).send(login)
    await started
    const [socket] = side.sockets
    wire.close()
    await once(socket as Socket, 'close')
    release()
    const next = new Wire(slow.port).send(health)
    assert.equal((await next.answer()).status, 200)
    next.close()
    const lines = slow.logged().filter(({ path }) => path === '/auth/login')
    assert.deepEqual(
      lines.map(({ level, status }) => [level, status]),
      [['info', 499]],
    )
    assert.equal((side.server as Server & { _connections: number })._connections, 1)
  })

  it('in the middle of its head, body or chunks affects nobody else', async () => {
    for (const bytes of [
      'G',
      'GET / HTTP/1.1\r\nHo',
      login.slice(0, -5),
      head('POST', '/auth/login', { 'Transfer-Encoding': 'chunked' }) + chunked('{"a":').slice(0, -7),
    ]) {
      for (const leave of ['destroy', 'resetAndDestroy', 'end'] as const) {
        const wire = new Wire(service.port).send(bytes)
        await once(wire.socket, 'ready')
        wire.socket[leave]()
        await once(wire.socket, 'close')
      }
    }
    const wire = new Wire(service.port).send(health)
    assert.equal((await wire.answer()).status, 200)
    wire.close()
    // On a busy machine, a probe of readiness may end too late: its line names the part.
    assert.deepEqual(
      service.logged().filter(({ level, part }) => (level === 'error' || level === 'fatal') && part === undefined),
      [],
    )
  })
})

describe('The timeouts', () => {
  it('end slow heads after 10 s, and any request after 120 s', async (t) => {
    const side = serverSide(t)
    const wire = new Wire(service.port).send(health)
    await wire.answer()
    wire.close()
    const { headersTimeout, requestTimeout, maxHeadersCount } = side.server as Server
    assert.deepEqual({ headersTimeout, requestTimeout }, { headersTimeout: 10_000, requestTimeout: 120_000 })
    assert.equal(maxHeadersCount, 0, 'headers are counted by us: Node would drop those beyond the limit unseen')
  })

  it('end a connection whose client reads nothing of a long response for 60 s', async (t) => {
    const side = serverSide(t)
    const wire = new Wire(service.port)
    wire.socket.pause()
    const requests = sized(60, 200)
    wire.send(head('GET', '/docs').repeat(requests))
    await once(wire.socket, 'ready')
    const socket = await first(side.sockets)
    await stalls(socket, 'bytesWritten')
    assert.equal(socket.timeout, 60_000)
    wire.socket.resume()
    await wire.answers(requests)
    await stalls(socket, 'bytesWritten')
    assert.equal(socket.timeout, 0, 'and only while there is one')
    wire.close()
  })
})

async function first(sockets: ReadonlySet<Socket>): Promise<Socket> {
  await until(() => sockets.size > 0)
  return [...sockets][0] as Socket
}

/** Resolves when this side of the connection has moved nothing for a while. */
async function stalls(socket: Socket, count: 'bytesRead' | 'bytesWritten' = 'bytesRead'): Promise<void> {
  for (let before = -1; before !== socket[count]; ) {
    before = socket[count]
    await turns(200)
  }
}
