import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import type { Call } from '../../src/http/call.ts'
import { fields, optional, required } from '../../src/http/fields.ts'
import { listen } from '../../src/http/listen.ts'
import { type Refusal, refuse } from '../../src/http/refusal.ts'
import { JsonResponse, TextResponse } from '../../src/http/responses.ts'
import { open } from '../../src/http/route.ts'
import { literal, object } from '../../src/http/schema.ts'
import { TooSlow, Unavailable } from '../../src/lib/unavailable.ts'
import { fakeClock } from '../support/clock.ts'
import { inTime, until } from '../support/until.ts'
import { type Kit, type KitRouteSpec, kitRoute, startKit } from './kit.ts'
import { head, refused, Wire } from './wire.ts'

const gone: Refusal = { status: 410, message: 'Gone, says <MAINTAINER> and <NOBODY>' }

const route = (handle: (call: Call) => unknown, spec: KitRouteSpec = {}) =>
  kitRoute({
    path: '/thing',
    envelope: 'status',
    reply: { status: 200, schema: object({ ok: literal(true) }) },
    handle,
    ...spec,
  })

/** The same act, once synchronous and once asynchronous: both ways through the kit. */
const bothWays = (act: () => unknown) => [route(act), route(async () => act(), { path: '/later' })]

async function assertBoth(kit: Kit, status: number, body: object): Promise<void> {
  for (const path of ['/thing', '/later']) {
    const { status: got, text } = await kit.request(path)
    assert.deepEqual([got, JSON.parse(text)], [status, body], path)
  }
}

describe('A route', () => {
  it('refuses in its envelope, with the settings that the message names, and keeps unknown names', async () => {
    const refusing = bothWays(() => refuse(gone)).map((each) => ({ ...each, errors: [gone] }))
    await assertBoth(await startKit(refusing), 410, { status: 410, message: 'Gone, says Ada and <NOBODY>' })
  })

  it('may not refuse with an undeclared error: in development that fails', async () => {
    const refusing = bothWays(() => refuse(gone))
    await assertBoth(await startKit(refusing), 500, {
      message: 'undeclared refusal: Gone, says Ada and <NOBODY>',
      stack: 'N/A',
    })
    await assertBoth(await startKit(refusing, { strict: false }), 410, {
      status: 410,
      message: 'Gone, says Ada and <NOBODY>',
    })
  })

  it('may not reply with undeclared fields: in development that fails', async () => {
    const wrong = bothWays(() => ({ ok: 1 }))
    await assertBoth(await startKit(wrong), 500, { message: 'Internal Server Error', stack: 'N/A' })
    await assertBoth(await startKit(wrong, { strict: false }), 200, { ok: 1 })
    await assertBoth(await startKit(bothWays(() => new JsonResponse(202, { ok: true }))), 500, {
      message: 'Internal Server Error',
      stack: 'N/A',
    })
  })

  it('that fails returns its own text in its own envelope for any error, and the log has the error', async () => {
    const errors = [new Error('a detail'), new Unavailable('the object store'), 'a string', undefined]
    for (const error of [...errors, new Unavailable('database')]) {
      const failing = bothWays(() => {
        throw error
      }).map((each) => ({ ...each, onFailure: 'Failed to do the thing' }))
      const kit = await startKit(failing)
      // The database takes no writes: the client may repeat its request.
      const status = errors.includes(error) ? 500 : 503
      await assertBoth(kit, status, { status, message: 'Failed to do the thing' })
      assert.equal((await kit.request('/thing')).headers.get('retry-after'), status === 503 ? '1' : null)
      assert.ok(kit.logged().some(({ level }) => level === 'error'))
    }
  })

  it('that fails without a text of its own returns 500 {message, stack}', async () => {
    await assertBoth(
      await startKit(
        bothWays(() => {
          throw new Error('a detail')
        }),
      ),
      500,
      { message: 'Internal Server Error', stack: 'N/A' },
    )
  })

  it('whose database is down returns 503 {status, message} with Retry-After, and logs it at most once a second', async () => {
    const clock = fakeClock()
    const fails = bothWays(() => {
      throw new Unavailable('database', new Error('ECONNREFUSED'))
    })
    const kit = await startKit(fails, { clock })
    const body = { status: 503, message: 'Service is temporarily unavailable, please try again' }
    await assertBoth(kit, 503, body)
    assert.equal((await kit.request('/thing')).headers.get('retry-after'), '1')
    const errors = () => kit.logged().filter(({ level }) => level === 'error').length
    assert.equal(errors(), 1)
    clock.advance(1_000)
    await assertBoth(kit, 503, body)
    assert.equal(errors(), 2)
  })

  it('whose database is too slow returns the same 503, and logs a warning with the path', async () => {
    const kit = await startKit(
      bothWays(() => {
        throw new TooSlow('database', new Error('canceling statement due to statement timeout'))
      }),
    )
    const reply = await kit.request('/thing')
    assert.deepEqual([reply.status, reply.headers.get('retry-after')], [503, '1'])
    const warnings = kit.logged().filter(({ level }) => level === 'warn')
    assert.deepEqual(
      warnings.map(({ msg, path }) => [msg, path]),
      [['database took too long', '/thing']],
    )
  })

  it('does not use its own error text if the guard fails', async () => {
    const access = {
      ...open,
      admit: () => {
        throw new Unavailable('database')
      },
    }
    const kit = await startKit([route(() => ({ ok: true }), { access, onFailure: 'Failed to do the thing' })])
    assert.equal((await kit.request('/thing')).status, 503)
  })

  it('may return another type, with headers that override the default ones', async () => {
    const page = () =>
      new TextResponse(200, 'text/plain; charset=utf-8', Buffer.from('é'), {
        'Cache-Control': 'no-cache',
        'X-Own': 'yes',
      })
    const kit = await startKit([route(page, { reply: { status: 200, type: 'text/plain; charset=utf-8' } })])
    const { text, headers } = await kit.request('/thing')
    assert.deepEqual(
      [text, headers.get('cache-control'), headers.get('x-own'), headers.get('content-length')],
      ['é', 'no-cache', 'yes', '2'],
    )
  })

  it('gets decoded parameters and its query, with the first of repeated values and without unknown ones', async () => {
    const seen: unknown[] = []
    const needed: Refusal = { status: 400, message: 'q is required' }
    const query = fields({ q: required(needed), r: optional() })
    const spec = {
      path: '/thing/:name',
      query: query as never,
      reply: { status: 200, schema: object({ ok: literal(true) }) },
    }
    const kit = await startKit([
      route((call) => {
        seen.push({ ...call.params }, { ...(call.query as object | null) })
        return { ok: true }
      }, spec),
    ])
    assert.equal((await kit.request('/thing/a%2Fb%20c?q=1&q=2&s=3&r=%C3%A9+x')).status, 200)
    assert.deepEqual(seen, [{ name: 'a/b c' }, { q: '1', r: 'é x' }])
    assert.equal((await kit.request('/thing/x?q=')).text, '{"status":400,"message":"q is required"}')
    assert.equal((await kit.request('/thing/')).status, 404)
  })

  it('that reads a body gets at most its own maximum, 64 KB by default', async () => {
    const missing: Refusal = { status: 400, message: 'x is required' }
    const spec = { method: 'POST' as const, body: fields({ x: required(missing) }) as never }
    const kit = await startKit([
      route(() => ({ ok: true }), spec),
      route(() => ({ ok: true }), { ...spec, path: '/small', bodyLimitBytes: 10 }),
    ])
    const post = async (path: string, bytes: number) =>
      (
        await kit.request(path, {
          method: 'POST',
          body: `{"x":"${'a'.repeat(bytes - 8)}"}`,
          headers: { 'content-type': 'application/json' },
        })
      ).status
    assert.deepEqual([await post('/thing', 65_536), await post('/thing', 65_537)], [200, 413])
    assert.deepEqual([await post('/small', 10), await post('/small', 11)], [200, 413])
  })

  it('has a signal that aborts when its client leaves', async () => {
    const { promise: aborted, resolve } = Promise.withResolvers<void>()
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const waiting = route(({ signal }) => {
      signal.addEventListener('abort', () => resolve())
      call()
      return aborted.then(() => ({ ok: true }))
    })
    const kit = await startKit([waiting])
    const wire = new Wire(kit.port).send(head('GET', '/thing'))
    await called
    wire.close()
    await aborted
  })
})

describe('The server', () => {
  it('listens on every address of localhost, with one port', async () => {
    const kit = await startKit([route(() => ({ ok: true }))], {}, 'localhost')
    assert.ok(kit.listening.addresses.includes('127.0.0.1'))
    for (const address of kit.listening.addresses) {
      const host = address.includes(':') ? `[${address}]` : address
      assert.equal((await fetch(`http://${host}:${kit.port}/thing`)).status, 200)
    }
  })

  it('fails with the code of the address in use, and listens nowhere', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    const kit = await startKit([])
    const service = { options: { logs: { log: {} } }, handle() {}, stop() {} } as never
    await assert.rejects(listen(service, { host: '127.0.0.1', port }), { code: 'EADDRINUSE' })
    await assert.rejects(listen(service, { host: 'localhost', port }), { code: 'EADDRINUSE' })
    await assert.rejects(
      listen(service, { host: 'no-such-host.invalid', port: 0 }),
      /ENOTFOUND|EAI_AGAIN|not looked up/,
    )
    assert.ok(kit.port)
  })

  it('closes once pending requests have been answered, and not before', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const waiting = route(() => {
      call()
      return released.then(() => ({ ok: true }))
    })
    const kit = await startKit([waiting, route(() => ({ ok: true }), { path: '/now' })])
    const wires = [
      new Wire(kit.port).send(head('GET', '/now')),
      new Wire(kit.port),
      new Wire(kit.port).send(head('GET', '/thing')),
    ]
    await wires[0]?.answer()
    await called
    const closed = kit.listening.close(60_000)
    await refused(kit.port)
    release()
    const answer = await wires[2]?.answer()
    assert.deepEqual([answer?.json, answer?.headers.connection], [{ ok: true }, 'close'])
    // In less than the minute that it might take.
    await inTime(closed, 'the end of what was under way')
    for (const wire of wires) await wire.toTheEnd()
  })

  it('closes once a long response has been read, despite keep-alive', async () => {
    const text = 'x'.repeat(20_000_000)
    const kit = await startKit([
      route(() => new TextResponse(200, 'text/plain', text), { reply: { status: 200, type: 'text/plain' } }),
    ])
    const wire = new Wire(kit.port)
    await once(wire.socket, 'connect')
    wire.socket.pause()
    wire.send(head('GET', '/thing'))
    await until(() => kit.lines.length > 0)
    const closed = kit.listening.close(60_000)
    wire.socket.resume()
    const answer = await wire.answer()
    assert.deepEqual([answer.headers.connection, answer.body.length], ['keep-alive', text.length])
    // In less than the minute that it might take.
    await inTime(closed, 'the end of what was under way')
    wire.close()
  })

  it('aborts whatever has not ended after the grace period', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const waiting = route(() => {
      call()
      return new Promise(() => {})
    })
    const kit = await startKit([waiting])
    const wire = new Wire(kit.port).send(head('GET', '/thing'))
    await called
    await kit.listening.close(10)
    assert.deepEqual(await wire.toTheEnd(), [])
  })
})
