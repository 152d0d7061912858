import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, it, mock } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { rateLimitsOf } from '../../src/config/rate-limits.ts'
import { createMemoryCounters } from '../../src/drivers/counters/memory.ts'
import type { Call } from '../../src/http/call.ts'
import type { Counters } from '../../src/limits/counters.ts'
import { createPlaces, type Taking } from '../../src/limits/places.ts'
import { createScopes } from '../../src/limits/scopes.ts'
import { createWaitingRoom } from '../../src/limits/waiting-room.ts'
import { fakeClock } from '../support/clock.ts'

const scope = createScopes(rateLimitsOf(readConfig({}))).login_name

/** All that the room looks at of a request. */
function aCall() {
  const socket = Object.assign(new EventEmitter(), { destroyed: false, isPaused: () => false })
  const leave = () => {
    socket.destroyed = true
    socket.emit('close')
  }
  const req = { socket, readableLength: 0, readableHighWaterMark: 65_536 }
  return { call: { req } as unknown as Call, socket, leave }
}

function stage(most?: number) {
  const clock = fakeClock()
  const counters = createMemoryCounters({ clock })
  const room = createWaitingRoom(most)
  let ids = 0
  return { clock, counters, room, places: createPlaces({ counters, room, clock, newId: () => String(++ids) }) }
}

/** Everything that needs no time has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

const placeOf = ({ place }: Taking) => place as NonNullable<typeof place>

describe('Places for guesses', () => {
  it('are given in the order of arrival, one for each that becomes free', async () => {
    const { places, counters } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'alice')))
    const order: number[] = []
    const waiting = Array.from({ length: 20 }, async (_, index) => {
      const taking = await places.take(aCall().call, scope, 'alice')
      order.push(index)
      places.settle(placeOf(taking), false)
    })
    await settled()
    assert.deepEqual(order, [])
    for (const taking of first) places.settle(placeOf(taking), false)
    await Promise.all(waiting)
    assert.deepEqual(
      order,
      Array.from({ length: 20 }, (_, index) => index),
    )
    assert.equal(counters.size, 0, 'nothing is left of successes')
  })

  it('that are used up refuse all who wait', async () => {
    const { places } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'bob')))
    const waiting = Promise.all(Array.from({ length: 30 }, () => places.take(aCall().call, scope, 'bob')))
    for (const taking of first) {
      await settled()
      places.settle(placeOf(taking), true)
    }
    for (const { place, standing } of await waiting) assert.deepEqual([place, standing.count], [null, 5])
    assert.equal((await places.take(aCall().call, scope, 'bob')).place, null)
  })

  it('are not kept for those who have left', async () => {
    const { places, room } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'eve')))
    const leaving = aCall()
    const gone = places.take(leaving.call, scope, 'eve')
    const staying = places.take(aCall().call, scope, 'eve')
    await settled()
    assert.equal(room.held, 2)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    places.settle(placeOf(first[0] as Taking), false)
    assert.ok((await staying).place)
    assert.equal(room.held, 0)
    assert.equal(leaving.socket.listenerCount('close'), 0)
  })

  it('are given back by those who leave in the moment they are granted one', async () => {
    const { places, counters } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'ann')))
    const leaving = aCall()
    const gone = places.take(leaving.call, scope, 'ann')
    await settled()
    places.settle(placeOf(first[0] as Taking), false)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    for (const taking of first.slice(1)) places.settle(placeOf(taking), false)
    assert.equal(counters.size, 0, 'no place is pending')
  })

  it('are given back where everybody left while one was asked for elsewhere', async () => {
    const { clock, counters, room } = stage()
    const elsewhere = Promise.withResolvers<void>()
    let isSlow = false
    const hit: Counters['hit'] = (...asked) =>
      isSlow ? elsewhere.promise.then(() => counters.hit(...asked)) : counters.hit(...asked)
    let ids = 0
    const places = createPlaces({ counters: { ...counters, hit }, room, clock, newId: () => String(++ids) })
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'ben')))
    const leaving = aCall()
    const gone = places.take(leaving.call, scope, 'ben')
    await settled()
    isSlow = true
    places.settle(placeOf(first[0] as Taking), false)
    leaving.leave()
    await assert.rejects(gone, { name: 'ClientGone' })
    elsewhere.resolve()
    await settled()
    for (const taking of first.slice(1)) places.settle(placeOf(taking), false)
    assert.equal(counters.size, 0, 'no place is pending')
  })

  describe('by a clock of the test', () => {
    beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
    afterEach(() => mock.timers.reset())

    it('are waited for 5 s at most', async () => {
      const { places } = stage()
      const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'mallory')))
      let answered: Taking | null = null
      const waiting = places.take(aCall().call, scope, 'mallory').then((taking) => {
        answered = taking
      })
      await settled()
      mock.timers.tick(4_999)
      await settled()
      assert.equal(answered, null)
      mock.timers.tick(1)
      await waiting
      assert.equal((answered as unknown as Taking).place, null)
      for (const taking of first) places.settle(placeOf(taking), false)
      assert.ok((await places.take(aCall().call, scope, 'mallory')).place)
    })
  })

  it('that are pending when the window ends stay taken, and a failure counts in the new one', async () => {
    const { places, counters, clock } = stage()
    const first = await Promise.all(Array.from({ length: 5 }, () => places.take(aCall().call, scope, 'trent')))
    for (const taking of first.slice(0, 4)) places.settle(placeOf(taking), true)
    clock.advance(900_000)
    const look = () => counters.hit([{ scope, act: 'look' }], { address: '', name: 'trent' }, '')[0]
    assert.deepEqual([look()?.count, look()?.pending], [0, 1])
    places.settle(placeOf(first[4] as Taking), true)
    assert.deepEqual([look()?.count, look()?.pending], [1, 0])
  })
})

describe('The waiting room', () => {
  it('has room for so many and no more, and for the next when one leaves', async () => {
    const room = createWaitingRoom(3)
    const calls = Array.from({ length: 3 }, aCall)
    const held = calls.map(({ call }) => room.hold(call, 60_000))
    for (const one of held) one.catch(() => {})
    const tooMany = { message: 'Too many requests are waiting at the moment, please try again' }
    await assert.rejects(room.hold(aCall().call, 60_000), tooMany)
    calls[1]?.leave()
    await assert.rejects(held[1] as Promise<void>, { name: 'ClientGone' })
    assert.equal(room.held, 2)
    const next = room.hold(aCall().call, 60_000)
    room.stop()
    await assert.rejects(next, { message: 'Service is stopping, please try again' })
    await assert.rejects(room.hold(aCall().call, 0), { message: 'Service is stopping, please try again' })
    assert.equal(room.held, 0)
  })

  it('listens once to a connection over which many wait', async () => {
    const room = createWaitingRoom()
    const { call, socket, leave } = aCall()
    const held = Array.from({ length: 32 }, () => room.hold(call, 60_000))
    await assert.rejects(room.hold(call, 60_000), { message: /^Too many requests are waiting/ }, 'nor more of them')
    assert.equal(socket.listenerCount('close'), 1)
    leave()
    for (const one of held) await assert.rejects(one, { name: 'ClientGone' })
    assert.equal(socket.listenerCount('close'), 0)
    await assert.rejects(room.hold(call, 60_000), { name: 'ClientGone' })
  })
})
