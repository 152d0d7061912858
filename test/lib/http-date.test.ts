import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { httpDate, readHttpDate } from '../../src/lib/http-date.ts'
import { anyCodePoint, assertProperty } from '../support/seed.ts'

const now = Date.parse('2026-06-01T12:00:00Z')
const read = (text: string, at = now) => {
  const ms = readHttpDate(text, at)
  return ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z')
}
const iso = '1994-11-06T08:49:37Z'

/** The three forms of RFC 9110 §5.6.7, written by hand and not by what is tested. */
function formsOf(ms: number) {
  const date = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
  const day = days[date.getUTCDay()] ?? ''
  const month = months[date.getUTCMonth()] ?? ''
  const year = String(date.getUTCFullYear()).padStart(4, '0')
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()].map(two).join(':')
  return {
    fixed: `${day.slice(0, 3)}, ${two(date.getUTCDate())} ${month} ${year} ${time} GMT`,
    rfc850: `${day}, ${two(date.getUTCDate())}-${month}-${year.slice(2)} ${time} GMT`,
    asctime: `${day.slice(0, 3)} ${month} ${String(date.getUTCDate()).padStart(2)} ${time} ${year}`,
  }
}

const secondsOf = (from: string, to: string) =>
  fc.integer({ min: Date.parse(from) / 1000, max: Date.parse(to) / 1000 }).map((seconds) => seconds * 1000)

describe('An HTTP date', () => {
  it('is parsed in each of its three forms', () => {
    for (const text of [
      'Sun, 06 Nov 1994 08:49:37 GMT',
      'Sunday, 06-Nov-94 08:49:37 GMT',
      'Sun Nov  6 08:49:37 1994',
      '  Sun, 06 Nov 1994 08:49:37 GMT\t',
    ])
      assert.equal(read(text), iso, text)
    assert.equal(read('Wed Nov 16 08:49:37 1994'), '1994-11-16T08:49:37Z')
  })

  it('means the same time in every form, in any year of four digits', () => {
    assertProperty(
      fc.property(secondsOf('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), (ms) => {
        const { fixed, asctime } = formsOf(ms)
        assert.deepEqual([readHttpDate(fixed), readHttpDate(asctime)], [ms, ms])
      }),
    )
    assertProperty(
      fc.property(secondsOf('1977-01-01T00:00:00Z', '2076-12-31T23:59:59Z'), (ms) => {
        assert.equal(readHttpDate(formsOf(ms).rfc850, now), ms)
      }),
    )
  })

  it('with a two-digit year lies at most fifty years ahead', () => {
    const text = (year: string) => `Monday, 06-Jun-${year} 00:00:00 GMT`
    for (const [at, year, full] of [
      ['2026', '26', 2026],
      ['2026', '00', 2000],
      ['2026', '76', 2076],
      ['2026', '77', 1977],
      ['2026', '99', 1999],
      ['2049', '99', 2099],
      ['1999', '49', 1949],
      ['1999', '99', 1999],
    ] as const)
      assert.equal(read(text(year), Date.parse(`${at}-06-01`)), `${full}-06-06T00:00:00Z`, `${year} in ${at}`)
  })

  it('may be a leap second, and the leap day of a leap year', () => {
    assert.equal(read('Sat, 31 Dec 2016 23:59:60 GMT'), '2017-01-01T00:00:00Z')
    assert.equal(read('Thu, 29 Feb 2024 00:00:00 GMT'), '2024-02-29T00:00:00Z')
    assert.equal(read('Tue, 29 Feb 2000 00:00:00 GMT'), '2000-02-29T00:00:00Z')
  })

  it('is refused with an impossible day or time', () => {
    for (const text of [
      ...['Thu, 29 Feb 2023 00:00:00 GMT', 'Thu, 29 Feb 1900 00:00:00 GMT', 'Thu, 30 Feb 2024 00:00:00 GMT'],
      ...['Thu, 31 Apr 2024 00:00:00 GMT', 'Thu, 00 Apr 2024 00:00:00 GMT', 'Thu, 32 Jan 2024 00:00:00 GMT'],
      ...['Thu, 01 Jan 2024 24:00:00 GMT', 'Thu, 01 Jan 2024 23:60:00 GMT', 'Thu, 01 Jan 2024 23:59:61 GMT'],
      ...['Thursday, 31-Jun-24 00:00:00 GMT', 'Thu Feb 30 00:00:00 2024', 'Thu Feb  0 00:00:00 2024'],
    ])
      assert.equal(read(text), undefined, text)
  })

  it('is refused in any other form', () => {
    for (const text of [
      ...['', ' ', '0', '784111777', 'now', 'yesterday', '*', '"06 Nov 1994"'],
      ...['1994-11-06T08:49:37Z', '1994-11-06', 'Sun Nov 06 1994', '06 Nov 1994 08:49:37 GMT'],
      ...['Sun, 6 Nov 1994 08:49:37 GMT', 'Sun, 06 Nov 94 08:49:37 GMT', 'Sun, 06 Nov 1994 8:49:37 GMT'],
      ...['Sun, 06 Nov 1994 08:49 GMT', 'Sun, 06 Nov 1994 08:49:37', 'Sun, 06 Nov 1994 08:49:37 UTC'],
      ...['Sun, 06 Nov 1994 08:49:37 +0000', 'Sun, 06 Nov 1994 08:49:37 CET', 'Sun 06 Nov 1994 08:49:37 GMT'],
      ...['sun, 06 nov 1994 08:49:37 gmt', 'SUN, 06 NOV 1994 08:49:37 GMT', 'Son, 06 Nov 1994 08:49:37 GMT'],
      ...['Sun, 06-Nov-1994 08:49:37 GMT', 'Sun, 06-Nov-94 08:49:37 GMT', 'Sunday, 06 Nov 1994 08:49:37 GMT'],
      ...['Sun Nov 6 08:49:37 1994', 'Sun Nov  6 08:49:37 1994 GMT', 'Sunday Nov  6 08:49:37 1994'],
      ...['Sun, 06 Nov 1994  08:49:37 GMT', 'Sun, 06 Nov 1994 08:49:37 GMT; length=3'],
      'Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT',
    ])
      assert.equal(read(text), undefined, text)
    assertProperty(fc.property(fc.string({ unit: anyCodePoint }), (text) => readHttpDate(text) === undefined))
  })

  it('is formatted in the first form, in whole seconds', () => {
    assert.equal(httpDate(Date.parse('1994-11-06T08:49:37.999Z')), 'Sun, 06 Nov 1994 08:49:37 GMT')
    assert.equal(httpDate(0), 'Thu, 01 Jan 1970 00:00:00 GMT')
    assertProperty(
      fc.property(secondsOf('0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), fc.nat(999), (ms, rest) => {
        assert.equal(httpDate(ms + rest), formsOf(ms).fixed)
      }),
    )
  })
})
