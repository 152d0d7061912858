import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { TextResponse } from '../../src/http/responses.ts'
import { type Kit, kitRoute, startKit } from './kit.ts'
import { head, refused, Wire } from './wire.ts'

const graceMs = 20_000
const get = head('GET', '/')
const large = 'x'.repeat(20_000_000)

interface Stage extends Kit {
  /** Requests to `/slow` that have been taken, and wait. */
  readonly asked: Promise<void>
  release(): void
}

async function startStage(): Promise<Stage> {
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const route = (path: string, handle: () => unknown) => kitRoute({ path, handle })
  const text = (body: string) => () => new TextResponse(200, 'text/plain', body)
  const slow = async () => {
    asked.resolve()
    await released.promise
    return text('slow')()
  }
  const kit = await startKit([route('/', text('here')), route('/large', text(large)), route('/slow', slow)])
  return { ...kit, asked: asked.promise, release: released.resolve }
}

const connectionOf = ({ headers }: { headers: Readonly<Record<string, string>> }) => headers.connection

/** Connected, and known to the server: it has answered once. */
async function keptAlive(port: number): Promise<Wire> {
  const wire = new Wire(port).send(get)
  await wire.answer()
  return wire
}

// Concurrent, since they mostly wait.
describe('A shutdown', { concurrency: true }, () => {
  it('answers requests that the kernel has received and the process has not read', async () => {
    const { port, listening } = await startStage()
    const wires = await Promise.all(Array.from({ length: 64 }, () => keptAlive(port)))
    // Written before this turn ends, and so before the server can read.
    for (const wire of wires) wire.send(get)
    const closed = listening.close(graceMs)
    for (const wire of wires) assert.equal((await wire.toTheEnd()).length, 2)
    await closed
  })

  it('answers on connections that were not accepted yet', async () => {
    const { port, listening } = await startStage()
    // The kernel completes the handshake; the process accepts in a later turn.
    const wires = Array.from({ length: 64 }, () => new Wire(port).send(get))
    const closed = listening.close(graceMs)
    for (const wire of wires) assert.equal((await wire.answer()).status, 200)
    await closed
  })

  it('answers busy clients until a response says close, which is the last of the pipelined ones', async () => {
    const { port, listening } = await startStage()
    const burst = 5
    const talk = async (wire: Wire) => {
      for (let bursts = 1; ; bursts++) {
        const answers = (await wire.send(get.repeat(burst)).answers(1 + bursts * burst)).slice(-burst).map(connectionOf)
        if (answers.includes('close')) return answers
      }
    }
    const wires = await Promise.all(Array.from({ length: 16 }, () => keptAlive(port)))
    const talking = wires.map(talk)
    const closed = listening.close(graceMs)
    for (const last of await Promise.all(talking))
      assert.deepEqual(last, [...Array(burst - 1).fill('keep-alive'), 'close'])
    await closed
  })

  it('answers requests queued behind a slow one', async () => {
    const { port, listening, asked, release } = await startStage()
    const wire = new Wire(port).send(head('GET', '/slow') + get + get)
    await asked
    const closed = listening.close(graceMs)
    await refused(port)
    wire.send(get)
    release()
    assert.deepEqual(
      (await wire.toTheEnd()).map(({ body }) => body),
      ['slow', 'here', 'here', 'here'],
    )
    await closed
  })

  it('closes idle connections despite a client that reads its response slowly', async () => {
    const { port, listening } = await startStage()
    const reader = new Wire(port)
    await once(reader.socket, 'ready')
    reader.socket.pause()
    reader.send(head('GET', '/large'))
    const [idle, silent] = [await keptAlive(port), new Wire(port)]
    await once(silent.socket, 'ready')
    const closed = listening.close(graceMs)
    await Promise.all([idle.toTheEnd(), silent.toTheEnd()])
    reader.socket.resume()
    assert.equal((await reader.answer()).body.length, large.length)
    await closed
  })

  it('resets no connection whose client sends an unread body', async () => {
    const { port, listening } = await startStage()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const received = collect(socket)
    socket.write(head('POST', '/', { 'Content-Length': 200_000 }) + 'x'.repeat(1_000))
    await once(socket, 'data')
    // From here on: on a busy machine it may come before the port is found closed.
    const ended = once(socket, 'end')
    const closed = listening.close(graceMs)
    await refused(port)
    socket.write('x'.repeat(199_000))
    await ended
    socket.end()
    assert.match(received(), /^HTTP\/1\.1 404 .*Not Found - POST/s)
    await closed
  })

  it('executes no request that arrives after it has closed the connection', async () => {
    const { port, listening, lines } = await startStage()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    const received = collect(socket)
    socket.write(get)
    await once(socket, 'data')
    const closed = listening.close(graceMs)
    await once(socket, 'end')
    socket.write(get)
    socket.end()
    // Ended, not reset: the client knows that the request was not taken.
    await once(socket, 'close')
    assert.equal(received().match(/HTTP\/1\.1/g)?.length, 1)
    await closed
    assert.equal(lines.length, 1)
  })

  it('does not wait for a client that never closes its side', async () => {
    const { port, listening } = await startStage()
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(get)
    await once(socket, 'data')
    await listening.close(2_147_483_647)
    socket.destroy()
  })
})

function collect(socket: Socket): () => string {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return () => text
}
