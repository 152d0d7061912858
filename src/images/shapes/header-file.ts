import { beginBytes } from '../signatures.ts'

/** The reads of a file, at most: this many bytes each, wherever they are needed. */
export const windowBytes = [beginBytes, 65_536, 262_144, 1_048_576] as const
/** Limit per file: no real header has more segments, chunks, blocks or boxes. */
const maxSteps = 8_192

/** A part of a file. */
export interface FilePart {
  readonly at: number
  readonly length: number
}

export interface HeaderSource {
  readonly size: number
  /** The part lies inside the file. May return only its beginning. */
  read(part: FilePart): Promise<Buffer>
}

/** The file is damaged, ends too early, or has a header beyond the limits. */
export class Unreadable extends Error {}

/** A file whose parts are read in any order, within hard limits on bytes, reads and steps. */
export class HeaderFile {
  readonly size: number
  readonly #source: HeaderSource
  readonly #windowLengths = windowBytes.values()
  /** The part of the file that is in memory. */
  #window: { readonly at: number; readonly bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }
  #steps = 0

  constructor(source: HeaderSource) {
    this.size = source.size
    this.#source = source
  }

  /** Exactly this part. */
  async take(at: number, length: number): Promise<Buffer> {
    const bytes = await this.read(at, length)
    if (bytes.length < length) throw new Unreadable()
    return bytes
  }

  /** This part; shorter where the file ends. */
  async read(at: number, maxLength: number): Promise<Buffer> {
    if (this.#steps++ > maxSteps) throw new Unreadable()
    const length = Math.max(Math.min(maxLength, this.size - at), 0)
    if (length === 0) return Buffer.alloc(0)
    const isInWindow = at >= this.#window.at && at + length <= this.#window.at + this.#window.bytes.length
    if (!isInWindow) await this.#move(at, length)
    const from = at - this.#window.at
    return this.#window.bytes.subarray(from, from + length)
  }

  async #move(at: number, length: number): Promise<void> {
    const { value: most } = this.#windowLengths.next()
    if (most === undefined || length > most) throw new Unreadable()
    const bytes = await this.#source.read({ at, length: Math.min(most, this.size - at) })
    if (bytes.length < length) throw new Error('a part of the file is missing')
    this.#window = { at, bytes }
  }
}
