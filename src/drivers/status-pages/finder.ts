import type { Readings } from './readings.ts'

/** The first byte, and the one after the last. */
export type Span = readonly [start: number, end: number]

/** Where some reading spells a secret, or begins to where the text was cut. */
export type Find = (readings: Readings, length: number, isWhole: boolean) => Span[]

/** How many signs are read, and which of the sorted secrets begin with them. */
interface Spelled {
  readonly signs: number
  readonly from: number
  readonly to: number
}

interface Way {
  readonly start: number
  readonly spelled: Spelled
}

/** `fold` says what a byte counts as: nothing where it is passed over. A thousand secrets take hardly longer than one. */
export function finderOf(secrets: Iterable<string>, fold: (sign: string) => string): Find {
  const sorted = [...new Set(secrets)].sort()
  const folded = Array.from({ length: 256 }, (_, code) => fold(String.fromCharCode(code)).charCodeAt(0))
  const nothing: Spelled = { signs: 0, from: 0, to: sorted.length }
  const firsts = Array.from({ length: 256 }, (_, code) => next(nothing, code))

  /** Of those that begin alike, the first whose next sign is this one or a later one. One that ends there is before it. */
  function firstFrom({ signs, from, to }: Spelled, code: number): number {
    let [low, high] = [from, to]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] as string).charCodeAt(signs) >= code) high = middle
      else low = middle + 1
    }
    return low
  }

  function next(spelled: Spelled, code: number): Spelled | null {
    const from = firstFrom(spelled, code)
    const to = firstFrom(spelled, code + 1)
    return from === to ? null : { signs: spelled.signs + 1, from, to }
  }

  /** Signs are bytes: one from an escape may be several. */
  function read(spelled: Spelled, signs: string): Spelled | null {
    let now: Spelled | null = spelled
    for (let index = 0; now !== null && index < signs.length; index++) {
      const code = folded[signs.charCodeAt(index)] as number
      if (!Number.isNaN(code)) now = now === nothing ? (firsts[code] ?? null) : next(now, code)
    }
    return now
  }

  return (readings, length, isWhole) => {
    const spans: Span[] = []
    /** By where they have come to. Of two that spell the same, the one that began first hides more. */
    const ways: (Way[] | undefined)[] = []

    function come(at: number, start: number, spelled: Spelled): void {
      const there = ways[at] ?? []
      ways[at] = there
      const same = there.findIndex((way) => way.spelled.signs === spelled.signs && way.spelled.from === spelled.from)
      if (same === -1) there.push({ start, spelled })
      else if (start < (there[same] as Way).start) there[same] = { start, spelled }
    }

    function goOn({ start, spelled }: Way, at: number): void {
      for (const { signs, end } of readings.at(at)) {
        const longer = read(spelled, signs)
        if (longer === null || longer === nothing) continue
        const isSpelled = sorted[longer.from]?.length === longer.signs
        // A line that ends after it is none of it.
        if (isSpelled && longer !== spelled) spans.push([start, end])
        if (!isSpelled || longer.to - longer.from > 1) come(end, start, longer)
      }
    }

    for (let at = 0; at <= length; at++) {
      const here = ways[at] ?? []
      ways[at] = undefined
      const isCut = !isWhole && readings.isCutAt(at)
      for (const way of here) {
        if (isCut) spans.push([way.start, length])
        if (at < length) goOn(way, at)
      }
      if (at < length) goOn({ start: at, spelled: nothing }, at)
    }
    return spans
  }
}
