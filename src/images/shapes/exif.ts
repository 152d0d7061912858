import { orientationIn } from '../strip/orientation.ts'
import type { Parser } from './parser.ts'

/** The directory with the orientation lies before any thumbnail. */
const maxBytes = 8_192

/** Whether the EXIF data turn the image so that width and height swap; null if they do not say. */
export function* turnIn(at: number, length: number): Parser<boolean | null> {
  const orientation = orientationIn(yield { at, length: Math.min(length, maxBytes) })
  return orientation === null ? null : orientation >= 5
}
