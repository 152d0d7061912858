import { type Contestant, compete, type Rounds } from '../contest.ts'
import { median, printTable } from '../figures.ts'

/** What one service spends on a request, one figure per round. */
export interface Row {
  readonly name: string
  readonly costs: readonly number[]
}

export interface Comparison {
  /** Names its picture. */
  readonly id: string
  readonly title: string
  readonly about: string
  readonly unit: 'µs of CPU' | 'ms of CPU' | 'MB'
  readonly groups: readonly { readonly name: string; readonly rows: readonly Row[] }[]
}

export const own = 'Menagerie'

/** In rotation; in µs of CPU. */
export async function race(contestants: readonly Contestant[], rounds: Rounds): Promise<Row[]> {
  await compete(contestants, rounds)
  return contestants.map(({ name, rates }) => ({ name, costs: rates.map((rate) => 1e6 / rate) }))
}

export const short = (cost: number) => (cost >= 100 ? cost.toFixed(0) : cost >= 10 ? cost.toFixed(1) : cost.toFixed(2))

/** Median, worst round, and the median as a multiple of what Menagerie spends (its first row). */
export function tableOf({ groups, unit }: Comparison): string[][] {
  return [
    ['', unit, 'worst round', `of ${own}`],
    ...groups.flatMap(({ name: group, rows }) => {
      const base = median(rows.find(({ name }) => name.startsWith(own))?.costs ?? [])
      return rows.map(({ name, costs }) => [
        group === '' ? name : `${group}: ${name}`,
        short(median(costs)),
        short(Math.max(...costs)),
        `${(median(costs) / base).toFixed(2)}×`,
      ])
    }),
  ]
}

export function print(comparison: Comparison): Comparison {
  console.log(`\n${comparison.title}`)
  printTable(tableOf(comparison))
  return comparison
}
