import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createIds, idAt } from '../../src/lib/ids.ts'
import { fakeClock } from '../support/clock.ts'

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('Ids', () => {
  it('are UUIDs of version 7 in lower case that begin with the time', () => {
    const newId = createIds(fakeClock(Date.parse('2026-06-01T12:00:00.000Z')))
    const id = newId()
    assert.match(id, form)
    assert.equal(Number.parseInt(id.replace('-', '').slice(0, 12), 16), Date.parse('2026-06-01T12:00:00.000Z'))
  })

  it('sort in creation order, within one millisecond, in large numbers, and when the clock steps back', () => {
    const clock = fakeClock()
    const newId = createIds(clock)
    const made: string[] = []
    for (let n = 0; n < 20_000; n++) {
      if (n % 5_000 === 0) clock.advance(n === 10_000 ? -3_600_000 : 1)
      made.push(newId())
    }
    assert.deepEqual(made, [...made].sort())
    assert.equal(new Set(made).size, made.length)
    assert.ok(made.every((id) => form.test(id)))
  })

  it('can be moved to another time, and sort by its microseconds', () => {
    const newId = createIds(fakeClock())
    const start = Date.parse('2026-11-22T08:00:00.000Z') * 1000
    const moved = Array.from({ length: 3_000 }, (_, us) => idAt(start + us, newId()))
    assert.deepEqual(moved, [...moved].sort())
    assert.equal(new Set(moved.map((id) => id.slice(0, 18))).size, moved.length)
    assert.ok(moved.every((id) => form.test(id)))
    const [first = '', last = ''] = [moved[0], moved.at(-1)]
    assert.equal(Number.parseInt(first.replace('-', '').slice(0, 12), 16) * 1000, start)
    assert.equal(Number.parseInt(last.replace('-', '').slice(0, 12), 16) * 1000, start + 2_000)
    const id = newId()
    assert.equal(idAt(start, id).slice(19), id.slice(19))
  })

  it('differ in 62 random bits, with every variant equally frequent', () => {
    const newId = createIds(fakeClock())
    const ids = Array.from({ length: 4_096 }, newId)
    const counts = Map.groupBy(ids, (id) => id[19])
    assert.deepEqual([...counts.keys()].sort(), ['8', '9', 'a', 'b'])
    for (const group of counts.values()) assert.ok(group.length > 800 && group.length < 1250)
    assert.equal(new Set(ids.map((id) => id.slice(20))).size, ids.length)
  })
})
