/** Numbers that look random and are the same for the same seed: from 0 up to, not including, 1. */
export function seeded(seed: string): () => number {
  let state = 7
  for (const char of seed) state = scramble(state + (char.codePointAt(0) ?? 0))
  return () => {
    state = (state + 0x6d2b_4f35) >>> 0
    return scramble(state) / 2 ** 32
  }
}

function scramble(number: number): number {
  const once = Math.imul(number ^ (number >>> 15), 0x2c1b_3c6d)
  const twice = Math.imul(once ^ (once >>> 12), 0x297a_2d39)
  return (twice ^ (twice >>> 15)) >>> 0
}
