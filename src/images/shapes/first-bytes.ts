import { windowBytes } from './header-file.ts'

const mostBytes = windowBytes[1]

/** Copies the beginning of a stream as it passes, and counts its bytes. */
export class FirstBytes {
  readonly #kept = Buffer.allocUnsafe(mostBytes)
  #length = 0
  size = 0

  get bytes(): Buffer {
    return this.#kept.subarray(0, this.#length)
  }

  async *of<T extends Uint8Array>(chunks: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const chunk of chunks) {
      // The consumer of the chunk may free its memory.
      const part = chunk.subarray(0, mostBytes - this.#length)
      this.#kept.set(part, this.#length)
      this.#length += part.length
      this.size += chunk.length
      yield chunk
    }
  }
}
