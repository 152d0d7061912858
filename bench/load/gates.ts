import { median } from '../figures.ts'

export interface Gate {
  readonly what: string
  readonly figure: number
  readonly unit: string
  /** What must hold, as text. */
  readonly must: string
  /** Null if it cannot be judged in this run. */
  readonly held: boolean | null
  /** Of two repeats, the worse figure is the higher one, or else the lower one. */
  readonly isWorseHigher: boolean
}

export const atMost = (what: string, figure: number, limit: number, unit = ''): Gate => ({
  what,
  figure,
  unit,
  must: `≤ ${limit}${unit && ` ${unit}`}`,
  isWorseHigher: true,
  // A figure that is missing never holds.
  held: figure <= limit,
})

export const under = (what: string, figure: number, limit: number, unit: string): Gate => ({
  what,
  figure,
  unit,
  must: `< ${limit} ${unit}`,
  isWorseHigher: true,
  held: figure < limit,
})

export const atLeast = (what: string, figure: number, limit: number, unit = ''): Gate => ({
  what,
  figure,
  unit,
  must: `≥ ${limit}${unit && ` ${unit}`}`,
  isWorseHigher: false,
  held: figure >= limit,
})

/** For a gate that a shortened run would pass or fail by chance. */
export const onlyInFull = (isFull: boolean, gate: Gate): Gate => (isFull ? gate : { ...gate, held: null })

export const verdictOf = ({ held }: Pick<Gate, 'held'>): string =>
  held === null ? 'not judged: needs --full' : held ? 'holds' : 'FAILED'

export interface Repeated extends Omit<Gate, 'figure'> {
  readonly median: number
  readonly worst: number
}

/** The gates of several repeats of a run: each holds if it held in every repeat. */
export function overRepeats(repeats: readonly (readonly Gate[])[]): Repeated[] {
  const all = repeats.flat()
  return [...new Set(all.map(({ what }) => what))].map((what) => {
    const same = all.filter((gate) => gate.what === what)
    const figures = same.map(({ figure }) => figure)
    const { figure, ...first } = same[0] as Gate
    const held = same.some((gate) => gate.held === false) ? false : first.held
    const worst = first.isWorseHigher ? Math.max(...figures) : Math.min(...figures)
    return { ...first, held, median: median(figures), worst }
  })
}
