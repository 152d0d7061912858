import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashEnd, hashOf, highOf } from '../../src/lib/hash.ts'

describe('A hash', () => {
  it('is the same in every version, since saved positions depend on it', () => {
    assert.deepEqual(
      ['', 'a', 'fox-1.png', 'x'.repeat(255)].map(hashOf),
      [6025115439298264, 932481262499179, 583312071599487, 763944043815782],
    )
  })

  it('is spread evenly over 53 bits, even for names that differ in one character, and collides for none of 200,000', () => {
    const hashes = Array.from({ length: 200_000 }, (_, index) => hashOf(`fox-${index}.png`))
    assert.equal(new Set(hashes).size, hashes.length)
    assert.ok(hashes.every((hash) => Number.isSafeInteger(hash) && hash >= 0 && hash < hashEnd))
    const parts = Map.groupBy(hashes, (hash) => highOf(hash) >>> 26)
    assert.equal(parts.size, 64)
    for (const part of parts.values()) assert.ok(Math.abs(part.length - 3125) < 300, String(part.length))
  })
})
