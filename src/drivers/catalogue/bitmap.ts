/** One bit per ordinal; grows as needed. */
export class Bitmap {
  #words = new Uint32Array(64)

  set(ordinal: number): void {
    const word = ordinal >>> 5
    if (word >= this.#words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.#words.length * 2))
      grown.set(this.#words)
      this.#words = grown
    }
    this.#words[word] = (this.#words[word] as number) | (1 << (ordinal & 31))
  }

  has(ordinal: number): boolean {
    return ((this.#words[ordinal >>> 5] ?? 0) & (1 << (ordinal & 31))) !== 0
  }

  /** Moves a bit, and clears the old one. */
  move(from: number, to: number): void {
    if (this.has(from)) this.set(to)
    else this.#clear(to)
    this.#clear(from)
  }

  /** The highest ordinal up to this one whose bit is 0; -1 if there is none. */
  lastUnset(ordinal: number): number {
    let at = ordinal
    while (at >= 0) {
      // Skips whole words: of ten million bits, nearly all are set.
      if ((at & 31) === 31 && this.#words[at >>> 5] === 0xffffffff) at -= 32
      else if (this.has(at)) at--
      else return at
    }
    return -1
  }

  #clear(ordinal: number): void {
    const word = ordinal >>> 5
    if (word < this.#words.length) this.#words[word] = (this.#words[word] as number) & ~(1 << (ordinal & 31))
  }
}
