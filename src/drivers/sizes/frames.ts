import type { Look } from '../../images/sizes/looks.ts'
import type { ResizeJob } from '../../images/sizes/resizer.ts'
import type { Lasting } from '../../images/sizes/resizer-errors.ts'

/* What goes through the pipes: a line of JSON, followed by `length` bytes. */

/** To the process, with the image. */
export type Job = ResizeJob

/** From the process: when it is ready, or why it never will be; then one for each job. */
export type Answer =
  | { readonly is: 'ready'; readonly length: 0 }
  | { readonly is: 'result'; readonly look: Look | null; readonly length: number }
  | { readonly is: 'unusable'; readonly message: string; readonly length: 0 }
  | { readonly is: 'refused'; readonly message: string; readonly lasting: Lasting; readonly length: 0 }

export const headOf = (frame: Job | Answer) => `${JSON.stringify(frame)}\n`

const newline = 10
const maxHeadBytes = 4_096
const maxBytes = 134_217_728
const nothing = Buffer.alloc(0)

/**
 * Returns what takes the chunks of a pipe, and calls `onFrame` with each frame and its bytes, in their own buffer.
 * Throws for anything else: what decodes hostile images is not trusted.
 */
export function frameReader<T extends { readonly length: number }>(
  onFrame: (frame: T, bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let head = nothing
  let frame: T | null = null
  let bytes = nothing
  let filled = 0

  const takeHead = (chunk: Buffer): Buffer => {
    const end = chunk.indexOf(newline)
    head = Buffer.concat([head, end < 0 ? chunk : chunk.subarray(0, end)])
    if (head.length > maxHeadBytes) throw new Error('the head of a frame is too long')
    if (end < 0) return nothing
    const parsed: T = JSON.parse(head.toString())
    if (!(parsed.length >= 0 && parsed.length <= maxBytes)) throw new Error('a frame has a wrong length')
    head = nothing
    frame = parsed
    bytes = Buffer.allocUnsafeSlow(parsed.length)
    filled = 0
    return chunk.subarray(end + 1)
  }

  return (chunk) => {
    let rest = chunk
    while (rest.length > 0) {
      if (frame === null) rest = takeHead(rest)
      const count = rest.copy(bytes, filled)
      filled += count
      rest = rest.subarray(count)
      if (frame === null || filled < bytes.length) continue
      const [whole, all] = [frame, bytes]
      frame = null
      bytes = nothing
      onFrame(whole, all)
    }
  }
}
