import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Redis, RedisConnection } from '../../../src/drivers/counters/redis.ts'
import { openRedisLink, redisTimes } from '../../../src/drivers/counters/redis-link.ts'

const never = new Promise<never>(() => {})
const run = { script: { digest: '', source: '' }, keys: [], args: [] } as unknown as Parameters<
  RedisConnection['run']
>[0]

/** With the default times, on a Redis that does what the test says. */
function stage(t: TestContext, { connects = true as boolean | 'never' } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const redis = { connects, answers: true, attempts: [] as number[], lose: (_: unknown) => {} }
  const said: string[] = []
  const connection: Redis['connection'] = (onLost) => {
    redis.lose = onLost
    return {
      connect: async () => {
        redis.attempts.push(now)
        if (redis.connects === 'never') await never
        if (!redis.connects) throw new Error('refused')
      },
      run: () => (redis.answers ? Promise.resolve(null) : never),
      ping: () => (redis.answers ? Promise.resolve('PONG') : never),
      subscribe: () => never,
      send: () => never,
      hold() {},
      close: () => (redis.answers ? Promise.resolve() : never),
      destroy() {},
    }
  }
  return {
    redis,
    said,
    opening: openRedisLink({
      redis: { connection, reason: (error) => error as Error },
      log: {
        info: (text: unknown) => void said.push(String(text).split(':')[0] ?? ''),
        warn: (_: unknown, text: unknown) => void said.push(String(text).split(':')[0] ?? ''),
      } as never,
      prove: async (made) => {
        await made.run(run)
        return () => {}
      },
      onUp() {},
      times: redisTimes,
    }),
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 25) {
        now += 25
        t.mock.timers.tick(25)
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

const followed = (promise: Promise<unknown>) => {
  const state = { isSettled: false }
  const settle = () => {
    state.isSettled = true
  }
  promise.then(settle, settle)
  return state
}

describe('A Redis that does not respond', () => {
  it('delays the start by at most half a second', async (t) => {
    const { opening, pass } = stage(t, { connects: 'never' })
    const opened = followed(opening)
    await pass(475)
    assert.equal(opened.isSettled, false)
    await pass(25)
    assert.equal(opened.isSettled, true)
    assert.equal((await opening).isUp, false)
  })

  it('delays one request by at most 200 ms, and the next ones not at all', async (t) => {
    const { redis, opening, pass } = stage(t)
    const link = await opening
    redis.answers = false
    const asked = link.run(run)
    const state = followed(asked)
    await pass(200 - 25)
    assert.deepEqual([state.isSettled, link.isUp], [false, true])
    await pass(50)
    assert.equal(link.isUp, false)
    await assert.rejects(link.run(run), /Redis is unavailable/)
  })

  it('is found by a check, though nothing else is sent', async (t) => {
    const { redis, opening, pass } = stage(t)
    const link = await opening
    await link.check()
    assert.deepEqual([link.isUp, link.health], [true, 'up'])
    redis.answers = false
    void link.check()
    await pass(250)
    assert.equal(link.isUp, false)
    await link.check()
    await pass(2_000)
    assert.equal(link.health, 'slow')
    redis.connects = redis.answers = true
    await pass(5_000)
    assert.deepEqual([link.isUp, link.health], [true, 'up'])
  })

  it('delays the shutdown by at most a quarter of a second', async (t) => {
    const { redis, opening, pass } = stage(t)
    const link = await opening
    redis.answers = false
    const closed = followed(link.close())
    await pass(225)
    assert.equal(closed.isSettled, false)
    await pass(25)
    assert.equal(closed.isSettled, true)
  })
})

describe('A Redis that was unavailable', () => {
  it('is used again within five seconds of its return, however long and often it was unavailable', async (t) => {
    const { redis, opening, said, pass } = stage(t)
    const link = await opening
    for (const awayMs of [100, 5_000, 1_000, 60_000, 700]) {
      redis.connects = redis.answers = false
      link.run(run).catch(() => {})
      redis.lose(new Error('reset'))
      await pass(awayMs)
      assert.equal(link.isUp, false)
      redis.connects = redis.answers = true
      await pass(5_000)
      assert.equal(link.isUp, true, `${awayMs} ms`)
    }
    assert.deepEqual(said, Array(5).fill(['Redis is unavailable', 'Redis is back']).flat())
  })

  it('is tried at most once a second', async (t) => {
    const { redis, opening, pass } = stage(t, { connects: false })
    const link = await opening
    await pass(10_000)
    assert.deepEqual([redis.attempts.length, link.isUp], [11, false])
  })
})
