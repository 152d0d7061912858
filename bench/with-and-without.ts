import { registerHooks } from 'node:module'
import { closedLoop, type Load } from './closed-loop.ts'
import { median, quantile } from './figures.ts'
import type { Server } from './server.ts'

/*
 * The cost of a part of the server: one server has it in every other slice of time, many times a second. Two servers,
 * one with and one without it, differ by more than the part costs.
 */

export interface Spent {
  cpuUs: number
  requests: number
  /** How often such a slice began. */
  turns: number
}

/** CPU of the whole process, by kind of slice: with the part, without it, and writing. */
export type Books = Readonly<Record<'on' | 'off' | 'writing', Spent>>

const emptyBooks = (): Books => {
  const none = () => ({ cpuUs: 0, requests: 0, turns: 0 })
  return { on: none(), off: none(), writing: none() }
}

/** In the server, before its own code: imports of the module at `path` get the one at `url`. */
export function standInFor(path: string, url: string): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context)
      return found.url.endsWith(path) && context.parentURL !== url ? { ...found, url } : found
    },
  })
}

/** In the server: reports to the parent process, on request, what each kind of slice has cost since the last report. */
export function keepBooks() {
  let books = emptyBooks()
  let kind: keyof Books = 'on'
  let since = process.cpuUsage()
  const close = () => {
    const { user, system } = process.cpuUsage(since)
    since = process.cpuUsage()
    books[kind].cpuUs += user + system
  }
  process.on('message', () => {
    close()
    process.send?.(books)
    books = emptyBooks()
  })
  return {
    kind: () => kind,
    countRequest() {
      books[kind].requests += 1
    },
    turnTo(next: keyof Books) {
      close()
      kind = next
      books[kind].turns += 1
    },
  }
}

export interface Compared {
  readonly books: readonly Books[]
  /** Share of the cost of a request without the part, one per round. */
  readonly shares: readonly number[]
  /** µs with and without, the share, and its quartiles. */
  readonly cells: readonly string[]
}

export const comparedHead = ['µs on', 'µs off', 'share', 'quarter below', 'quarter above']

/** Runs the loads in rotation, each for `roundMs` per round. */
export async function compare(
  server: Server,
  loads: readonly Load[],
  { rounds, roundMs }: { readonly rounds: number; readonly roundMs: number },
): Promise<Compared[]> {
  const found = loads.map((): Books[] => [])
  // The first two rounds only warm up.
  for (let round = -2; round < rounds; round += 1) {
    for (const [place, load] of loads.entries()) {
      await server.ask('books')
      await closedLoop(load, roundMs)
      const books = (await server.ask('books')) as Books
      if (round >= 0) found[place]?.push(books)
    }
  }
  return found.map((books) => {
    const [on, off] = [books.map((each) => perRequest(each.on)), books.map((each) => perRequest(each.off))]
    const shares = on.map((us, round) => us / (off[round] ?? Number.NaN) - 1)
    const figures = [median(shares), quantile(shares, 0.25), quantile(shares, 0.75)]
    return { books, shares, cells: [median(on).toFixed(2), median(off).toFixed(2), ...figures.map(percent)] }
  })
}

export const perRequest = ({ cpuUs, requests }: Pick<Spent, 'cpuUs' | 'requests'>) => cpuUs / requests

export const percent = (share: number) => `${(share * 100).toFixed(1)} %`
