import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import { createMemoryCounters } from '../../src/drivers/counters/memory.ts'
import type { Call } from '../../src/http/call.ts'
import type { Counters } from '../../src/limits/counters.ts'
import { type Attempt, createLoginFailures } from '../../src/limits/login-failures.ts'
import { createScopes } from '../../src/limits/scopes.ts'
import { createThrottle } from '../../src/limits/throttle.ts'
import { fakeClock } from '../support/clock.ts'

const scope = createScopes(rateLimitsOf(readConfig({}))).login_name

/** What the throttle reads of a request. */
function aCall() {
  const socket = { destroyed: false, isPaused: () => false }
  const leave = () => {
    socket.destroyed = true
  }
  const req = { socket, readableLength: 0, readableHighWaterMark: 65_536 }
  return { call: { req } as unknown as Call, leave }
}

function stage(most?: number) {
  const clock = fakeClock()
  const counters = createMemoryCounters({ clock })
  const throttle = createThrottle(most)
  let ids = 0
  return {
    clock,
    counters,
    throttle,
    failures: createLoginFailures({ counters, throttle, clock, newId: () => String(++ids) }),
  }
}

/** Resolves when everything that does not wait has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const reservationOf = ({ reservation }: Attempt) => reservation as NonNullable<typeof reservation>

describe('Reservations of login failures', () => {
  it('are granted in order of arrival, as others are released', async () => {
    const { failures, counters } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'alice')))
    const order: number[] = []
    const waiting = Array.from({ length: 20 }, async (_, index) => {
      const attempt = await failures.reserve(aCall().call, scope, 'alice')
      order.push(index)
      failures.settle(reservationOf(attempt), false)
    })
    await settled()
    assert.deepEqual(order, [])
    for (const attempt of first) failures.settle(reservationOf(attempt), false)
    await Promise.all(waiting)
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, index) => index),
    )
    assert.equal(counters.size, 0, 'successes leave nothing')
  })

  it('are refused to everyone who waits when all are used up', async () => {
    const { failures } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'bob')))
    const waiting = Promise.all(Array.from({ length: 30 }, () => failures.reserve(aCall().call, scope, 'bob')))
    for (const attempt of first) {
      await settled()
      failures.settle(reservationOf(attempt), true)
    }
    for (const { reservation, state } of await waiting) assert.deepEqual([reservation, state.count], [null, 5])
    assert.equal((await failures.reserve(aCall().call, scope, 'bob')).reservation, null)
  })

  it('are not held for clients that have left', async () => {
    const { failures, throttle } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'eve')))
    const leaving = aCall()
    const gone = failures.reserve(leaving.call, scope, 'eve')
    const staying = failures.reserve(aCall().call, scope, 'eve')
    await settled()
    assert.equal(throttle.size, 2)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    failures.settle(reservationOf(first[0] as Attempt), false)
    assert.ok((await staying).reservation)
    assert.equal(throttle.size, 0)
  })

  it('are released by clients that leave at the moment they get one', async () => {
    const { failures, counters } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'ann')))
    const leaving = aCall()
    const gone = failures.reserve(leaving.call, scope, 'ann')
    await settled()
    failures.settle(reservationOf(first[0] as Attempt), false)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    for (const attempt of first.slice(1)) failures.settle(reservationOf(attempt), false)
    assert.equal(counters.size, 0, 'nothing is pending')
  })

  it('are released if everybody left during the request to Redis', async () => {
    const { clock, counters, throttle } = stage()
    const elsewhere = Promise.withResolvers<void>()
    let isSlow = false
    const hit: Counters['hit'] = (...asked) =>
      isSlow ? elsewhere.promise.then(() => counters.hit(...asked)) : counters.hit(...asked)
    let ids = 0
    const failures = createLoginFailures({
      counters: { ...counters, hit },
      throttle,
      clock,
      newId: () => String(++ids),
    })
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'ben')))
    const leaving = aCall()
    const gone = failures.reserve(leaving.call, scope, 'ben')
    await settled()
    isSlow = true
    failures.settle(reservationOf(first[0] as Attempt), false)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    elsewhere.resolve()
    await settled()
    for (const attempt of first.slice(1)) failures.settle(reservationOf(attempt), false)
    assert.equal(counters.size, 0, 'nothing is pending')
  })

  describe('with mocked timers', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
    afterEach(() => mock.timers.reset())

    it('are waited for at most 5 s', async () => {
      const { failures } = stage()
      const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'mallory')))
      let answered: Attempt | null = null
      const waiting = failures.reserve(aCall().call, scope, 'mallory').then((attempt) => {
        answered = attempt
      })
      await settled()
      mock.timers.tick(4_999)
      await settled()
      assert.equal(answered, null)
      mock.timers.tick(1)
      await waiting
      assert.equal((answered as unknown as Attempt).reservation, null)
      for (const attempt of first) failures.settle(reservationOf(attempt), false)
      assert.ok((await failures.reserve(aCall().call, scope, 'mallory')).reservation)
    })
  })

  it('that are pending at the end of a window stay reserved, and a failure counts in the new window', async () => {
    const { failures, counters, clock } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => failures.reserve(aCall().call, scope, 'trent')))
    for (const attempt of first.slice(0, 4)) failures.settle(reservationOf(attempt), true)
    clock.advance(900_000)
    const look = () =>
      counters.hit([{ scope, act: 'peek' }], { address: '', name: 'trent', user: '', link: '', session: '' }, '')[0]
    assert.deepEqual([look()?.count, look()?.pending], [0, 1])
    failures.settle(reservationOf(first[4] as Attempt), true)
    assert.deepEqual([look()?.count, look()?.pending], [1, 0])
  })
})

describe('The throttle', () => {
  it('delays at most its maximum, and one more when a client leaves', async () => {
    const throttle = createThrottle(3)
    const calls = Array.from({ length: 3 }, aCall)
    const held = calls.map(({ call }) => throttle.delay(call, 60_000))
    for (const one of held) one.catch(() => {})
    const tooMany = { message: 'Too many requests are being delayed, please try again' }
    await assert.rejects(throttle.delay(aCall().call, 60_000), tooMany)
    calls[1]?.leave()
    await assert.rejects(held[1] as Promise<void>, { name: 'ClientGone' })
    assert.equal(throttle.size, 2)
    const next = throttle.delay(aCall().call, 60_000)
    throttle.stop()
    await assert.rejects(next, { message: 'Service is stopping, please try again' })
    await assert.rejects(throttle.delay(aCall().call, 0), { message: 'Service is stopping, please try again' })
    assert.equal(throttle.size, 0)
  })

  it('delays at most 32 requests of one connection', async () => {
    const throttle = createThrottle()
    const { call, leave } = aCall()
    const held = Array.from({ length: 32 }, () => throttle.delay(call, 60_000))
    await assert.rejects(throttle.delay(call, 60_000), { message: /^Too many requests are being delayed/ })
    const other = aCall()
    const otherDelayed = throttle.delay(other.call, 60_000)
    leave()
    for (const one of held) await assert.rejects(one, { name: 'ClientGone' })
    assert.equal(throttle.size, 1)
    other.leave()
    await assert.rejects(otherDelayed, { name: 'ClientGone' })
    await assert.rejects(throttle.delay(call, 60_000), { name: 'ClientGone' })
  })
})
