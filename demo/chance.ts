import type { Clock } from '../src/lib/clock.ts'

export type Chance = ReturnType<typeof createChance>

/** The same numbers for the same seed (mulberry32). */
export function createChance(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  /** Both inclusive. */
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    isTrue: (share: number) => next() < share,
    pick: <T>(all: readonly T[]): T => all[between(0, all.length - 1)] as T,
    shuffled: <T>(all: readonly T[]): T[] =>
      all
        .map((each) => ({ each, place: next() }))
        .sort((a, b) => a.place - b.place)
        .map(({ each }) => each),
    fill(bytes: Uint8Array): void {
      for (let at = 0; at < bytes.length; at++) bytes[at] = between(0, 255)
    },
  }
}

export interface SetClock extends Clock {
  set(at: number): void
}

export function createSetClock(start: number): SetClock {
  let time = start
  return {
    now: () => time,
    monotonic: () => time - start,
    set(at) {
      time = Math.max(time, at)
    },
  }
}

/** Runs what was planned in the order of its times, with the clock set to each. */
export function createPlan(clock: SetClock) {
  const acts: { readonly at: number; run(): unknown }[] = []
  return {
    at: (at: number, run: () => unknown): void => void acts.push({ at, run }),
    async run(): Promise<void> {
      for (const { at, run } of acts.toSorted((a, b) => a.at - b.at)) {
        clock.set(at)
        await run()
      }
    },
  }
}
