import { type Escape, escapes } from './escapes.ts'

/** One way to read what stands at a place. */
export interface Reading {
  /** What it means, in bytes of UTF-8; none for a line break that only the way of writing needs. */
  readonly signs: string
  readonly end: number
  /** How many escapes stand in each other. */
  readonly layers: number
}

export interface Readings {
  /** As it is written, and then unescaped. */
  at(place: number): readonly Reading[]
  /** Whether the text ends there, or within an escape that begins there. */
  isCutAt(place: number): boolean
}

const mostLayers = 3
/** So long may an escape be, with all that it is itself escaped in. */
const mostBytes = 200

/**
 * All that a text may mean, place by place. Each escape is undone, and also left as it is, whatever it stands in: so
 * layers may be mixed, and what only looks escaped is still read as it is.
 */
export function readingsOf(bytes: string): Readings {
  const escaped: Reading[][] = []
  const cuts = new Set([bytes.length])
  const asWritten = (place: number): Reading => ({ signs: bytes.charAt(place), end: place + 1, layers: 0 })
  const at = (place: number): readonly Reading[] => escaped[place] ?? [asWritten(place)]

  function readFrom(place: number): Reading[] {
    const found = [asWritten(place)]
    const add = (reading: Reading) => {
      const { signs, end, layers } = reading
      if (!found.some((known) => known.signs === signs && known.end === end && known.layers <= layers))
        found.push(reading)
    }
    // What is found may be the mark of another one.
    for (const mark of found) {
      const kind = escapes[mark.signs]
      if (kind !== undefined && mark.layers < mostLayers) follow(kind, mark, { ...mark, signs: '' }, add)
    }
    return found

    /** Whether there was more of it. */
    function follow(kind: Escape, mark: Reading, before: Reading, add: (reading: Reading) => void): boolean {
      if (before.end === bytes.length) cuts.add(place)
      let isMore = false
      for (const next of before.end < Math.min(bytes.length, place + mostBytes) ? at(before.end) : []) {
        // What undid the second of two marks would have undone the first.
        if (next.layers === mostLayers || (next.signs === mark.signs && next.layers !== mark.layers)) continue
        const layers = Math.max(before.layers, next.layers)
        const written = { signs: before.signs + next.signs, end: next.end, layers }
        const goesOn = next.signs === '' || kind.part.test(written.signs)
        const isWhole = kind.whole.test(written.signs)
        if (!goesOn && !isWhole) continue
        // What is escaped once more than the mark is the next sign, and no part of this one.
        if (next.layers <= mark.layers) isMore = true
        const isLonger = goesOn && follow(kind, mark, written, add)
        if (isWhole && !isLonger) add({ signs: kind.meaning(written.signs), end: next.end, layers: layers + 1 })
      }
      return isMore
    }
  }

  // From the end: what an escape is made of is known by then.
  for (let place = bytes.length - 1; place >= 0; place--)
    if (escapes[bytes.charAt(place)] !== undefined) escaped[place] = readFrom(place)
  return { at, isCutAt: (place) => cuts.has(place) }
}
