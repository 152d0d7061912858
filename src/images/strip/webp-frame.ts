import type { Window } from './file-bytes.ts'
import type { Plan } from './plan.ts'
import { type Chunk, chunksIn, headBytes } from './riff.ts'

/** Position, size, duration and flags of a frame, before its chunks. */
const frameBytes = 16
const pixels = new Set(['VP8 ', 'VP8L'])
const shown = new Set([...pixels, 'ALPH'])

interface Part {
  readonly from: number
  readonly to: number
}

/** An `ANMF` chunk that has metadata or other data that its pixels do not need. */
export interface Frame {
  /** With its head. */
  readonly size: number
  readonly parts: readonly Part[]
}

/** Null if the frame consists only of what its pixels need, and can be kept as it is. */
export async function readFrame(file: Window, { at, end }: Chunk, riffEnd: number, plan: Plan): Promise<Frame | null> {
  const limit = Math.min(end, riffEnd)
  const parts: Part[] = []
  let size = headBytes + frameBytes
  let next = at + size
  let isChanged = false
  for await (const chunk of chunksIn(file, next, limit, (type) => pixels.has(type))) {
    plan.countSegment()
    // The padding of the last chunk may be missing, or be that of the frame.
    next = Math.min(chunk.end, end)
    if (shown.has(chunk.type)) {
      parts.push({ from: chunk.at, to: Math.min(next, limit) })
      size += next - chunk.at
    } else isChanged = true
  }
  // What follows is no chunk.
  isChanged ||= next < limit
  return isChanged ? { size: size + (size % 2), parts } : null
}

/** Keeps the frame without what its pixels do not need. */
export async function keepFrame(file: Window, plan: Plan, at: number, { size, parts }: Frame): Promise<void> {
  const old = Buffer.from((await file.from(at, headBytes)).subarray(0, headBytes))
  const head = Buffer.from(old)
  head.writeUInt32LE(size - headBytes, 4)
  plan.replace(at, old, head)
  plan.keep(at + headBytes, at + headBytes + frameBytes)
  for (const { from, to } of parts) plan.keep(from, to)
  const written = parts.reduce((sum, { from, to }) => sum + to - from, headBytes + frameBytes)
  if (written === size - 1) plan.replace(at, Buffer.alloc(0), Buffer.alloc(1))
}
