import assert from 'node:assert/strict'

/** Numbers in [0, 1), the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** About one in a million uniform, independent samples is farther off, in either direction. */
const mostDeviations = 5

/**
 * Fails unless the sample is a uniform and independent choice among these: nothing else may be drawn, and by the
 * chi-squared test the counts may not be too uneven (or too even, as with a deck of cards).
 */
export function assertUniform(sample: readonly string[], among: readonly string[], message = ''): void {
  const counts = new Map(among.map((each) => [each, 0]))
  assert.equal(counts.size, among.length, 'each of them once')
  const expected = sample.length / among.length
  assert.ok(expected >= 10, `a sample of ${sample.length} is too small for ${among.length}`)
  for (const each of sample) {
    const count = counts.get(each)
    assert.ok(count !== undefined, `${message} ${each} is none of them`)
    counts.set(each, count + 1)
  }
  if (among.length === 1) return
  const freedom = among.length - 1
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  // Wilson and Hilferty: its cube root is nearly normal.
  const spread = 2 / (9 * freedom)
  const deviations = (Math.cbrt(chiSquared / freedom) - (1 - spread)) / Math.sqrt(spread)
  assert.ok(
    Math.abs(deviations) < mostDeviations,
    `${message} not uniform: chi-squared ${chiSquared.toFixed(1)} with ${freedom} degrees of freedom`,
  )
}
