import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cronProblem, nextRun } from '../../src/lib/cron.ts'
import { isTimeZone } from '../../src/lib/time-zone.ts'

/** The next runs after a time, without the `:00.000Z` of each. */
function runs(expression: string, tz: string, after: string, count: number): (string | undefined)[] {
  const found: (string | undefined)[] = []
  for (let at: number | null = Date.parse(after); at !== null && found.length < count; ) {
    at = nextRun({ expression, tz }, at)
    found.push(at === null ? undefined : new Date(at).toISOString().slice(0, 16))
  }
  return found
}

describe('The runs of a cron expression', () => {
  it('that a change of the clocks skips are due right after it, and those that it repeats only once', () => {
    const nights = [
      ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', ['2026-03-29T01:00', '2026-03-30T00:30']],
      ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', ['2026-10-25T00:30', '2026-10-26T01:30']],
      ['30 2,3 * * *', 'America/New_York', '2026-03-07T12:00Z', ['2026-03-08T07:00', '2026-03-08T07:30']],
      ['30 1 * * *', 'America/New_York', '2026-10-31T12:00Z', ['2026-11-01T05:30', '2026-11-02T06:30']],
      // By half an hour.
      ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T12:00Z', ['2026-10-03T15:30', '2026-10-04T15:15']],
      ['45 1 * * *', 'Australia/Lord_Howe', '2026-04-04T12:00Z', ['2026-04-04T14:45', '2026-04-05T15:15']],
    ] as const
    for (const [expression, tz, after, expected] of nights)
      assert.deepEqual(runs(expression, tz, after, 2), expected, `${expression} ${tz}`)
  })

  it('that repeat within the hour continue through the hour that occurs twice', () => {
    assert.deepEqual(runs('*/30 * * * *', 'Europe/Berlin', '2026-10-25T00:00Z', 4), [
      ...['2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30', '2026-10-25T02:00'],
    ])
  })

  it('are right in leap years, in months without a 31st, and at the end of a year', () => {
    assert.deepEqual(runs('0 0 29 2 *', 'UTC', '2096-03-01T00:00Z', 2), ['2104-02-29T00:00', '2108-02-29T00:00'])
    assert.deepEqual(runs('0 0 31 * *', 'UTC', '2026-01-31T00:00Z', 2), ['2026-03-31T00:00', '2026-05-31T00:00'])
    assert.deepEqual(runs('0 4 L * *', 'UTC', '2028-02-01T00:00Z', 2), ['2028-02-29T04:00', '2028-03-31T04:00'])
    assert.deepEqual(runs('@yearly', 'Asia/Tokyo', '2026-12-31T12:00Z', 2), ['2026-12-31T15:00', '2027-12-31T15:00'])
  })

  it('none is due for an expression that never fires, or in a zone that the system no longer knows', () => {
    assert.equal(nextRun({ expression: '0 0 30 2 *', tz: 'UTC' }, 0), null)
    assert.equal(nextRun({ expression: '0 0 * * *', tz: 'Europe/Nowhere' }, 0), null)
  })
})

describe('A cron expression that is refused', () => {
  it('is told with the field that is wrong', () => {
    const problems = [
      ['0 3 * *', 'it has 4 fields instead of 5'],
      ['* * * * * *', 'it has 6 fields instead of 5'],
      ['2026-01-01T00:00:00', 'it has 1 field instead of 5'],
      ['60 * * * *', 'minute "60" is invalid'],
      ['0 24 * * *', 'hour "24" is invalid'],
      ['0 0 0 * *', 'day of month "0" is invalid'],
      ['0 0 1 13 *', 'month "13" is invalid'],
      ['0 0 * * fry', 'day of week "fry" is invalid'],
      ['*/0 * * * *', 'minute "*/0" is invalid'],
      ['\u0000\u202e * * * *', 'minute "\\u0000?" is invalid'],
      ['0 0 31 2,4 *', 'it never fires'],
      [`${'0,'.repeat(200)}0 * * * *`, 'it is longer than 200 characters'],
    ] as const
    for (const [expression, problem] of problems) assert.equal(cronProblem(expression), problem)
    const names = '@yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly'
    assert.equal(cronProblem('@reboot'), `"@reboot" is not one of ${names}`)
    assert.equal(cronProblem(`${'9'.repeat(41)} * * * *`), `minute "${'9'.repeat(40)}" is invalid`)
  })

  it('is none of those that cron itself accepts', () => {
    for (const expression of ['0 3 * * 1-5', '*/15 0,12 1-7 JAN-MAR mon', '0 0 * * 7', '0 0 29 2 *', ' 0\t3  * * * '])
      assert.equal(cronProblem(expression), null, expression)
    for (const name of ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly', '@Daily'])
      assert.equal(cronProblem(name), null, name)
    assert.equal(cronProblem(`${'0,'.repeat(95)}00 * * * *`), null)
    assert.equal(cronProblem(`${'0,'.repeat(96)}0 * * * *`), 'it is longer than 200 characters')
  })
})

it('A time zone is a name of the IANA database', () => {
  for (const tz of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT-2']) assert.ok(isTimeZone(tz))
  for (const tz of ['', '+02:00', 'GMT+2', 'Europe/Nowhere', '__proto__', 'Europe/Berlin\n', '../UTC'])
    assert.ok(!isTimeZone(tz), tz)
})
