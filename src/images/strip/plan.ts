import type { FileBytes } from './file-bytes.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/** No real image has this many segments, chunks or frames; an endless one must not take up time and memory. */
const maxSegments = 10_000
const chunkBytes = 262_144

export class TooManySegments extends Error {}

/** What a new file consists of: ranges of the old file, and new bytes. */
export class Plan {
  readonly #pieces: (Range | Buffer)[] = []
  #segments = 0
  #size = 0
  #hasNewBytes = false

  get size(): number {
    return this.#size
  }

  /** Called for each segment of the file, before anything else is done with it. */
  countSegment(): void {
    if (++this.#segments > maxSegments) throw new TooManySegments()
  }

  keep(from: number, to: number): void {
    const last = this.#pieces.at(-1)
    if (last && !Buffer.isBuffer(last) && last.to === from) this.#pieces[this.#pieces.length - 1] = { ...last, to }
    else this.#pieces.push({ from, to })
    this.#size += to - from
  }

  /** Replaces the old bytes from `from` on with others. */
  replace(from: number, old: Buffer, bytes: Buffer): void {
    if (bytes.equals(old)) return this.keep(from, from + old.length)
    this.#pieces.push(bytes)
    this.#size += bytes.length
    this.#hasNewBytes = true
  }

  /** Whether it is the whole old file. */
  isAll({ size }: FileBytes): boolean {
    return !this.#hasNewBytes && this.#size === size
  }

  /** Each chunk has its own buffer. */
  async *chunksOf(file: FileBytes): AsyncGenerator<Buffer> {
    for (const piece of this.#pieces) {
      if (Buffer.isBuffer(piece)) yield Buffer.from(piece)
      else
        for (let at = piece.from; at < piece.to; at += chunkBytes)
          yield await file.read(at, Math.min(chunkBytes, piece.to - at))
    }
  }
}
