import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { type Client, type ClientOptions, createClient, MenagerieError } from '../../client/src/client.ts'
import { turns } from '../support/until.ts'

type Reply = number | [status: number, retryAfter: string] | 'unreachable'

/** A client whose service sends these replies, then 200, and its requests so far. Waits pass by `t.mock.timers`. */
function stage(t: TestContext, replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: Date.parse('2026-01-01T00:00:00Z') })
  const asked: string[] = []
  const scripted: typeof fetch = async (url, { method, signal } = {}) => {
    const reply = replies[asked.push(`${method} ${url}`) - 1] ?? 200
    signal?.throwIfAborted()
    if (reply === 'unreachable') throw new TypeError('fetch failed')
    const [status, retryAfter] = typeof reply === 'number' ? [reply] : reply
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    return Response.json({ status, message: `reply ${asked.length}` }, { status, headers })
  }
  return { asked, client: createClient({ url: 'http://service/base/', fetch: scripted, ...options }) }
}

/** Runs `call` to its end, letting its waits pass; returns how long it waited, and what it threw. */
async function run(t: TestContext, call: Promise<unknown>) {
  const started = Date.now()
  let end: { error?: MenagerieError } | undefined
  call.then(
    () => (end = {}),
    (error) => (end = { error }),
  )
  for (;;) {
    await turns(5)
    if (end !== undefined) return { ...end, waitedMs: Date.now() - started }
    t.mock.timers.tick(50)
  }
}

const random = ({ images }: Client) => images.random('fox')
const ban = ({ admin }: Client) => admin.ban({ username: 'alice' })

describe('The retries of the client', () => {
  const retried: [string, (client: Client) => Promise<unknown>, Reply][] = [
    ['a GET without a reply', random, 'unreachable'],
    ['a GET with 502', random, 502],
    ['a GET with 503', random, 503],
    ['a GET with 504', random, 504],
  ]
  for (const [what, call, reply] of retried)
    it(`repeat ${what} twice, with a growing wait`, async (t) => {
      const { asked, client } = stage(t, [reply, reply])
      const { error, waitedMs } = await run(t, call(client))
      assert.equal(error, undefined)
      assert.deepEqual(asked, Array(3).fill('GET http://service/base/images/fox/random'))
      assert.ok(waitedMs >= 350 && waitedMs <= 1_250, String(waitedMs))
    })

  it('wait as long as Retry-After says, for any method, in seconds or until a date', async (t) => {
    const { asked, client } = stage(t, [
      [429, '7'],
      [503, 'Thu, 01 Jan 2026 00:00:20 GMT'],
    ])
    const { error, waitedMs } = await run(t, ban(client))
    assert.deepEqual([error, asked.length, waitedMs], [undefined, 3, 20_000])
  })

  it('never repeat what may have had an effect, or what was refused', async (t) => {
    for (const reply of ['unreachable', 500, 502, 503, 504, 429, [502, '1']] satisfies Reply[]) {
      const { asked, client } = stage(t, [reply])
      const { error, waitedMs } = await run(t, ban(client))
      assert.deepEqual([error instanceof MenagerieError, asked.length, waitedMs], [true, 1, 0], String(reply))
      t.mock.timers.reset()
    }
    for (const reply of [400, 401, 403, 404, 429, 500]) {
      const { asked, client } = stage(t, [reply])
      const { error } = await run(t, random(client))
      assert.deepEqual([error?.status, asked.length], [reply, 1])
      t.mock.timers.reset()
    }
  })

  it('end after the number set in the options, and throw the last reply', async (t) => {
    const { asked, client } = stage(t, Array(9).fill([503, '1']), { retries: 4 })
    const { error, waitedMs } = await run(t, random(client))
    assert.deepEqual([error?.text, asked.length, waitedMs], ['reply 5', 5, 4_000])
  })

  it('do not wait longer than maxWaitMs, but throw an error with the required wait', async (t) => {
    const { asked, client } = stage(t, [[429, '31']])
    const { error, waitedMs } = await run(t, random(client))
    assert.deepEqual([error?.status, error?.retryAfterMs, asked.length, waitedMs], [429, 31_000, 1, 0])
  })

  it('end with the signal, which also ends a wait', async (t) => {
    const abort = new AbortController()
    const { asked, client } = stage(t, [[503, '20']])
    const call = client.images.random('fox', { signal: abort.signal })
    await turns(5)
    abort.abort('given up')
    await assert.rejects(call, (reason) => reason === 'given up')
    await assert.rejects(client.health({ signal: abort.signal }), (reason) => reason === 'given up')
    assert.equal(asked.length, 1)
  })

  it('are none for health and readiness, whose failure is the reply', async (t) => {
    const { asked, client } = stage(t, [503, 'unreachable'])
    assert.equal((await run(t, client.ready())).error?.text, 'reply 1')
    assert.equal((await run(t, client.health())).error?.status, 0)
    assert.equal(asked.length, 2)
  })
})

it('A client refuses a URL of another scheme at once', () => {
  for (const url of ['localhost:3000', 'ftp://localhost']) assert.throws(() => createClient({ url }), TypeError, url)
})

describe('A MenagerieError', () => {
  const errorOf = async (reply: Response | Error) => {
    const scripted = async () => {
      if (reply instanceof Error) throw reply
      return reply
    }
    const { images } = createClient({ url: 'http://service', fetch: scripted, retries: 0 })
    return images.random().catch((error: MenagerieError) => error as MenagerieError) as Promise<MenagerieError>
  }

  it('has a status and a text of whatever else replied, and no envelope', async () => {
    const html = await errorOf(new Response('<h1>Bad Gateway</h1>', { status: 502, statusText: 'Bad Gateway' }))
    assert.deepEqual([html.status, html.text, html.envelope], [502, 'Bad Gateway', undefined])
    const other = await errorOf(Response.json([1], { status: 418 }))
    assert.deepEqual([other.status, other.text, other.envelope], [418, 'unexpected reply', undefined])
  })

  it('has the status 0 and the cause, if no reply came or it was not JSON', async () => {
    const cause = new TypeError('fetch failed')
    const away = await errorOf(cause)
    assert.deepEqual([away.status, away.message, away.cause], [0, 'GET /images/random: fetch failed', cause])
    assert.ok((await errorOf(new Response('<h1>Sign in</h1>'))).cause instanceof SyntaxError)
  })
})
