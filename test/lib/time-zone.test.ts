import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isTimeZone, offsetMs, zoneNamed } from '../../src/lib/time-zone.ts'

const minuteMs = 60_000

describe('A time zone', () => {
  it('is known by its name in any case, and has its usual spelling', () => {
    for (const [text, zone] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['UTC', 'UTC'],
      ['Etc/GMT+5', 'Etc/GMT+5'],
      ['america/north_dakota/center', 'America/North_Dakota/Center'],
      ['America/Port-au-Prince', 'America/Port-au-Prince'],
    ] as const) {
      assert.equal(zoneNamed(text), zone)
      assert.equal(isTimeZone(text), true)
    }
  })

  it('is no offset, which knows no change of the clocks, and no other text', () => {
    for (const text of ['', '+01:00', '-05', '1', 'Europe', 'Europe/', '/Berlin', 'Europe//Berlin', 'Europe/Berlin ']) {
      assert.equal(zoneNamed(text), undefined, text)
      assert.equal(isTimeZone(text), false, text)
    }
    assert.equal(zoneNamed('Europe/Nowhere'), undefined)
  })
})

describe('The offset of a time zone', () => {
  for (const [zone, at, minutes] of [
    ['UTC', '2026-06-01T12:00Z', 0],
    ['Europe/Berlin', '2026-06-01T12:00Z', 120],
    ['Europe/Berlin', '2026-01-01T12:00Z', 60],
    ['Europe/Berlin', '2026-03-29T00:59:59.999Z', 60],
    ['Europe/Berlin', '2026-03-29T01:00Z', 120],
    ['America/St_Johns', '2026-01-01T12:00Z', -210],
    ['Asia/Kathmandu', '2026-01-01T12:00Z', 345],
    // Before standard time, offsets had seconds.
    ['Africa/Monrovia', '1960-01-01T12:00Z', -44.5],
    ['America/New_York', '1800-01-01T12:00Z', -(4 * 60 + 56 + 2 / 60)],
  ] as const)
    it(`${zone} is ${minutes} minutes ahead of UTC at ${at}`, () => {
      assert.equal(offsetMs(zone, Date.parse(at)), Math.round(minutes * minuteMs))
      // The second time from memory.
      assert.equal(offsetMs(zone, Date.parse(at)), Math.round(minutes * minuteMs))
    })
})
