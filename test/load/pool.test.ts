import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { get } from '../../bench/connection.ts'
import { createPool, type PoolOptions } from '../../bench/load/pool.ts'
import { until } from '../support/until.ts'

async function stage(t: TestContext, options: PoolOptions) {
  const held: ServerResponse[] = []
  const seen = { requests: 0, connections: 0, closed: 0 }
  const server = createServer((request, response) => {
    seen.requests += 1
    if (request.url === '/held') held.push(response)
    else response.writeHead(200, { 'Content-Length': 2 }).end('ok')
  })
  server.on('connection', (socket) => {
    seen.connections += 1
    socket.once('close', () => {
      seen.closed += 1
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const pool = createPool((server.address() as AddressInfo).port, options)
  t.after(() => {
    pool.close()
    server.close().closeAllConnections()
  })
  const answerHeld = () => {
    for (const response of held.splice(0)) response.writeHead(200, { 'Content-Length': 2 }).end('ok')
  }
  const send = (path: string, dueAt = performance.now()) => pool.send(get(path), dueAt)
  return { send, seen, held, answerHeld, server }
}

describe('The connections of an open loop', () => {
  it('are reused, and opened up to the maximum only: further requests wait for one', async (t) => {
    const { send, seen, held, answerHeld } = await stage(t, { maxConnections: 2 })
    for (let index = 0; index < 3; index += 1) assert.equal((await send('/')).status, 200)
    assert.equal(seen.connections, 1)
    const all = [send('/held'), send('/held'), send('/')]
    await until(() => held.length === 2)
    assert.deepEqual([seen.requests, seen.connections], [5, 2])
    answerHeld()
    assert.deepEqual(
      (await Promise.all(all)).map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal(seen.connections, 2)
  })

  it('count the time from when a request was due', async (t) => {
    const { send } = await stage(t, { maxConnections: 1 })
    const { ms } = await send('/', performance.now() - 5000)
    assert.ok(ms >= 5000, String(ms))
  })

  it('are opened again once the service has closed them', async (t) => {
    const { send, seen, server } = await stage(t, { maxConnections: 1 })
    assert.equal((await send('/')).status, 200)
    server.closeIdleConnections()
    await until(() => seen.closed === 1)
    await until(async () => (await send('/')).status === 200)
    assert.equal((await send('/')).status, 200)
    assert.equal(seen.connections, 2)
  })

  it('tell a broken connection and a request that was given up from an answer', async (t) => {
    const { send, held, server } = await stage(t, { maxConnections: 1, giveUpMs: 60_000 })
    const broken = send('/held')
    await until(() => held.length === 1)
    const late = send('/', performance.now() - 60_001)
    server.closeAllConnections()
    assert.deepEqual([(await broken).status, (await late).status], [0, -1])
    assert.equal((await send('/')).status, 200)
  })
})
