import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { Worker } from 'node:worker_threads'
import { backlog, closeListeners } from '../../src/http/backlog.ts'
import { createConnections } from '../../src/http/connections.ts'
import { head } from './wire.ts'

/**
 * Opens a connection for each message, sends a request, and wakes the other thread once it is open. Counts how they
 * ended, until one is refused.
 */
const client = `
  const { connect } = require('node:net')
  const { parentPort, workerData: { port, request, opened } } = require('node:worker_threads')
  const counts = {}
  let open = 0
  parentPort.on('message', () => {
    let end = 'nothing'
    open++
    connect({ port, host: '127.0.0.1' })
      .on('connect', () => (Atomics.add(opened, 0, 1), Atomics.notify(opened, 0)))
      .on('error', ({ code }) => (end = code))
      .on('data', () => (end = 'answered'))
      .on('close', () => {
        counts[end] = (counts[end] ?? 0) + 1
        if (--open === 0 && counts.ECONNREFUSED) parentPort.postMessage(counts)
      })
      .write(request)
  })`
const request = head('GET', '/', { Connection: 'close' })
/** A connection that is not open by then was dropped. */
const droppedMs = 1_000

async function openServer() {
  const server = createServer((_, res) => void res.end('here'))
  const connections = createConnections()
  server.on('connection', connections.add)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port, close: () => closeListeners([server], connections) }
}

/** How connections end that the kernel queues before the process can accept any. */
async function endsOf(count: number, port: number, close: () => Promise<void>): Promise<string[]> {
  const endOf = (socket: Socket) =>
    new Promise<string>((resolve) => {
      socket
        .once('data', () => resolve('answered'))
        .once('error', (error) => resolve(String(Reflect.get(error, 'code'))))
      socket.write(request)
    })
  const ending = Array.from({ length: count }, () => endOf(connect({ port, host: '127.0.0.1' })))
  await close()
  return [...new Set(await Promise.all(ending))].sort()
}

const handleOf = (server: Server): { listen(backlog: number): number } => Reflect.get(server, '_handle')

describe('Closing a listening socket', () => {
  it('resets no connection even if one arrives in each turn of the event loop', { timeout: 60_000 }, async (t) => {
    const { server, port, close } = await openServer()
    const opened = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(client, { eval: true, workerData: { port, request, opened } })
    t.after(() => worker.terminate())
    await once(worker, 'online')
    const counted = once(worker, 'message')
    let turns = 0
    // This thread waits for it: the kernel holds the connection before the turn goes on.
    const arrive = () => {
      turns++
      const before = Atomics.load(opened, 0)
      worker.postMessage(null)
      Atomics.wait(opened, 0, before, droppedMs)
      if (server.listening) setImmediate(arrive)
    }
    setImmediate(arrive)
    await close()
    const [{ answered, ECONNREFUSED: refused, ...others }] = await counted
    assert.deepEqual(others, {})
    assert.ok(answered > 0 && refused > 0)
    t.diagnostic(`${answered} answered and ${refused} refused, closed after ${turns} turns`)
  })

  it('resets no connection of a full backlog', { timeout: 60_000 }, async () => {
    const { port, close } = await openServer()
    assert.deepEqual(await endsOf(backlog + 100, port, close), ['ECONNREFUSED', 'answered'])
  })

  for (const [what, listen] of [
    ['cannot be changed', () => -1],
    ['stays as long as before', () => 0],
  ] as const)
    it(`first accepts what the kernel holds if the backlog ${what}`, { timeout: 60_000 }, async () => {
      const { server, port, close } = await openServer()
      handleOf(server).listen = listen
      assert.deepEqual(await endsOf(64, port, close), ['answered'])
    })
})
