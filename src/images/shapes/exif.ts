import { orientationIn } from '../strip/orientation.ts'
import type { HeaderFile } from './header-file.ts'

/** The directory with the orientation lies before any thumbnail. */
const maxBytes = 8_192

/** Whether the EXIF data turn the image so that width and height swap; null if they do not say. */
export async function turnIn(file: HeaderFile, at: number, length: number): Promise<boolean | null> {
  const orientation = orientationIn(await file.read(at, Math.min(length, maxBytes)))
  return orientation === null ? null : orientation >= 5
}
