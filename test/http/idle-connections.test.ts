import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { TextResponse } from '../../src/http/responses.ts'
import { kitRoute, startKit } from './kit.ts'
import { head, Wire } from './wire.ts'

/** A service that checks its connections when the test says so, with a route whose response the test releases. */
async function quietService(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const asked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const route = (path: string, handle: () => unknown) => kitRoute({ path, handle })
  const text = () => new TextResponse(200, 'text/plain', 'here'.repeat(2_000))
  const { port, listening } = await startKit([
    route('/', text),
    route('/slow', async () => {
      asked.resolve()
      await released.promise
      return text()
    }),
  ])
  t.after(() => listening.close(0))
  return { port, asked: asked.promise, release: released.resolve, pass: (ms: number) => t.mock.timers.tick(ms) }
}

describe('A connection', () => {
  it('is closed after 72 s without a request, at the next check', async (t) => {
    const { port, pass } = await quietService(t)
    const wire = new Wire(port).send(head('GET', '/'))
    assert.match((await wire.answer()).headers['keep-alive'] ?? '', /^timeout=72$/)
    pass(72_000)
    assert.equal((await wire.send(head('GET', '/')).answers(2)).length, 2)
    pass(72_000)
    const closed = once(wire.socket, 'close')
    pass(4_000)
    await closed
  })

  it('is closed even before its first request', async (t) => {
    const { port, pass } = await quietService(t)
    const wire = new Wire(port)
    await once(wire.socket, 'ready')
    // The response to this connection proves that the previous one was accepted.
    await new Wire(port).send(head('GET', '/')).answer()
    const closed = once(wire.socket, 'close')
    pass(76_000)
    await closed
  })

  it('stays open with occasional requests, and while a response is pending', async (t) => {
    const { port, asked, release, pass } = await quietService(t)
    const talking = new Wire(port)
    const waiting = new Wire(port).send(head('GET', '/slow'))
    await asked
    for (let count = 1; count <= 5; count++) {
      await talking.send(head('GET', '/')).answers(count)
      pass(72_000)
    }
    release()
    assert.equal((await waiting.answer()).status, 200)
    pass(72_000)
    assert.equal((await waiting.send(head('GET', '/')).answers(2)).length, 2, 'from the end of the answer on')
    waiting.close()
    talking.close()
  })

  it('whose client was slow once has its full timeout again afterwards', async (t) => {
    const { port, pass } = await quietService(t)
    const wire = new Wire(port)
    wire.socket.pause()
    wire.send(head('GET', '/').repeat(1_000))
    await once(wire.socket, 'ready')
    wire.socket.resume()
    await wire.answers(1_000)
    pass(72_000)
    assert.equal((await wire.send(head('GET', '/')).answers(1_001)).length, 1_001)
    wire.close()
  })
})
