import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Refused } from '../../src/http/refusal.ts'
import { badPer, lengthOf, type Period, periodAt, periodOf } from '../../src/images/period.ts'

const minuteMs = 60_000

/** When periods begin between two times, to the minute, in UTC. */
function beginnings(per: Period['per'], zone: string, from: string, to: string): string[] {
  const found: string[] = []
  let last = periodAt({ per, zone }, Date.parse(from))
  for (let at = Date.parse(from) + minuteMs; at <= Date.parse(to); at += minuteMs) {
    const next = periodAt({ per, zone }, at)
    assert.ok(next >= last, `${zone} goes back at ${new Date(at).toISOString()}`)
    if (next !== last) found.push(new Date(at).toISOString().slice(0, 16))
    // To the millisecond.
    if (next !== last) assert.equal(periodAt({ per, zone }, at - 1), last)
    last = next
  }
  return found
}

it('A period is given by its length and a time zone, UTC by default, and none without a length', () => {
  assert.deepEqual(periodOf({ per: 'day' }), { per: 'day', zone: 'UTC' })
  assert.deepEqual(periodOf({ per: 'hour', tz: 'europe/berlin' }), { per: 'hour', zone: 'Europe/Berlin' })
  for (const terms of [{}, { tz: 'Europe/Berlin' }, { tz: 'nowhere' }]) assert.equal(periodOf(terms), null)
  assert.throws(
    () => periodOf({ per: 'week', tz: 'Europe/Nowhere' }),
    (error: Refused) => {
      assert.ok(error instanceof Refused)
      assert.deepEqual(
        [error.refusal.status, error.message],
        [400, 'tz must be an IANA time zone such as Europe/Berlin'],
      )
      return true
    },
  )
  assert.deepEqual([badPer.status, badPer.message], [400, 'per must be one of hour, day, week'])
  assert.deepEqual(lengthOf, { hour: 3_600_000, day: 86_400_000, week: 604_800_000 })
})

it('The number of a period is when it begins, by the clocks of its zone', () => {
  const at = Date.parse('2026-06-03T10:20:30.400Z')
  for (const [per, zone, begins] of [
    ['hour', 'UTC', '2026-06-03T10:00Z'],
    ['day', 'UTC', '2026-06-03T00:00Z'],
    ['week', 'UTC', '2026-06-01T00:00Z'],
    ['hour', 'Asia/Kathmandu', '2026-06-03T10:15Z'],
    ['day', 'Asia/Tokyo', '2026-06-03T00:00Z'],
    ['day', 'Pacific/Kiritimati', '2026-06-04T00:00Z'],
    ['week', 'America/New_York', '2026-06-01T00:00Z'],
  ] as const)
    assert.equal(periodAt({ per, zone }, at), Date.parse(begins), `${per} ${zone}`)
  for (const per of ['hour', 'day', 'week'] as const) {
    const monday = Date.parse('2026-06-01T00:00Z')
    const [before = 0, first] = [monday - 1, monday].map((each) => periodAt({ per, zone: 'UTC' }, each))
    assert.deepEqual([first, monday - before], [monday, lengthOf[per]])
  }
})

it('days begin at midnight of the time zone, also on the days on which its clocks change', () => {
  for (const [zone, from, to, ...expected] of [
    ['UTC', '2026-03-28T12:00Z', '2026-03-30T12:00Z', '2026-03-29T00:00', '2026-03-30T00:00'],
    ['Europe/Berlin', '2026-03-28T12:00Z', '2026-03-30T12:00Z', '2026-03-28T23:00', '2026-03-29T22:00'],
    ['Europe/Berlin', '2026-10-24T12:00Z', '2026-10-26T12:00Z', '2026-10-24T22:00', '2026-10-25T23:00'],
    ['America/New_York', '2026-03-07T12:00Z', '2026-03-09T12:00Z', '2026-03-08T05:00', '2026-03-09T04:00'],
    ['America/New_York', '2026-10-31T12:00Z', '2026-11-02T12:00Z', '2026-11-01T04:00', '2026-11-02T05:00'],
    // There is no midnight on 29 March, and two on 25 October, of which the second begins nothing.
    ['Asia/Beirut', '2026-03-28T12:00Z', '2026-03-30T12:00Z', '2026-03-28T22:00', '2026-03-29T21:00'],
    ['Asia/Beirut', '2026-10-23T22:00Z', '2026-10-25T12:00Z', '2026-10-24T22:00'],
    ['Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-05T00:00Z', '2026-10-03T13:30', '2026-10-04T13:00'],
  ] as const)
    assert.deepEqual(beginnings('day', zone, from, to), expected, `${zone} from ${from}`)
})

it('weeks begin at midnight on Monday, and hours with each full hour that the clocks show, also one shown twice', () => {
  for (const [zone, ...expected] of [
    ['UTC', '2026-03-23T00:00', '2026-03-30T00:00'],
    ['Europe/Berlin', '2026-03-22T23:00', '2026-03-29T22:00'],
    ['America/New_York', '2026-03-23T04:00', '2026-03-30T04:00'],
  ] as const)
    assert.deepEqual(beginnings('week', zone, '2026-03-20T12:00Z', '2026-04-01T12:00Z'), expected)
  for (const [zone, ...expected] of [
    ['Europe/Berlin', '2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    ['Asia/Kathmandu', '2026-10-25T00:15', '2026-10-25T01:15', '2026-10-25T02:15'],
  ] as const)
    assert.deepEqual(beginnings('hour', zone, '2026-10-24T23:30Z', '2026-10-25T02:30Z'), expected)
})
