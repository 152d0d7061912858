/** Spreads 32 bits evenly over 32 bits (the finaliser of MurmurHash3). */
export function mix32(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}

/** The range of the low 21 bits of a 53-bit hash, below its first 32. */
export const lowBits = 2 ** 21
export const hashEnd = 2 ** 53
export const highOf = (hash: number) => Math.floor(hash / lowBits)
export const lowOf = (hash: number) => hash - highOf(hash) * lowBits

/** 53 bits, the same on every machine and in every version, since positions in an order of hashes are saved. */
export function hashOf(text: string): number {
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 0x01000193)
    low = Math.imul(((low << 5) | (low >>> 27)) ^ code, 0x5bd1e995)
  }
  return mix32(high) * lowBits + (mix32(low ^ text.length) >>> 11)
}
