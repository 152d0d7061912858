import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import type { CounterState, Subjects } from '../../../src/limits/counters.ts'
import { isFullSize, sized, someOf } from '../../support/size.ts'
import { atLeast } from '../../support/until.ts'
import { hitOne, somebody, takeOne } from './counters.contract.ts'
import {
  failuresScope,
  instanceOn,
  type OwnRedis,
  ownRedis,
  ownRedisSkip,
  requestsScope,
  until,
} from './redis-stage.ts'

type Instance = Awaited<ReturnType<typeof instanceOn>>

const add = { scope: requestsScope(), act: 'count' } as const
const guesses = failuresScope()

const addOne = ({ counters }: Instance, who: Subjects) => hitOne(counters, add, who)
const isAtOnce = ({ counters }: Instance) => !(counters.hit([add], somebody(), '') instanceof Promise)

/** The states after each of so many wrong guesses. */
async function guessWrong({ counters }: Instance, who: Subjects, times: number): Promise<CounterState[]> {
  const states: CounterState[] = []
  for (let guess = 0; guess < times; guess++) {
    const { state, place } = await takeOne(counters, guesses, who)
    if (state.reserved) counters.settle(place, true)
    states.push(state)
  }
  return states
}

/** How often Redis was asked to run a script, whatever its reply. */
async function triesOf(redis: OwnRedis): Promise<number> {
  const found = String(await redis.send('INFO', 'commandstats')).matchAll(
    /cmdstat_eval.*?calls=(\d+).*?rejected_calls=(\d+)/g,
  )
  return [...found].reduce((sum, [, calls, rejected]) => sum + Number(calls) + Number(rejected), 0)
}

/** The connections to Redis, except the one that asks. */
async function clientsOf(redis: OwnRedis): Promise<string[]> {
  const lines = String(await redis.send('CLIENT', 'LIST', 'TYPE', 'normal'))
    .trim()
    .split('\n')
  return lines.filter((line) => !/ cmd=client/.test(line)).map((line) => /^id=(\d+)/.exec(line)?.[1] ?? '')
}

const given = (states: readonly CounterState[]) => states.filter(({ reserved }) => reserved).length

interface Loss {
  lose(): Promise<unknown>
  restore(): Promise<unknown>
  /** A Redis that only stays silent is given up after eight of them. On a busy machine, others take long too. */
  readonly stepMs?: number
}

/** Two instances on a Redis, while that is lost and after it has come back. */
async function outlives(redis: OwnRedis, { lose, restore, stepMs = 5_000 }: Loss) {
  const times = { stepMs, attemptMs: 5_000 }
  const instance = () => instanceOn(redis.url, systemClock, times)
  const [one, other] = [await instance(), await instance()]
  const [who, guesser] = [somebody(), somebody()]
  assert.equal(given(await guessWrong(one, guesser, 6)), 5)
  await lose()
  const asked = Array.from({ length: 50 }, () => addOne(one, who))
  await Promise.all([...asked, takeOne(one.counters, guesses, somebody()), addOne(other, who)])
  for (let time = 0; time < 20; time++) assert.ok(isAtOnce(one) && isAtOnce(other))
  assert.equal((await addOne(one, who)).count, 51)
  assert.equal(given(await guessWrong(one, guesser, 10)), 0)
  await until(() => one.said.length > 0 && other.said.length > 0)
  assert.deepEqual([one.levels(), other.levels()], [['warn'], ['warn']])
  assert.match(one.said[0]?.text ?? '', /Redis is unavailable: each instance counts on its own until it is back/)
  await restore()
  await until(() => one.said.length > 1 && other.said.length > 1)
  assert.deepEqual(
    [one.levels(), other.levels()],
    [
      ['warn', 'info'],
      ['warn', 'info'],
    ],
  )
  const newcomer = somebody()
  await addOne(one, newcomer)
  assert.equal((await addOne(other, newcomer)).count, 2)
  assert.equal(given(await guessWrong(one, guesser, 5)), 0)
  return { one, other, who, guesser }
}

async function started(...options: string[]): Promise<OwnRedis> {
  const redis = await ownRedis(...options)
  await redis.start()
  return redis
}

const end = async (redis: OwnRedis, ...instances: Instance[]) => {
  for (const { close } of instances) await close()
  await redis.close()
}

describe('When Redis', { skip: ownRedisSkip, concurrency: sized(4, 1) }, () => {
  it('allows no PING, it counts as up', async () => {
    const redis = await started()
    await redis.send('ACL', 'SETUSER', 'default', '-ping')
    const one = await instanceOn(redis.url)
    await one.counters.check()
    assert.deepEqual([one.counters.health, one.levels()], ['up', []])
    await end(redis, one)
  })

  it('is killed and returns empty, shared counters allow no more guesses than each instance would', async () => {
    const redis = await started()
    const { one, other, guesser } = await outlives(redis, {
      lose: () => redis.signal('SIGKILL'),
      restore: () => redis.start(),
    })
    // Redis has lost what it knew: the other instance grants its own five, and no more.
    assert.equal(given(await guessWrong(other, guesser, 10)), 5)
    assert.equal(given(await guessWrong(one, guesser, 10)), 0)
    await end(redis, one, other)
  })

  it('is suspended, counters wait for it once, and are shared again when it resumes', async () => {
    const redis = await started()
    const held = somebody()
    const { one, other, who, guesser } = await outlives(redis, {
      lose: () => redis.signal('SIGSTOP'),
      restore: () => redis.signal('SIGCONT'),
      // On a busy machine, three seconds pass before a Redis that runs has answered.
      stepMs: 1_500,
    })
    assert.equal(given(await guessWrong(other, guesser, 10)), 0)
    assert.ok((await addOne(other, who)).count > 50, 'what was asked before it stood still is counted')
    // Nobody was told of this reservation: it is free again before its lease ends.
    await redis.signal('SIGSTOP')
    const { place, state } = await takeOne(one.counters, failuresScope({ max: 1 }), held)
    assert.equal(state.reserved, true)
    one.counters.settle(place, false)
    await redis.signal('SIGCONT')
    await until(() => one.said.length > 3)
    await addOne(one, somebody())
    await until(() => isAtOnce(other) === false)
    assert.equal((await takeOne(other.counters, failuresScope({ max: 1 }), held)).state.reserved, true)
    await end(redis, one, other)
  })

  // The pause ends by itself, on a busy machine before the test has looked.
  if (isFullSize)
    it('is paused, counters wait for it once', async () => {
      const redis = await started()
      const { one, other } = await outlives(redis, {
        lose: () => redis.send('CLIENT', 'PAUSE', '6000', 'ALL'),
        restore: async () => {},
        stepMs: 400,
      })
      await end(redis, one, other)
    })

  it('is out of memory or read-only, counters do without it until it can be used', async () => {
    const redis = await started()
    const faults = [
      ['CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
      ['REPLICAOF 127.0.0.1 1', 'REPLICAOF NO ONE'],
    ] as const
    for (const [fault, remedy] of someOf(1, faults)) {
      const { one, other } = await outlives(redis, {
        lose: () => redis.send(...fault.split(' ')),
        async restore() {
          // It is tried meanwhile: a reply alone is not enough.
          const before = await triesOf(redis)
          await until(async () => (await triesOf(redis)) >= before + 2)
          await redis.send(...remedy.split(' '))
        },
      })
      for (const { close } of [one, other]) await close()
    }
    await end(redis)
  })

  it('returns after failed attempts, counters are shared again', async () => {
    const redis = await started()
    const one = await instanceOn(redis.url)
    await redis.signal('SIGKILL')
    await until(() => one.counters.health === 'down')
    await redis.start()
    await until(() => one.said.length === 2)
    await end(redis, one)
  })

  it('is unavailable at the start, counters start without it and log it once', async () => {
    const redis = await ownRedis()
    const one = await instanceOn(redis.url)
    assert.deepEqual(one.levels(), ['warn'])
    assert.match(one.said[0]?.text ?? '', /ECONNREFUSED/)
    assert.ok(isAtOnce(one))
    await redis.start()
    await until(() => one.said.length === 2)
    assert.ok(!isAtOnce(one))
    const other = await instanceOn(redis.url)
    assert.deepEqual(other.levels(), [])
    await end(redis, one, other)
  })

  it('does not respond at the start, counters start without it', async () => {
    const redis = await started()
    await redis.signal('SIGSTOP')
    const one = await instanceOn(redis.url, systemClock, { startMs: 500 })
    assert.deepEqual(one.levels(), ['warn'])
    await redis.signal('SIGCONT')
    await until(() => one.said.length === 2)
    await end(redis, one)
  })

  it('comes and goes, every request is counted, and each change logged once', async () => {
    const redis = await started()
    const one = await instanceOn(redis.url)
    const who = somebody()
    const times = sized(1, 2)
    let isOver = false
    const asking = (async () => {
      let last = 0
      while (!isOver) {
        const { count } = await addOne(one, who)
        assert.ok(count > last, `${count} after ${last}`)
        last = count
        await atLeast(1)
      }
    })()
    for (let time = 1; time <= times; time++) {
      await redis.signal('SIGKILL')
      await until(() => one.said.length === 2 * time - 1)
      await redis.start()
      await until(() => one.said.length === 2 * time)
    }
    isOver = true
    await asking
    assert.deepEqual(one.levels(), Array.from({ length: times }, () => ['warn', 'info']).flat())
    await end(redis, one)
  })

  it('closes an idle connection, counters open another one silently', async () => {
    const redis = await started()
    // Idle for long: longer than no time at all.
    const one = await instanceOn(redis.url, systemClock, { retryMs: 0, stepMs: 1_000 })
    const before = await clientsOf(redis)
    await redis.send('CLIENT', 'KILL', 'TYPE', 'normal')
    // A request that is under way would notice it.
    await until(async () => (await clientsOf(redis)).some((id) => !before.includes(id)))
    await until(() => !isAtOnce(one))
    assert.deepEqual(one.said, [])
    await redis.signal('SIGKILL')
    await until(() => one.said.length > 0)
    assert.deepEqual(one.levels(), ['warn'])
    await end(redis, one)
  })

  it('needs a password, the log never reveals it', async () => {
    const redis = await started('--requirepass', 'right-and-secret')
    const withPassword = (password: string) => redis.url.replace('//', `//:${password}@`)
    const wrong = await instanceOn(withPassword('wrong-and-secret'))
    const none = await instanceOn(redis.url)
    const right = await instanceOn(withPassword('right-and-secret'), systemClock, { stepMs: 1_000 })
    assert.deepEqual([wrong.levels(), none.levels(), right.said], [['warn'], ['warn'], []])
    assert.match(wrong.said[0]?.text ?? '', /WRONGPASS/)
    assert.ok([...wrong.said, ...none.said].every(({ text }) => !/secret|redis:\/\//.test(text)))
    assert.ok(!isAtOnce(right))
    await end(redis, wrong, none, right)
  })

  it('has an impossible URL, counters do not start', async () => {
    for (const url of ['redis://127.0.0.1/secret', 'redis://:%E0%A4%A@127.0.0.1']) {
      const message = /^REDIS_URL: [^@]*; expected redis:\/\/user:password@host:port\/number$/
      await assert.rejects(instanceOn(url), { name: 'BadSetting', message })
    }
  })

  it('is suspended, counters close without it; otherwise they store their last values', async () => {
    const redis = await started()
    const one = await instanceOn(redis.url, systemClock, { stepMs: 1_000 })
    const other = await instanceOn(redis.url, systemClock, { stepMs: 1_000, closeMs: 250 })
    const who = somebody()
    const { place } = await takeOne(one.counters, guesses, who)
    one.counters.settle(place, true)
    await one.close()
    assert.equal((await hitOne(other.counters, { scope: guesses, act: 'peek' }, who)).count, 1)
    await redis.signal('SIGSTOP')
    other.counters.settle(place, true)
    await other.close()
    assert.deepEqual([one.said, other.said], [[], []])
    await end(redis)
  })
})

describe('While this process', { skip: ownRedisSkip }, () => {
  it('is suspended, a response of Redis does not count as late', async () => {
    const redis = await started()
    const times = { stepMs: 250 }
    const one = await instanceOn(redis.url, systemClock, times)
    const who = somebody()
    await addOne(one, who)
    const stills = sized(1, 2)
    for (let time = 0; time < stills; time++) {
      const asked = addOne(one, who)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 12 * times.stepMs)
      await asked
    }
    assert.equal((await addOne(one, who)).count, stills + 2)
    assert.deepEqual(one.said, [])
    await end(redis, one)
  })
})
