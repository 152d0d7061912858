import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, describe, it } from 'node:test'
import type { CounterOp, CounterState, Counters, Reservation, Subjects } from '../../../src/limits/counters.ts'
import type { Scope } from '../../../src/limits/scopes.ts'
import type { FakeClock } from '../../support/clock.ts'
import { failuresScope, requestsScope } from './redis-stage.ts'

/** The counters that a suite runs on. */
export interface CountersStage {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  make(): Promise<{
    readonly counters: Counters
    readonly clock: FakeClock
    /** Lets time pass for the counters of these subjects. */
    pass(ms: number, subjects: Subjects): Promise<void>
    drop(): Promise<void>
  }>
}

/** Subjects that no other test counts. */
export const somebody = (): Subjects => ({
  address: `a ${randomUUID()}`,
  name: `n ${randomUUID()}`,
  user: `u ${randomUUID()}`,
  link: `l ${randomUUID()}`,
  session: `s ${randomUUID()}`,
})

export const hitOne = async (counters: Counters, ask: CounterOp, subjects: Subjects, id = randomUUID()) =>
  (await counters.hit([ask], subjects, id))[0] as CounterState

export async function takeOne(counters: Counters, scope: Scope, subjects: Subjects) {
  const id = randomUUID()
  const state = await hitOne(counters, { scope, act: 'reserve' }, subjects, id)
  const place: Reservation = { scope, subject: scope.by === 'name' ? subjects.name : subjects.address, id }
  return { state, place }
}

const seen = ({ count, pending, reserved }: CounterState) => ({ count, pending, reserved })

/** What the port of the counters promises; run in memory and over Redis. */
export function countersContract(stage: CountersStage): void {
  describe(`counters ${stage.name}`, { skip: stage.skip }, () => {
    let place: Awaited<ReturnType<CountersStage['make']>>
    let counters: Counters
    before(async () => {
      place = await stage.make()
      ;({ counters } = place)
    })

    const add = (scope: Scope, who: Subjects) => hitOne(counters, { scope, act: 'count' }, who)
    const look = (scope: Scope, who: Subjects) => hitOne(counters, { scope, act: 'peek' }, who)
    const take = (scope: Scope, who: Subjects) => takeOne(counters, scope, who)
    const now = () => place.clock.monotonic()
    /** Redis' own clock goes on, the test's does not. */
    const isAbout = (actual: number, expected: number) =>
      assert.ok(actual <= expected && actual > expected - 5_000, `${actual} is not about ${expected}`)

    it('begin a window with the first request, and end it for all requests together', async () => {
      const [who, scope] = [somebody(), requestsScope()]
      const began = now()
      const first = await add(scope, who)
      assert.deepEqual(seen(first), { count: 1, pending: 0, reserved: false })
      isAbout(first.endsAt, began + 60_000)
      await place.pass(40_000, who)
      const second = await add(scope, who)
      assert.equal(second.count, 2)
      isAbout(second.endsAt, first.endsAt)
      await place.pass(20_000, who)
      const third = await add(scope, who)
      assert.equal(third.count, 1)
      isAbout(third.endsAt, now() + 60_000)
    })

    it('count each subject and each scope separately', async () => {
      const [one, other, auth] = [somebody(), somebody(), requestsScope({ name: 'auth' })]
      await add(requestsScope(), one)
      await add(requestsScope(), one)
      assert.equal((await add(requestsScope(), other)).count, 1)
      assert.equal((await add(auth, one)).count, 1)
      const asks: CounterOp[] = [
        { scope: requestsScope(), act: 'count' },
        { scope: auth, act: 'count' },
        { scope: failuresScope(), act: 'reserve' },
        { scope: failuresScope({ name: 'login_address', by: 'address' }), act: 'peek' },
      ]
      assert.deepEqual((await counters.hit(asks, one, randomUUID())).map(seen), [
        { count: 3, pending: 0, reserved: false },
        { count: 2, pending: 0, reserved: false },
        { count: 0, pending: 1, reserved: true },
        { count: 0, pending: 0, reserved: false },
      ])
    })

    it('are exact under 1,000 concurrent requests', async () => {
      const [who, scope] = [somebody(), requestsScope()]
      const states = await Promise.all(Array.from({ length: 1_000 }, () => add(scope, who)))
      const counts = states.map(({ count }) => count).sort((a, b) => a - b)
      assert.deepEqual(
        counts,
        counts.map((_, index) => index + 1),
      )
    })

    it('grant exactly the maximum of reservations to 100 concurrent requests', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const all = await Promise.all(Array.from({ length: 100 }, () => take(scope, who)))
      assert.equal(all.filter(({ state }) => state.reserved).length, 5)
      assert.deepEqual(seen(await look(scope, who)), { count: 0, pending: 5, reserved: false })
    })

    it('use up a reservation for the rest of the window on failure, and free it on success', async () => {
      const [who, scope] = [somebody(), failuresScope({ max: 2 })]
      const [first, second] = [await take(scope, who), await take(scope, who)]
      assert.deepEqual(seen(second.state), { count: 0, pending: 2, reserved: true })
      counters.settle(first.place, true)
      assert.deepEqual(seen((await take(scope, who)).state), { count: 1, pending: 1, reserved: false })
      counters.settle(second.place, false)
      const third = await take(scope, who)
      assert.deepEqual(seen(third.state), { count: 1, pending: 1, reserved: true })
      counters.settle(third.place, true)
      assert.deepEqual(seen((await take(scope, who)).state), { count: 2, pending: 0, reserved: false })
      await place.pass(60_000, who)
      assert.deepEqual(seen((await take(scope, who)).state), { count: 0, pending: 1, reserved: true })
    })

    it('forget the failures of one subject on request, but neither its reservations nor other subjects', async () => {
      const [who, someoneElse, scope] = [somebody(), somebody(), failuresScope({ max: 2 })]
      for (const failed of [await take(scope, who), await take(scope, someoneElse)]) counters.settle(failed.place, true)
      const { place: reserved } = await take(scope, who)
      assert.deepEqual(seen((await take(scope, who)).state), { count: 1, pending: 1, reserved: false })
      await counters.forget(scope, who.name)
      assert.deepEqual(seen(await look(scope, who)), { count: 0, pending: 1, reserved: false })
      counters.settle(reserved, true)
      assert.deepEqual(seen(await look(scope, who)), { count: 1, pending: 0, reserved: false })
      await counters.forget(scope, who.name)
      await counters.forget(scope, who.name)
      assert.deepEqual(seen((await take(scope, who)).state), { count: 0, pending: 1, reserved: true })
      assert.deepEqual(seen(await look(scope, someoneElse)), { count: 1, pending: 0, reserved: false })
    })

    it('begin the window of failures with the first reservation, not with its outcome', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { state, place: reserved } = await take(scope, who)
      await place.pass(30_000, who)
      counters.settle(reserved, true)
      const later = await look(scope, who)
      assert.equal(later.count, 1)
      isAbout(later.endsAt, state.endsAt)
    })

    it('leave nothing behind if the only reservation is released', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { place: reserved } = await take(scope, who)
      await place.pass(30_000, who)
      counters.settle(reserved, false)
      const { endsAt, ...rest } = await look(scope, who)
      assert.deepEqual(rest, { count: 0, pending: 0, reserved: false })
      isAbout(endsAt, now() + 60_000)
    })

    it('grant no reservation if an earlier scope refuses or throttles the request', async () => {
      for (const limit of [{ max: 2 }, { slow: { after: 2, stepMs: 1, capMs: 1 } }]) {
        const [who, scope] = [somebody(), failuresScope()]
        const asks: CounterOp[] = [
          { scope: requestsScope(limit), act: 'count' },
          { scope: requestsScope({ name: 'auth' }), act: 'count' },
          { scope, act: 'reserve' },
        ]
        const reserved: (boolean | undefined)[] = []
        for (let request = 0; request < 3; request++)
          reserved.push((await counters.hit(asks, who, randomUUID()))[2]?.reserved)
        assert.deepEqual(reserved, [true, true, false])
        assert.deepEqual(seen(await look(scope, who)), { count: 0, pending: 2, reserved: false })
      }
    })

    it('do not change when they are read', async () => {
      const [who, requests, failures] = [somebody(), requestsScope(), failuresScope()]
      for (const scope of [requests, failures]) {
        const { endsAt, ...rest } = await look(scope, who)
        assert.deepEqual(rest, { count: 0, pending: 0, reserved: false })
        isAbout(endsAt, now() + 60_000)
      }
      await place.pass(30_000, who)
      isAbout((await add(requests, who)).endsAt, now() + 60_000)
      isAbout((await take(failures, who)).state.endsAt, now() + 60_000)
      for (let time = 0; time < 3; time++) {
        assert.deepEqual(seen(await look(requests, who)), { count: 1, pending: 0, reserved: false })
        assert.deepEqual(seen(await look(failures, who)), { count: 0, pending: 1, reserved: false })
      }
    })

    it('count a failure whose window is over in a new window', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { place: reserved } = await take(scope, who)
      await place.pass(60_000, who)
      counters.settle(reserved, true)
      const later = await look(scope, who)
      assert.equal(later.count, 1)
      isAbout(later.endsAt, now() + 60_000)
    })
  })
}
