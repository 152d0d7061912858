import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { createAttempts } from '../../src/accounts/attempts.ts'
import type { PendingEvent } from '../../src/accounts/audit.ts'
import { assertProperty } from '../support/seed.ts'
import { sized } from '../support/size.ts'

let made = 0
const attempt = (actor: string, target: string | null, more: Partial<PendingEvent> = {}): PendingEvent => ({
  id: `id-${++made}`,
  happenedAt: made,
  action: 'ban',
  outcome: 'refused: No',
  actor,
  target,
  address: '192.0.2.1',
  requestId: `request-${made}`,
  count: 1,
  before: null,
  after: null,
  ...more,
})
const bySender = (events: readonly PendingEvent[]) =>
  Object.fromEntries(
    [...Map.groupBy(events, ({ actor }) => actor)].map(([actor, own]) => [actor, own.map(({ target }) => target)]),
  )

describe('Pending attempts', () => {
  it('are one per sender, action, target and outcome, with the fields of the first', () => {
    const attempts = createAttempts(100)
    const first = attempt('ann', 'bob')
    attempts.add('ann', first)
    const others = [
      attempt('ann', 'cem'),
      attempt('ann', null),
      attempt('ann', 'bob', { action: 'unban' }),
      attempt('ann', 'bob', { outcome: 'failed: No' }),
      attempt('ann', null, { named: { username: 'bob' } }),
    ]
    for (const other of others) attempts.add('ann', other)
    const byEve = attempt('eve', 'bob')
    attempts.add('eve', byEve)
    for (let time = 0; time < 3; time++) attempts.add('ann', attempt('ann', 'bob', { address: '192.0.2.9' }))
    assert.equal(attempts.size, 7)
    assert.deepEqual(attempts.take(), { events: [{ ...first, count: 4 }, ...others, byEve], missing: 0 })
    assert.deepEqual([attempts.size, attempts.take()], [0, { events: [], missing: 0 }])
  })

  it('of anonymous senders are distinguished by address', () => {
    const attempts = createAttempts(100)
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1'])
      attempts.add(address, attempt('', 'bob', { actor: null, address }))
    assert.deepEqual(
      attempts.take().events.map(({ address, count }) => [address, count]),
      [
        ['192.0.2.1', 2],
        ['192.0.2.2', 1],
      ],
    )
  })

  it('of a sender with few are never displaced by a flood, early or late', () => {
    const attempts = createAttempts(10)
    attempts.add('early', attempt('early', 'a'))
    for (let target = 0; target < 1_000; target++) attempts.add('flood', attempt('flood', String(target)))
    for (const target of ['a', 'b', 'c']) attempts.add('late', attempt('late', target))
    const { events, missing } = attempts.take()
    assert.deepEqual(bySender(events), {
      early: ['a'],
      flood: ['0', '1', '2', '3', '4', '5'],
      late: ['a', 'b', 'c'],
    })
    assert.equal(missing, 994)
  })

  it('are not displaced if that would only swap the shares', () => {
    const attempts = createAttempts(3)
    for (const target of ['a', 'b']) attempts.add('early', attempt('early', target))
    for (const target of ['a', 'b']) attempts.add('late', attempt('late', target))
    const { events, missing } = attempts.take()
    assert.deepEqual(bySender(events), { early: ['a', 'b'], late: ['a'] })
    assert.equal(missing, 1)
  })

  it('that are displaced count as missing with all their repetitions', () => {
    const attempts = createAttempts(3)
    for (const target of ['a', 'b', 'c', 'c', 'c']) attempts.add('flood', attempt('flood', target))
    attempts.add('late', attempt('late', 'a'))
    attempts.add('flood', attempt('flood', 'c'))
    const { events, missing } = attempts.take()
    assert.deepEqual(bySender(events), { flood: ['a', 'b'], late: ['a'] })
    assert.equal(missing, 4)
  })

  it('never exceed the maximum, are counted exactly once, and are shared fairly', () => {
    const one = fc.record({ by: fc.constantFrom('a', 'b', 'c', 'd'), target: fc.nat(12).map(String) })
    const property = fc.property(fc.array(one, { maxLength: 120 }), fc.integer({ min: 1, max: 12 }), (all, max) => {
      const attempts = createAttempts(max)
      for (const { by, target } of all) attempts.add(by, attempt(by, target))
      const { events, missing } = attempts.take()
      const asked = Map.groupBy(all, ({ by }) => by)
      const wanted = [...asked].map(([by, own]) => [by, new Set(own.map(({ target }) => target)).size] as const)
      const kept = (by: string) => events.filter(({ actor }) => actor === by).length
      assert.equal(
        events.length,
        Math.min(
          max,
          wanted.reduce((sum, [, count]) => sum + count, 0),
        ),
      )
      assert.equal(
        events.reduce((sum, { count }) => sum + count, missing),
        all.length,
      )
      // Nobody keeps two more than somebody who has lost one.
      const most = Math.max(0, ...wanted.map(([by]) => kept(by)))
      for (const [by, count] of wanted) assert.ok(kept(by) === count || kept(by) >= most - 1, by)
    })
    assertProperty(property, { numRuns: 500 })
  })

  it('cost the same for any number of senders', () => {
    const max = sized(1_000, 10_000)
    const attempts = createAttempts(max)
    for (let sender = 0; sender < 5 * max; sender++) attempts.add(String(sender), attempt(String(sender), 'a'))
    assert.deepEqual([attempts.size, attempts.take().missing], [max, 4 * max])
  })
})
