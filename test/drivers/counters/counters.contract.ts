import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { Ask, Counters, Place, Standing, Subjects } from '../../../src/limits/counters.ts'
import type { Scope } from '../../../src/limits/scopes.ts'
import type { FakeClock } from '../../support/clock.ts'
import { failuresScope, requestsScope } from './redis-stage.ts'

/** Counters that a suite runs on. */
export interface CountersStage {
  readonly name: string
  /** For `describe(title, { skip })`: why it cannot run here. */
  readonly skip: string | false
  make(): Promise<{
    readonly counters: Counters
    readonly clock: FakeClock
    /** Time passes for what is counted of these. */
    pass(ms: number, subjects: Subjects): Promise<void>
    drop(): Promise<void>
  }>
}

/** Somebody whom nobody else counts. */
export const somebody = (): Subjects => ({ address: `a ${randomUUID()}`, name: `n ${randomUUID()}` })

export const hitOne = async (counters: Counters, ask: Ask, subjects: Subjects, id = randomUUID()) =>
  (await counters.hit([ask], subjects, id))[0] as Standing

export async function takeOne(counters: Counters, scope: Scope, subjects: Subjects) {
  const id = randomUUID()
  const standing = await hitOne(counters, { scope, act: 'take' }, subjects, id)
  const place: Place = { scope, subject: scope.by === 'name' ? subjects.name : subjects.address, id }
  return { standing, place }
}

const seen = ({ count, pending, taken }: Standing) => ({ count, pending, taken })

/** What the port of the counters promises; run in memory and over Redis. */
export function countersContract(stage: CountersStage): void {
  describe(`counters ${stage.name}`, { skip: stage.skip }, () => {
    let place: Awaited<ReturnType<CountersStage['make']>>
    let counters: Counters
    before(async () => {
      place = await stage.make()
      ;({ counters } = place)
    })
    after(() => place.drop())

    const add = (scope: Scope, who: Subjects) => hitOne(counters, { scope, act: 'add' }, who)
    const look = (scope: Scope, who: Subjects) => hitOne(counters, { scope, act: 'look' }, who)
    const take = (scope: Scope, who: Subjects) => takeOne(counters, scope, who)
    const now = () => place.clock.monotonic()
    /** Redis' own clock goes on, the test's does not. */
    const isAbout = (actual: number, expected: number) =>
      assert.ok(actual <= expected && actual > expected - 5_000, `${actual} is not about ${expected}`)

    it('begin a window with the first request, and end it for all of them together', async () => {
      const [who, scope] = [somebody(), requestsScope()]
      const began = now()
      const first = await add(scope, who)
      assert.deepEqual(seen(first), { count: 1, pending: 0, taken: false })
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

    it('count each subject and each scope for itself', async () => {
      const [one, other, auth] = [somebody(), somebody(), requestsScope({ name: 'auth' })]
      await add(requestsScope(), one)
      await add(requestsScope(), one)
      assert.equal((await add(requestsScope(), other)).count, 1)
      assert.equal((await add(auth, one)).count, 1)
      const asks: Ask[] = [
        { scope: requestsScope(), act: 'add' },
        { scope: auth, act: 'add' },
        { scope: failuresScope(), act: 'take' },
        { scope: failuresScope({ name: 'login_address', by: 'address' }), act: 'look' },
      ]
      assert.deepEqual((await counters.hit(asks, one, randomUUID())).map(seen), [
        { count: 3, pending: 0, taken: false },
        { count: 2, pending: 0, taken: false },
        { count: 0, pending: 1, taken: true },
        { count: 0, pending: 0, taken: false },
      ])
    })

    it('are exact under 1,000 concurrent requests', async () => {
      const [who, scope] = [somebody(), requestsScope()]
      const standings = await Promise.all(Array.from({ length: 1_000 }, () => add(scope, who)))
      const counts = standings.map(({ count }) => count).sort((a, b) => a - b)
      assert.deepEqual(
        counts,
        counts.map((_, index) => index + 1),
      )
    })

    it('give as many places as there are, to 100 that ask at once', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const all = await Promise.all(Array.from({ length: 100 }, () => take(scope, who)))
      assert.equal(all.filter(({ standing }) => standing.taken).length, 5)
      assert.deepEqual(seen(await look(scope, who)), { count: 0, pending: 5, taken: false })
    })

    it('use a place up for the rest of the window on failure, and free it on success', async () => {
      const [who, scope] = [somebody(), failuresScope({ max: 2 })]
      const [first, second] = [await take(scope, who), await take(scope, who)]
      assert.deepEqual(seen(second.standing), { count: 0, pending: 2, taken: true })
      counters.settle(first.place, true)
      assert.deepEqual(seen((await take(scope, who)).standing), { count: 1, pending: 1, taken: false })
      counters.settle(second.place, false)
      const third = await take(scope, who)
      assert.deepEqual(seen(third.standing), { count: 1, pending: 1, taken: true })
      counters.settle(third.place, true)
      assert.deepEqual(seen((await take(scope, who)).standing), { count: 2, pending: 0, taken: false })
      await place.pass(60_000, who)
      assert.deepEqual(seen((await take(scope, who)).standing), { count: 0, pending: 1, taken: true })
    })

    it('begin the window of failures with the first place, not with its outcome', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { standing, place: taken } = await take(scope, who)
      await place.pass(30_000, who)
      counters.settle(taken, true)
      const later = await look(scope, who)
      assert.equal(later.count, 1)
      isAbout(later.endsAt, standing.endsAt)
    })

    it('leave nothing behind where the only place is given back', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { place: taken } = await take(scope, who)
      await place.pass(30_000, who)
      counters.settle(taken, false)
      const { endsAt, ...rest } = await look(scope, who)
      assert.deepEqual(rest, { count: 0, pending: 0, taken: false })
      isAbout(endsAt, now() + 60_000)
    })

    it('give no place where a request before it is over its limit, or is to be slowed down', async () => {
      for (const limit of [{ max: 2 }, { slow: { after: 2, stepMs: 1, capMs: 1 } }]) {
        const [who, scope] = [somebody(), failuresScope()]
        const asks: Ask[] = [
          { scope: requestsScope(limit), act: 'add' },
          { scope: requestsScope({ name: 'auth' }), act: 'add' },
          { scope, act: 'take' },
        ]
        const taken: (boolean | undefined)[] = []
        for (let request = 0; request < 3; request++)
          taken.push((await counters.hit(asks, who, randomUUID()))[2]?.taken)
        assert.deepEqual(taken, [true, true, false])
        assert.deepEqual(seen(await look(scope, who)), { count: 0, pending: 2, taken: false })
      }
    })

    it('change nothing when they are looked at', async () => {
      const [who, requests, failures] = [somebody(), requestsScope(), failuresScope()]
      for (const scope of [requests, failures]) {
        const { endsAt, ...rest } = await look(scope, who)
        assert.deepEqual(rest, { count: 0, pending: 0, taken: false })
        isAbout(endsAt, now() + 60_000)
      }
      await place.pass(30_000, who)
      isAbout((await add(requests, who)).endsAt, now() + 60_000)
      isAbout((await take(failures, who)).standing.endsAt, now() + 60_000)
      for (let time = 0; time < 3; time++) {
        assert.deepEqual(seen(await look(requests, who)), { count: 1, pending: 0, taken: false })
        assert.deepEqual(seen(await look(failures, who)), { count: 0, pending: 1, taken: false })
      }
    })

    it('take a failure whose window is over into a new one', async () => {
      const [who, scope] = [somebody(), failuresScope()]
      const { place: taken } = await take(scope, who)
      await place.pass(60_000, who)
      counters.settle(taken, true)
      const later = await look(scope, who)
      assert.equal(later.count, 1)
      isAbout(later.endsAt, now() + 60_000)
    })
  })
}
