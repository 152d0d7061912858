import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { createClient } from '@redis/client'
import { createMemoryCounters } from '../../../src/drivers/counters/memory.ts'
import { openLimitStore } from '../../../src/drivers/counters/redis-admin.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import type { CounterOp, Subjects } from '../../../src/limits/counters.ts'
import { fakeClock } from '../../support/clock.ts'
import { freePort } from '../../support/free-port.ts'
import { redisSkip, redisUrl } from '../../support/redis.ts'
import { itInFull } from '../../support/size.ts'
import { until } from '../../support/until.ts'
import { type CountersStage, countersContract, hitOne, somebody, takeOne } from './counters.contract.ts'
import { failuresScope, instanceOn, ownRedis, ownRedisSkip, requestsScope, sendTo } from './redis-stage.ts'

const url = redisUrl ?? ''

const inMemory: CountersStage = {
  name: 'in memory',
  skip: false,
  async make() {
    const clock = fakeClock()
    const counters = createMemoryCounters({ clock })
    return { counters, clock, pass: async (ms) => clock.advance(ms), drop: () => counters.close() }
  },
}

/** Ages all counters of a subject, so that no test has to wait. */
const ageScript = `
local cursor = '0'
repeat
  local found = redis.call('SCAN', cursor, 'MATCH', ARGV[1], 'COUNT', 1000)
  cursor = found[1]
  for _, key in ipairs(found[2]) do
    local left = redis.call('PTTL', key) - ARGV[2]
    if left <= 0 then redis.call('DEL', key) else redis.call('PEXPIRE', key, left) end
  end
until cursor == '0'`

const keysOf = ({ address, name }: Subjects) => [`menagerie:limit:*:${address}`, `menagerie:limit:*:${name}`]

const overRedis: CountersStage = {
  name: 'over Redis',
  skip: redisSkip,
  async make() {
    const clock = fakeClock()
    const { counters, close } = await instanceOn(url, clock)
    return {
      counters,
      clock,
      async pass(ms, subjects) {
        clock.advance(ms)
        for (const pattern of keysOf(subjects)) await sendTo(url, 'EVAL', ageScript, '0', pattern, String(ms))
      },
      drop: close,
    }
  },
}

countersContract(inMemory)
countersContract(overRedis)

describe('instances that share one Redis', { skip: redisSkip }, () => {
  let one: Awaited<ReturnType<typeof instanceOn>>
  let other: typeof one
  before(async () => {
    one = await instanceOn(url)
    other = await instanceOn(url)
    return async () => {
      await one.close()
      await other.close()
    }
  })

  it('report that they are shared', () => {
    assert.equal(one.counters.isShared, true)
    assert.deepEqual(one.said, [])
  })

  it('count each request once, whichever instance received it', async () => {
    const [who, ask] = [somebody(), { scope: requestsScope(), act: 'count' } as const]
    const all = Array.from({ length: 100 }, (_, index) => hitOne((index % 2 ? one : other).counters, ask, who))
    const counts = (await Promise.all(all)).map(({ count }) => count)
    assert.deepEqual(
      counts.sort((a, b) => a - b),
      counts.map((_, index) => index + 1),
    )
  })

  it('never grant more reservations together than the maximum, and see when one is free again', async () => {
    const [who, scope] = [somebody(), failuresScope()]
    const all = await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        const { counters } = index % 2 ? one : other
        return { counters, ...(await takeOne(counters, scope, who)) }
      }),
    )
    const reserved = all.filter(({ state }) => state.reserved)
    assert.equal(reserved.length, 5)
    for (const [index, { counters, place }] of reserved.entries()) counters.settle(place, index > 0)
    // Redis handles these after the outcomes above.
    for (const { counters } of [one, other]) await takeOne(counters, scope, somebody())
    const last = await takeOne(other.counters, scope, who)
    assert.equal(last.state.reserved, true)
    assert.equal((await takeOne(other.counters, scope, who)).state.reserved, false)
    other.counters.settle(last.place, true)
    const { count, reserved: isTaken } = (await takeOne(other.counters, scope, who)).state
    assert.deepEqual({ count, isTaken }, { count: 5, isTaken: false })
    assert.equal((await takeOne(one.counters, scope, who)).state.reserved, false)
  })

  it('forget failures for all of them, also where they were counted by another', async () => {
    const [who, scope] = [somebody(), failuresScope({ max: 1 })]
    const { place } = await takeOne(one.counters, scope, who)
    one.counters.settle(place, true)
    assert.equal((await takeOne(one.counters, scope, who)).state.reserved, false)
    await other.counters.forget(scope, who.name)
    assert.equal((await hitOne(other.counters, { scope, act: 'peek' }, who)).count, 0)
    // It counted for itself too, and refuses until it knows better: with the next answer, which is right already.
    assert.equal((await hitOne(one.counters, { scope, act: 'peek' }, who)).count, 0)
    const { place: next } = await takeOne(one.counters, scope, who)
    // As it would while Redis is away.
    one.memory.settle(next, true)
    await sendTo(url, 'DEL', `menagerie:limit:login_name:${who.name}`)
    assert.equal((await hitOne(one.counters, { scope, act: 'peek' }, who)).count, 1)
    await other.counters.forget(scope, who.name)
    assert.equal((await hitOne(one.counters, { scope, act: 'peek' }, who)).count, 0)
  })

  it('release locally what Redis does not grant', async () => {
    const [who, scope] = [somebody(), failuresScope({ max: 1 })]
    const { place, state } = await takeOne(one.counters, scope, who)
    assert.equal(state.reserved, true)
    for (let guess = 0; guess < 3; guess++) {
      assert.equal((await takeOne(other.counters, scope, who)).state.reserved, false)
      const [here] = other.memory.hit([{ scope, act: 'peek' }], who, '')
      assert.deepEqual([here?.count, here?.pending], [0, 0])
    }
    one.counters.settle(place, false)
    await takeOne(one.counters, scope, somebody())
    assert.equal((await takeOne(other.counters, scope, who)).state.reserved, true)
  })

  it('get the reservations of a killed instance back when their lease expires', async () => {
    const [who, scope] = [somebody(), failuresScope({ max: 1, windowMs: 900_000 })]
    const { place } = await takeOne(one.counters, scope, who)
    const key = `menagerie:limit:login_name:${who.name}`
    const lease = Number(await sendTo(url, 'HGET', key, place.id))
    const [seconds] = (await sendTo(url, 'TIME')) as [string]
    assert.ok(lease > Number(seconds) * 1_000 + 30_000 && lease < Number(seconds) * 1_000 + 62_000, String(lease))
    assert.equal((await takeOne(other.counters, scope, who)).state.reserved, false)
    await sendTo(url, 'HSET', key, place.id, String(Number(seconds) * 1_000 - 1))
    assert.equal((await hitOne(other.counters, { scope, act: 'peek' }, who)).pending, 0)
    assert.equal((await takeOne(other.counters, scope, who)).state.reserved, true)
    assert.equal(await sendTo(url, 'HEXISTS', key, place.id), 0)
  })

  it('end their own windows no later than the shared ones', async () => {
    const [who, ask] = [somebody(), { scope: requestsScope(), act: 'count' } as const]
    await hitOne(one.counters, ask, who)
    await sendTo(url, 'PEXPIRE', `menagerie:limit:global:${who.address}`, '5000')
    const { endsAt } = await hitOne(one.counters, ask, who)
    const answeredAt = systemClock.monotonic()
    assert.ok(endsAt <= answeredAt + 5_000, String(endsAt - answeredAt))
    const [here] = one.memory.hit([{ scope: requestsScope(), act: 'peek' }], who, '')
    assert.equal(here?.endsAt, endsAt)
  })

  it('begin a new window when the previous one is over in real time', async () => {
    const [who, ask] = [somebody(), { scope: requestsScope({ windowMs: 60 }), act: 'count' } as const]
    await hitOne(one.counters, ask, who)
    await until(async () => (await hitOne(one.counters, { ...ask, act: 'peek' }, who)).count === 0)
    assert.equal((await hitOne(one.counters, ask, who)).count, 1)
    assert.equal((await hitOne(other.counters, { ...ask, act: 'peek' }, somebody())).count, 0)
  })

  it('leave no key without an expiry, not even one that had none', async () => {
    const [who, scope] = [somebody(), failuresScope()]
    const key = `menagerie:limit:login_name:${who.name}`
    const { place } = await takeOne(one.counters, scope, who)
    one.counters.settle(place, true)
    await sendTo(url, 'SET', `menagerie:limit:global:${who.address}`, '7')
    assert.equal((await hitOne(one.counters, { scope: requestsScope(), act: 'count' }, who)).count, 8)
    await sendTo(url, 'PERSIST', key)
    await takeOne(one.counters, scope, who)
    for (const name of [key, `menagerie:limit:global:${who.address}`]) {
      const left = Number(await sendTo(url, 'PTTL', name))
      assert.ok(left > 0 && left <= 60_000, `${name}: ${left}`)
    }
  })

  it('are shown to the operator, who can reset those of a subject', async () => {
    const who = somebody()
    const scopes = [failuresScope({ max: 1 }), requestsScope(), requestsScope({ name: 'auth' })] as const
    const [failures, requests, unused] = scopes
    const { place } = await takeOne(one.counters, failures, who)
    one.counters.settle(place, true)
    await hitOne(one.counters, { scope: requests, act: 'count' }, who)
    assert.equal((await takeOne(one.counters, failures, who)).state.reserved, false)
    const store = await openLimitStore(url, systemClock)
    const looks = scopes.map((scope) => ({ scope, act: 'peek' }) as const)
    const counts = async () => (await store.show(looks, who)).map(({ count }) => count)
    assert.deepEqual(await counts(), [1, 1, 0])
    assert.equal(await store.reset([failures], who.name), 1)
    assert.equal(await store.reset([requests, unused], who.address), 1)
    assert.deepEqual(await counts(), [0, 0, 0])
    await store.close()
    // It counted for itself too: with the next answer it knows better, and that answer is already right.
    assert.equal((await hitOne(one.counters, { scope: failures, act: 'peek' }, who)).count, 0)
    assert.equal((await takeOne(one.counters, failures, who)).state.reserved, true)
  })
})

describe('a Redis of its own', { skip: ownRedisSkip }, () => {
  const asks: CounterOp[] = [
    { scope: requestsScope(), act: 'count' },
    { scope: requestsScope({ name: 'auth' }), act: 'count' },
    { scope: requestsScope({ name: 'register' }), act: 'count' },
    { scope: failuresScope({ name: 'login_address', by: 'address', max: 1_000 }), act: 'reserve' },
    { scope: failuresScope(), act: 'peek' },
  ]

  itInFull('is called once per request, however much is counted, and keeps no key without an expiry', async () => {
    const redis = await ownRedis()
    await redis.start()
    const { counters, close } = await instanceOn(redis.url)
    const watcher = createClient({ url: redis.url })
    await watcher.connect()
    const lines: string[] = []
    const mark = randomUUID()
    const marked = Promise.withResolvers<void>()
    await watcher.monitor((line) => {
      if (String(line).includes(mark)) marked.resolve()
      else lines.push(String(line))
    })
    for (let request = 0; request < 50; request++) await counters.hit(asks, somebody(), randomUUID())
    await redis.send('ECHO', mark)
    await marked.promise
    watcher.destroy()
    const sent = lines.filter((line) => !line.includes(' lua] '))
    assert.equal(sent.length, 50)
    assert.ok(sent.every((line) => line.includes('"EVALSHA"')))
    const keys = ((await redis.send('KEYS', '*')) as string[]).filter((key) => !key.includes(':probe:'))
    assert.equal(keys.length, 200)
    for (const key of keys) {
      const left = Number(await redis.send('PTTL', key))
      assert.ok(left > 0 && left <= 60_000, `${key}: ${left}`)
    }
    await close()
    await redis.close()
  })

  it('that lost the script gets it again', async () => {
    const redis = await ownRedis()
    await redis.start()
    const { counters, close, said } = await instanceOn(redis.url)
    const who = somebody()
    await counters.hit(asks, who, randomUUID())
    await redis.send('SCRIPT', 'FLUSH')
    const all = await Promise.all(Array.from({ length: 10 }, () => counters.hit(asks, who, randomUUID())))
    assert.deepEqual(all.map(([state]) => state?.count).sort(), [10, 11, 2, 3, 4, 5, 6, 7, 8, 9])
    assert.deepEqual(said, [])
    await close()
    await redis.close()
  })

  it('that is unreachable is reported to the operator', async () => {
    const port = await freePort()
    const opening = openLimitStore(`redis://:hidden@127.0.0.1:${port}`, systemClock)
    await assert.rejects(opening, { name: 'BadSetting', message: /^REDIS_URL: connect ECONNREFUSED [^@]*; check/ })
    const redis = await ownRedis()
    await redis.start()
    await redis.signal('SIGSTOP')
    await assert.rejects(openLimitStore(redis.url, systemClock), /REDIS_URL: no response within 2000 ms; check/)
    await redis.close()
  })
})
