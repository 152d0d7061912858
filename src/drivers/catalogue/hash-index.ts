import type { Hashed, HashOrder } from '../../images/walk.ts'
import { hashEnd, highOf, lowBits } from '../../lib/hash.ts'

/** On average. Small enough that an insertion stays within the processor's cache. */
const perChunk = 512
/** Words per entry: the first 32 bits of the hash, the rest with the tag, and the ordinal. */
const width = 3
const tagBits = 11
const tags = 2 ** tagBits

/**
 * The ordinals of a kind by the hashes of their names, each with an 11-bit tag: 12 bytes per entry plus a quarter, in
 * sorted chunks. Hashes are spread evenly, so their first bits are the chunk number. If two names share all 53 bits,
 * which is unlikely even among a million, one is left out.
 */
export class HashIndex implements HashOrder {
  size = 0
  version: object = {}
  #bits: number
  #chunks: Uint32Array[]
  #lengths: number[]
  /** The number of entries before each chunk; null after a change. */
  #before: Uint32Array | null = null

  constructor(expected = 0) {
    this.#bits = Math.max(0, Math.ceil(Math.log2(expected / perChunk)))
    this.#chunks = Array.from({ length: 2 ** this.#bits }, () => new Uint32Array(0))
    this.#lengths = this.#chunks.map(() => 0)
  }

  at(rank: number): Hashed {
    const sums = this.#sums()
    let [from, to] = [0, sums.length - 1]
    while (from < to) {
      const middle = (from + to + 1) >>> 1
      if ((sums[middle] as number) <= rank) from = middle
      else to = middle - 1
    }
    const chunk = this.#chunks[from] as Uint32Array
    const at = rank - (sums[from] as number)
    return { hash: hashIn(chunk, at), ordinal: chunk[at * width + 2] as number }
  }

  below(hash: number): number {
    if (hash >= hashEnd) return this.size
    const chunk = this.#chunkOf(hash)
    return (this.#sums()[chunk] as number) + this.#search(chunk, hash)
  }

  within(from: number, to: number): Hashed[] {
    const found: Hashed[] = []
    let at = this.#search(this.#chunkOf(from), from)
    for (let number = this.#chunkOf(from); number < this.#chunks.length; number++, at = 0) {
      const [chunk, length] = [this.#chunks[number] as Uint32Array, this.#lengths[number] as number]
      for (; at < length; at++) {
        const hash = hashIn(chunk, at)
        if (hash >= to) return found
        found.push({ hash, ordinal: chunk[at * width + 2] as number })
      }
    }
    return found
  }

  /** Adds an entry, or changes it. */
  set(hash: number, ordinal: number, tag = 0): void {
    const number = this.#chunkOf(hash)
    const at = this.#search(number, hash)
    const length = this.#lengths[number] as number
    let chunk = this.#chunks[number] as Uint32Array
    const high = highOf(hash)
    const low = ((hash - high * lowBits) * tags + tag) >>> 0
    if (at < length && hashIn(chunk, at) === hash) {
      chunk[at * width + 1] = low
      chunk[at * width + 2] = ordinal
      return
    }
    if (length * width === chunk.length) {
      const grown = new Uint32Array(Math.ceil(length / 4 + length + 4) * width)
      grown.set(chunk)
      this.#chunks[number] = grown
      chunk = grown
    }
    chunk.copyWithin((at + 1) * width, at * width, length * width)
    chunk[at * width] = high
    chunk[at * width + 1] = low
    chunk[at * width + 2] = ordinal
    this.#resize(number, 1)
    if (this.size > 2 * perChunk * this.#chunks.length) this.#split()
  }

  delete(hash: number): void {
    const number = this.#chunkOf(hash)
    const at = this.#search(number, hash)
    const [chunk, length] = [this.#chunks[number] as Uint32Array, this.#lengths[number] as number]
    if (at === length || hashIn(chunk, at) !== hash) return
    chunk.copyWithin(at * width, (at + 1) * width, length * width)
    this.#resize(number, -1)
  }

  /** An index of the entries with matching tags and ordinals. */
  filtered(isMeant: (tag: number) => boolean, isAlsoMeant: ((ordinal: number) => boolean) | null = null): HashIndex {
    const meant = Uint8Array.from({ length: tags }, (_, tag) => Number(isMeant(tag)))
    const made = new HashIndex()
    made.#bits = this.#bits
    made.#chunks = this.#chunks.map((chunk, number) => some(chunk, this.#lengths[number] as number, meant, isAlsoMeant))
    made.#lengths = made.#chunks.map(({ length }) => length / width)
    made.size = made.#lengths.reduce((sum, length) => sum + length, 0)
    return made
  }

  #chunkOf(hash: number): number {
    return this.#bits === 0 ? 0 : highOf(hash) >>> (32 - this.#bits)
  }

  /** The first place in the chunk whose hash is not smaller. */
  #search(number: number, hash: number): number {
    const chunk = this.#chunks[number] as Uint32Array
    const high = highOf(hash)
    const low = hash - high * lowBits
    let from = 0
    let to = this.#lengths[number] as number
    while (from < to) {
      const middle = (from + to) >>> 1
      const found = chunk[middle * width] as number
      if (found < high || (found === high && (chunk[middle * width + 1] as number) >>> tagBits < low)) from = middle + 1
      else to = middle
    }
    return from
  }

  #sums(): Uint32Array {
    if (this.#before) return this.#before
    const sums = new Uint32Array(this.#lengths.length)
    for (let number = 1; number < sums.length; number++)
      sums[number] = (sums[number - 1] as number) + (this.#lengths[number - 1] as number)
    this.#before = sums
    return sums
  }

  #resize(number: number, change: number): void {
    this.#lengths[number] = (this.#lengths[number] as number) + change
    this.size += change
    this.version = {}
    this.#before = null
  }

  /** Doubles the number of chunks. */
  #split(): void {
    const halves = this.#chunks.flatMap((chunk, number) => {
      const middle = this.#search(number, ((number + 0.5) / this.#chunks.length) * hashEnd)
      return [chunk.slice(0, middle * width), chunk.slice(middle * width, (this.#lengths[number] as number) * width)]
    })
    this.#bits++
    this.#chunks = halves
    this.#lengths = halves.map(({ length }) => length / width)
    this.#before = null
  }
}

const hashIn = (chunk: Uint32Array, at: number) =>
  (chunk[at * width] as number) * lowBits + ((chunk[at * width + 1] as number) >>> tagBits)

/** The entries of a chunk that match. */
function some(
  chunk: Uint32Array,
  length: number,
  meant: Uint8Array,
  isAlsoMeant: ((ordinal: number) => boolean) | null,
): Uint32Array {
  const kept = new Uint32Array(length * width)
  let end = 0
  for (let at = 0; at < length * width; at += width) {
    if (meant[(chunk[at + 1] as number) % tags] !== 1) continue
    if (isAlsoMeant && !isAlsoMeant(chunk[at + 2] as number)) continue
    for (let offset = 0; offset < width; offset++) kept[end++] = chunk[at + offset] as number
  }
  return kept.slice(0, end)
}
