import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { dayOf, isoTime, readMoment } from '../../src/lib/timestamps.ts'
import { assertProperty } from '../support/seed.ts'

const at = (text: string) => {
  const moment = readMoment(text)
  return moment && [moment.from, moment.to].map((ms) => new Date(ms).toISOString())
}
const instant = (text: string) => [text, text]

describe('A timestamp', () => {
  it('without a time is that whole day in UTC', () => {
    assert.deepEqual(at('2026-01-15'), ['2026-01-15T00:00:00.000Z', '2026-01-15T23:59:59.999Z'])
    assert.deepEqual(at('2024-02-29'), ['2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'])
    assert.deepEqual(at('1969-12-31'), ['1969-12-31T00:00:00.000Z', '1969-12-31T23:59:59.999Z'])
  })

  it('with a time is one instant, in any time zone', () => {
    for (const text of [
      ...['2026-01-15T12:30:00.000Z', '2026-01-15T12:30:00Z', '2026-01-15T12:30Z', '2026-01-15T14:30:00+02:00'],
      ...['2026-01-15T07:00-05:30', '2026-01-15T12:30-00:00'],
    ])
      assert.deepEqual(at(text), instant('2026-01-15T12:30:00.000Z'), text)
    assert.deepEqual(at('2026-01-01T00:30+01:00'), instant('2025-12-31T23:30:00.000Z'))
    assert.deepEqual(at('2026-01-15T12:30:00.5Z'), instant('2026-01-15T12:30:00.500Z'))
    assert.deepEqual(at('2026-01-15T12:30:00.123456789Z'), instant('2026-01-15T12:30:00.123Z'))
  })

  it('is refused on an impossible day', () => {
    for (const text of [
      ...['2026-02-29', '2026-02-30', '2026-04-31', '2026-13-01', '2026-00-10', '2026-01-00', '2026-01-32'],
    ])
      for (const time of ['', 'T12:00Z', 'T23:59:59.999+02:00']) assert.equal(at(text + time), undefined, text + time)
  })

  it('is refused at an impossible time', () => {
    for (const time of ['25:00Z', '24:01Z', '12:60Z', '12:00:60Z', '12:00+24:00', '12:00+00:60'])
      assert.equal(at(`2026-01-15T${time}`), undefined, time)
  })

  it('is refused without a zone, and in another form', () => {
    for (const text of [
      ...['', 'yesterday', 'now', '0', '1768435200000', '2026', '2026-01', '2026-1-5', '20260115', '15.01.2026'],
      ...['2026-01-15T12:00', '2026-01-15T12:00:00', '2026-01-15 12:00Z', '2026-01-15t12:00z', '2026-01-15T12Z'],
      ...['2026-01-15T', '2026-01-15Z', ' 2026-01-15', '2026-01-15 ', '2026-01-15\n', '2026-01-15T12:00:00.Z'],
      ...[
        ...['+002026-01-15', '-000001-01-01', '2026-01-15T12:00:00.1234567890Z'],
        ...['2026-01-15T12:00+0200', '２０２６-01-15'],
      ],
    ])
      assert.equal(at(text), undefined, text)
  })
})

describe('A time', () => {
  it('is formatted like the runtime does, in any year', () => {
    assertProperty(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        assert.equal(isoTime(date.getTime()), date.toISOString())
        assert.equal(dayOf(date.getTime()), date.toISOString().split('T')[0])
      }),
    )
    for (const ms of [0, -1, 86_399_999, 86_400_000, 1.9, 8_640_000_000_000_000])
      assert.equal(isoTime(ms), new Date(ms).toISOString())
    for (const ms of [Number.NaN, Number.POSITIVE_INFINITY]) assert.throws(() => isoTime(ms), RangeError)
  })
})
