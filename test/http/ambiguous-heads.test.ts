import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { fields } from '../../src/http/fields.ts'
import { type Refusal, refuse } from '../../src/http/refusal.ts'
import { TextResponse } from '../../src/http/responses.ts'
import { haproxy, missing, nginx, plainCaddy } from '../support/balancer-programs.ts'
import { startBalancer } from '../support/balancers.ts'
import { startService } from '../support/service.ts'
import { itInFull } from '../support/size.ts'
import { ambiguousChunks, ambiguousHeads } from './ambiguous-heads.ts'
import { type Kit, type KitRouteSpec, kitRoute, startKit } from './kit.ts'
import { ask, head, Wire, type WireAnswer } from './wire.ts'

const ambiguous = [...ambiguousHeads, ...ambiguousChunks]
const hidden = head('POST', '/hidden', { 'Content-Length': 0 })
const statusesOf = (answers: readonly WireAnswer[]) => answers.map(({ status }) => status)

interface Stage extends Kit {
  /** Request IDs of the hidden requests that were run. */
  hiddenRuns(): string[]
}

async function startStage(others: readonly KitRouteSpec[] = [], options: Parameters<typeof startKit>[1] = {}) {
  const runs: string[] = []
  const text = (body: string) => () => new TextResponse(200, 'text/plain', body)
  const kit = await startKit(
    [
      kitRoute({ handle: text('here') }),
      kitRoute({ path: '/ready', handle: text('ready') }),
      kitRoute({ method: 'POST', body: fields({}) as never, handle: text('here') }),
      kitRoute({
        method: 'POST',
        path: '/hidden',
        handle({ requestId }) {
          runs.push(requestId)
          return text('hidden')()
        },
      }),
      ...others.map(kitRoute),
    ],
    options,
  )
  return { ...kit, hiddenRuns: () => runs.splice(0) } satisfies Stage
}

describe('Nothing behind an ambiguous request is run', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })

  for (const { title, bytes, status } of ambiguous) {
    it(title, async () => {
      const answers = await new Wire(stage.port).send(bytes + hidden).toTheEnd()
      assert.deepEqual(
        answers.map((answer) => [answer.status, answer.headers.connection]),
        [[status, 'close']],
      )
      const wire = new Wire(stage.port).send(bytes)
      await wire.answer()
      assert.deepEqual(statusesOf(await wire.send(hidden).toTheEnd()), [status])
      assert.deepEqual(stage.hiddenRuns(), [])
    })
  }

  it('though requests in front of it are pending, which get their responses', async () => {
    let asked = Promise.withResolvers<void>()
    let released = asked
    const handle = async () => {
      asked.resolve()
      await released.promise
      return new TextResponse(200, 'text/plain', 'slow')
    }
    const slow = await startStage([{ path: '/slow', handle }])
    for (const { title, bytes, status } of ambiguous) {
      asked = Promise.withResolvers<void>()
      released = Promise.withResolvers<void>()
      const wire = new Wire(slow.port).send(head('GET', '/slow').repeat(2) + bytes + hidden.repeat(3))
      await asked.promise
      released.resolve()
      const statuses = statusesOf(await wire.toTheEnd())
      // A head that the parser refuses gets no response of its own there.
      assert.deepEqual(statuses, statuses.length === 2 ? [200, 200] : [200, 200, status], title)
      assert.deepEqual(slow.hiddenRuns(), [], title)
    }
  })
})

describe('A head that is refused', () => {
  const tooMany: Refusal = { status: 429, message: 'Too many' }

  it('is refused before the gate, so that it gets no 429, which would keep the connection', async () => {
    const gate = { open: () => ({ enter: () => refuse(tooMany), leave: () => '' }), stop() {} }
    const { port, hiddenRuns } = await startStage([], { gate })
    assert.equal((await ask(port, head('GET', '/'))).status, 429)
    for (const { title, bytes, status } of ambiguousHeads)
      assert.deepEqual(statusesOf(await new Wire(port).send(bytes + hidden).toTheEnd()), [status], title)
    assert.deepEqual(hiddenRuns(), [])
  })

  it('gets 400 from the API too when the address is over its limit', async () => {
    const { port } = await startService({ env: { RATE_LIMIT_GLOBAL_MAX: '1' } })
    const get = head('GET', '/health')
    const twoHosts = 'GET /health HTTP/1.1\r\nHost: test\r\nHost: other\r\n\r\n'
    const answers = await new Wire(port).send(get + get + twoHosts + get).toTheEnd()
    assert.deepEqual(statusesOf(answers), [200, 429, 400])
  })
})

it('Nothing behind 401 for a body that was not asked for is run', async () => {
  const service = await startService()
  const expecting = head('POST', '/auth/password', { Expect: '100-continue', 'Content-Length': 2 })
  const health = head('GET', '/health')
  const wire = new Wire(service.port).send(expecting)
  await wire.answer()
  assert.deepEqual(statusesOf(await wire.send(`{}${health}`).toTheEnd()), [401])
  assert.deepEqual(statusesOf(await new Wire(service.port).send(`${expecting}{}${health}`).toTheEnd()), [401])
  assert.equal(service.logged().filter(({ path }) => path === '/health').length, 0)
})

it('Invalid bytes behind several pending requests take no response from them', async () => {
  const released = Promise.withResolvers<void>()
  const handle = async () => {
    await released.promise
    return new TextResponse(200, 'text/plain', 'slow')
  }
  const { port, hiddenRuns } = await startStage([{ path: '/slow', handle }])
  const wire = new Wire(port).send(`${head('GET', '/slow')}${hidden}NONSENSE\x00\r\n\r\n`)
  const next = new Wire(port).send(head('GET', '/'))
  await next.answer()
  released.resolve()
  assert.deepEqual(statusesOf(await wire.toTheEnd()), [200, 200])
  assert.equal(hiddenRuns().length, 1)
  next.close()
})

for (const proxy of [nginx, haproxy, plainCaddy]) {
  itInFull(
    `Behind ${proxy.name}, whatever is run is answered to the client that sent it`,
    {
      skip: missing(proxy),
    },
    async () => {
      const echo = ({ params }: { params: object }) => new TextResponse(200, 'text/plain', Object.values(params).join())
      const stage = await startStage([{ path: '/echo/:word', handle: echo }])
      const port = await startBalancer(proxy, [stage.port])
      for (const [index, { title, bytes }] of ambiguous.entries()) {
        const last = head('POST', '/hidden', { 'Content-Length': 0, Connection: 'close' })
        const answers = await new Wire(port).send(bytes + last).toTheEnd()
        const answered = answers.map(({ headers }) => headers['x-request-id'])
        for (const id of stage.hiddenRuns()) assert.ok(answered.includes(id), `${title}: ${statusesOf(answers)}`)
        // On another connection, which may use the same connection from the proxy to us.
        assert.equal((await ask(port, head('GET', `/echo/${index}`))).body, String(index), title)
      }
    },
  )
}
