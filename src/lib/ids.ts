import { randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'

export type NewId = () => string

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * UUIDv7 in lower case. Ids of one process sort in the order they were made: a counter fills the
 * 12 bits after the time, and a clock that steps back is not followed.
 */
export function createIds(clock: Clock, fillRandom: (bytes: Uint8Array) => unknown = randomFillSync): NewId {
  const pool = new Uint8Array(4096)
  let used = pool.length
  let lastMs = 0
  let counter = 0
  let head = ''

  return () => {
    if (used === pool.length) {
      fillRandom(pool)
      used = 0
    }
    const ms = clock.now()
    if (ms > lastMs) {
      lastMs = ms
      counter = 0
      head = timeHead(lastMs)
    } else if (++counter > 0xfff) {
      lastMs += 1
      counter = 0
      head = timeHead(lastMs)
    }
    const at = (index: number) => pool[used + index] as number
    const text = `${head}-7${counter.toString(16).padStart(3, '0')}-${hex[(at(0) & 0x3f) | 0x80]}${hex[at(1)]}-${hex[at(2)]}${hex[at(3)]}${hex[at(4)]}${hex[at(5)]}${hex[at(6)]}${hex[at(7)]}`
    used += 8
    return text
  }
}

function timeHead(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}
