/** A bit for each ordinal, as many as are needed. */
export class Marks {
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

  /** The mark of one becomes that of another, and its own is gone. */
  move(from: number, to: number): void {
    if (this.has(from)) this.set(to)
    else this.#clear(to)
    this.#clear(from)
  }

  /** The highest unmarked one that is not above; -1 if there is none. */
  lastUnmarked(ordinal: number): number {
    let at = ordinal
    while (at >= 0) {
      // Whole words at a time: nearly all of ten million are marked.
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
