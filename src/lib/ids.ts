import { randomFillSync } from 'node:crypto'
import type { Clock } from './clock.ts'

export type NewId = () => string

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const isId = (text: string) => uuid.test(text)

/** Eight random bytes per id, drawn for 512 ids at a time. */
const randomDigits = 16
const poolBytes = 4096

/** UUIDv7. Ids of one process are monotonic: a counter fills the 12 bits after the time, which never goes backwards. */
export function createIds(clock: Clock, fillRandom: (bytes: Uint8Array) => unknown = randomFillSync): NewId {
  const bytes = Buffer.alloc(poolBytes)
  let digits = ''
  let used = 0
  let lastMs = 0
  let counter = 0
  let head = ''

  return () => {
    if (used === digits.length) {
      fillRandom(bytes)
      digits = bytes.toString('hex')
      used = 0
    }
    const ms = clock.now()
    if (ms > lastMs || ++counter > 0xfff) {
      lastMs = Math.max(ms, lastMs + 1)
      counter = 0
      head = timeHead(lastMs)
    }
    const at = used
    used += randomDigits
    const variant = variants[(bytes[at >> 1] as number) & 3]
    const tail = `${variant}${digits.slice(at + 1, at + 4)}-${digits.slice(at + 4, at + 16)}`
    return `${head}${counter === 0 ? '000' : counter.toString(16).padStart(3, '0')}-${tail}`
  }
}

/** RFC 9562: the two highest bits of the ninth byte are 10. */
const variants = ['8', '9', 'a', 'b']

function timeHead(ms: number): string {
  const digits = ms.toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7`
}

/** When an id was made. */
export const timeOfId = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

/** Replaces the time of an id, with microseconds in place of the counter (RFC 9562, method 3). */
export function idAt(us: number, id: string): string {
  const within = Math.floor(((us % 1000) / 1000) * 0x1000)
  return `${timeHead(Math.floor(us / 1000))}${within.toString(16).padStart(3, '0')}${id.slice(18)}`
}
