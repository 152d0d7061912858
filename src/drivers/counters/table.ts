import { randomFillSync } from 'node:crypto'

/** A power of 2; at least one for each scope. */
const lists = 16
const listBits = lists - 1
const warmBit = 128

/* A slot has eight words of four bytes, half a cache line. The last two are a single number, the end of its window. */
const words = 8
const [hashA, hashB, count, marks, older, newer] = [0, 1, 2, 3, 4, 5]
const doubles = words / 2
const end = 3
/** Bits of the marks: list, `warm` bit of the clock algorithm, and from here on the number of reservations. */
const pendingShift = 8
const markBits = 255

/**
 * A hash table of fixed-window counters in two typed arrays, outside V8's heap: 40 bytes per counter, resident only
 * once used, not scanned by the garbage collector. All windows of a scope have the same length, so its counters form a
 * linked list in the order in which their windows begin and end. When full, it evicts by the clock algorithm (second
 * chance).
 */
export class Table {
  /** Slots are numbered from 1; 0 means none. */
  readonly max: number
  size = 0
  #words!: Uint32Array
  #doubles!: Float64Array
  /** From hash to slot, with open addressing; at least half empty. */
  #index!: Uint32Array
  readonly #mask: number
  readonly #seeds = randomFillSync(new Uint32Array(2))
  readonly #first = new Uint32Array(lists)
  readonly #last = new Uint32Array(lists)
  #free = 0
  #touched = 0
  #hand = 0
  #a = 0
  #b = 0
  #key = ''
  #keyA = 0
  #keyB = 0

  constructor(max: number) {
    this.max = max
    this.#read('')
    this.#mask = 2 ** Math.ceil(Math.log2(2 * max)) - 1
    this.#allocate()
  }

  count(slot: number): number {
    return this.#words[slot * words + count] as number
  }

  setCount(slot: number, value: number): void {
    this.#words[slot * words + count] = value
  }

  /** Reservations that have no outcome yet. */
  pending(slot: number): number {
    return this.#get(slot, marks) >>> pendingShift
  }

  setPending(slot: number, value: number): void {
    this.#set(slot, marks, (value << pendingShift) | (this.#get(slot, marks) & markBits))
  }

  endsAt(slot: number): number {
    return this.#doubles[slot * doubles + end] as number
  }

  setEnd(slot: number, value: number): void {
    this.#doubles[slot * doubles + end] = value
  }

  /** The slot of this key, or 0. The key is remembered for `insert`. */
  find(list: number, key: string): number {
    if (key !== this.#key) this.#read(key)
    let a = this.#keyA ^ Math.imul(list + 1, 0x9e3779b1)
    let b = this.#keyB ^ Math.imul(list + 1, 0x5f356495)
    a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
    b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
    this.#a = a >>> 0
    this.#b = b >>> 0
    for (let at = this.#a & this.#mask; ; at = (at + 1) & this.#mask) {
      const slot = this.#index[at] as number
      if (slot === 0) return 0
      const at0 = slot * words
      if (this.#words[at0] === this.#a && this.#words[at0 + hashB] === this.#b) {
        this.#words[at0 + marks] = (this.#words[at0 + marks] as number) | warmBit
        return slot
      }
    }
  }

  /** Hashes the key once for the scopes that are looked up in turn. */
  #read(key: string): void {
    let a = this.#seeds[0] as number
    let b = this.#seeds[1] as number
    for (let index = 0; index < key.length; index++) {
      const code = key.charCodeAt(index)
      a = Math.imul(a ^ code, 0x9e3779b1)
      b = Math.imul(b ^ code, 0x5f356495)
    }
    this.#key = key
    this.#keyA = a
    this.#keyB = b
  }

  /** A slot for the key of the last `find`; evicts the coldest if the table is full. */
  insert(list: number, now: number, endsAt: number): number {
    const [a, b] = [this.#a, this.#b]
    if (this.size === this.max && this.expire(now, 1) === 0) this.remove(this.#coldest())
    const slot = this.#free === 0 ? ++this.#touched : this.#free
    if (slot === this.#free) this.#free = this.#get(slot, newer)
    this.#set(slot, hashA, a)
    this.#set(slot, hashB, b)
    this.#set(slot, count, 0)
    this.#set(slot, marks, list)
    let at = a & this.#mask
    while (this.#index[at] !== 0) at = (at + 1) & this.#mask
    this.#index[at] = slot
    this.size += 1
    this.#append(slot, endsAt)
    return slot
  }

  /** Opens a new window; pending reservations stay. */
  restart(slot: number, endsAt: number): void {
    this.#unlink(slot)
    this.#set(slot, count, 0)
    this.#append(slot, endsAt)
  }

  remove(slot: number): void {
    this.#unlink(slot)
    this.#unindex(slot)
    this.#set(slot, newer, this.#free)
    this.#free = slot
    this.size -= 1
  }

  /** Removes at most `max` ended windows without pending reservations. */
  expire(now: number, max: number): number {
    let removed = 0
    for (let list = 0; list < lists; list++) {
      let slot = this.#first[list] as number
      while (slot !== 0 && removed < max && this.endsAt(slot) <= now) {
        const next = this.#get(slot, newer)
        if (this.pending(slot) === 0) {
          this.remove(slot)
          removed += 1
        }
        slot = next
      }
    }
    return removed
  }

  /** Frees memory once nearly all counters are gone. */
  shrink(): void {
    if (this.#touched < 65_536 || this.size > this.#touched / 16) return
    const old = [this.#words, this.#doubles, this.#index] as const
    const firsts = [...this.#first]
    this.#allocate()
    const [from, ends] = old
    for (const [list, first] of firsts.entries()) {
      for (let slot = first; slot !== 0; slot = from[slot * words + newer] as number) {
        this.#a = from[slot * words + hashA] as number
        this.#b = from[slot * words + hashB] as number
        const moved = this.insert(list, 0, ends[slot * doubles + end] as number)
        this.setCount(moved, from[slot * words + count] as number)
        this.setPending(moved, (from[slot * words + marks] as number) >>> pendingShift)
      }
    }
    // Frees the memory at once, not at the next garbage collection.
    for (const buffer of new Set(old.map((array) => array.buffer as ArrayBuffer))) buffer.transfer(0)
  }

  clear(): void {
    this.#allocate()
  }

  /** The kernel provides a page only when it is first written. */
  #allocate(): void {
    this.#words = new Uint32Array((this.max + 1) * words)
    this.#doubles = new Float64Array(this.#words.buffer)
    this.#index = new Uint32Array(this.#mask + 1)
    this.#first.fill(0)
    this.#last.fill(0)
    this.size = 0
    this.#free = 0
    this.#touched = 0
    this.#hand = 0
  }

  /** The next counter not used since the hand last passed it. Those with pending reservations are evicted last. */
  #coldest(): number {
    for (let looked = 0; ; looked++) {
      this.#hand = (this.#hand % this.#touched) + 1
      const slot = this.#hand
      const found = this.#get(slot, marks)
      if (((found & warmBit) === 0 && this.pending(slot) === 0) || looked > 2 * this.#touched) return slot
      this.#set(slot, marks, found & ~warmBit)
    }
  }

  #get(slot: number, word: number): number {
    return this.#words[slot * words + word] as number
  }

  #set(slot: number, word: number, value: number): void {
    this.#words[slot * words + word] = value
  }

  #append(slot: number, endsAt: number): void {
    const list = this.#get(slot, marks) & listBits
    const last = this.#last[list] as number
    this.setEnd(slot, endsAt)
    this.#set(slot, older, last)
    this.#set(slot, newer, 0)
    if (last === 0) this.#first[list] = slot
    else this.#set(last, newer, slot)
    this.#last[list] = slot
  }

  #unlink(slot: number): void {
    const list = this.#get(slot, marks) & listBits
    const [before, after] = [this.#get(slot, older), this.#get(slot, newer)]
    if (before === 0) this.#first[list] = after
    else this.#set(before, newer, after)
    if (after === 0) this.#last[list] = before
    else this.#set(after, older, before)
  }

  /** Moves up later entries that could no longer be found. */
  #unindex(slot: number): void {
    let at = this.#get(slot, hashA) & this.#mask
    while (this.#index[at] !== slot) at = (at + 1) & this.#mask
    for (let next = (at + 1) & this.#mask; ; next = (next + 1) & this.#mask) {
      const moving = this.#index[next] as number
      if (moving === 0) break
      const home = this.#get(moving, hashA) & this.#mask
      if (((next - home) & this.#mask) >= ((next - at) & this.#mask)) {
        this.#index[at] = moving
        at = next
      }
    }
    this.#index[at] = 0
  }
}
