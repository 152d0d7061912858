import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isFull } from './rule.ts'

it('misses the boundary', () => {
  assert.equal(isFull(2, 1), true)
  assert.equal(isFull(0, 1), false)
})
