/** A part of a file; shorter where the file ends. */
export interface FilePart {
  readonly at: number
  readonly length: number
}

/** Reads a file by asking for its parts, in any order. Throws Unreadable. */
export type Parser<T> = Generator<FilePart, T, Buffer>

/** The file is damaged, or ends too early. */
export class Unreadable extends Error {}

/** Exactly this part, or it throws. */
export function* take(at: number, length: number): Parser<Buffer> {
  const bytes = yield { at, length }
  if (bytes.length < length) throw new Unreadable()
  return bytes
}
