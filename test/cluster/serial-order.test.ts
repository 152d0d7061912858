import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, unexplained } from './serial-order.ts'

const write = (value: number, start: number, end: number, isAnswered = true): Operation<number> => ({
  text: `write ${value}`,
  start,
  end,
  isAnswered,
  apply: () => value,
})
const read = (value: number, start: number, end: number): Operation<number> => ({
  text: `read ${value}`,
  start,
  end,
  isAnswered: true,
  apply: (state) => (state === value ? state : null),
})

describe('A history', () => {
  for (const [title, operations] of [
    ['of writes and reads one after another', [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)]],
    [
      'whose concurrent write is seen by one read and not by another before it',
      [write(1, 0, 9), read(0, 1, 2), read(1, 3, 4)],
    ],
    ['of two concurrent writes in either order', [write(1, 0, 9), write(2, 0, 9), read(1, 10, 11)]],
    ['whose write without response happened', [write(1, 0, 9, false), read(1, 10, 11)]],
    ['whose write without response never happened', [write(1, 0, 9, false), read(0, 10, 11)]],
    ['whose write without response happened late', [write(1, 0, 9, false), read(0, 2, 3), read(1, 4, 5)]],
  ] as const)
    it(`${title} is explained`, () => assert.equal(unexplained(0, operations), null))

  for (const [title, operations, stuck] of [
    ['with a stale read', [write(1, 0, 1), read(0, 2, 3)], ['read 0']],
    ['with a lost write', [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)], ['read 1']],
    ['that goes back', [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)], ['read 0']],
    ['with a value that nobody wrote', [write(1, 0, 1), read(3, 0, 2)], ['read 3']],
    ['whose write without response is undone', [write(1, 0, 9, false), read(1, 2, 3), read(0, 10, 11)], ['read 0']],
  ] as const)
    it(`${title} is not explained`, () => {
      const found = unexplained(0, operations) ?? []
      for (const text of stuck) assert.ok(found.includes(text), found.join())
    })
})
