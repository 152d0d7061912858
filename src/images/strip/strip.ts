import { createWindow, type FileBytes, type Window } from './file-bytes.ts'
import { planJpeg } from './jpeg.ts'
import { Plan, TooManySegments } from './plan.ts'
import { planPng } from './png.ts'
import { planWebp } from './webp.ts'

/** The number of first bytes that tell whether a file can be stripped. */
export const strippableBytes = 12

/** Resolves to false if the file is damaged before its first pixels. Counts each segment in the plan. */
type Planner = (file: Window, plan: Plan) => Promise<boolean>

function plannerFor(head: Buffer): Planner | null {
  const text = head.toString('latin1', 0, strippableBytes)
  if (text.startsWith('\xff\xd8\xff')) return planJpeg
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return planPng
  return /^RIFF.{4}WEBP/s.test(text) ? planWebp : null
}

/** Whether a file that begins like this is JPEG, PNG or WebP, regardless of its name and media type. */
export const isStrippable = (head: Buffer) => plannerFor(head) !== null

/**
 * The same image without EXIF, XMP, IPTC, comments, thumbnails and anything else that its pixels do not need. The
 * orientation and the colour profile stay. Null if the file is damaged before its first pixels, or has too many segments; a
 * truncated one is kept. `isChanged` is false if nothing had to be removed.
 */
export async function strip(file: FileBytes) {
  const planner = plannerFor(await file.read(0, strippableBytes))
  const plan = new Plan()
  try {
    if (!(await planner?.(createWindow(file), plan))) return null
  } catch (error) {
    if (error instanceof TooManySegments) return null
    throw error
  }
  return { isChanged: !plan.isAll(file), size: plan.size, chunks: () => plan.chunksOf(file) }
}
