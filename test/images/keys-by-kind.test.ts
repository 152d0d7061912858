import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { KeysByKind } from '../../src/images/keys-by-kind.ts'
import { assertProperty } from '../support/seed.ts'

const kinds = ['fox', 'bird', 'weiner-dog']
const keyOf = fc.tuple(fc.constantFrom(...kinds), fc.integer({ min: 0, max: 9 })).map(([kind, n]) => `${kind}/${n}.png`)

/** What each equal share of [0, 1) finds. */
const found = (keys: KeysByKind, of: readonly string[], shares: number) =>
  Array.from({ length: shares }, (_, index) => keys.any(of, () => (index + 0.5) / shares))

describe('Keys by kind', () => {
  it('are drawn uniformly from any kinds, among all that were added and not deleted', () => {
    assertProperty(
      fc.property(fc.array(fc.tuple(fc.boolean(), keyOf), { maxLength: 100 }), fc.subarray(kinds), (steps, of) => {
        const keys = new KeysByKind()
        const model = new Set<string>()
        for (const [isAdded, key] of steps) {
          if (isAdded) keys.add(key)
          else keys.delete(key)
          if (isAdded) model.add(key)
          else model.delete(key)
        }
        const expected = [...model].filter((key) => of.includes(key.split('/', 1)[0] as string)).sort()
        assert.deepEqual(found(keys, of, expected.length).sort(), expected)
        if (expected.length === 0)
          assert.equal(
            keys.any(of, () => 0.5),
            null,
          )
      }),
    )
  })
})
