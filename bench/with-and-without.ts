import { registerHooks } from 'node:module'
import { closedLoop, type Load } from './closed-loop.ts'
import { median, quantile } from './figures.ts'
import type { Server } from './server.ts'

/*
 * What a part of the server costs: one server does it in one slice of time and not in the next, many times a second.
 * Two servers, one with and one without, differ by more than the part costs.
 */

export interface Spent {
  cpuUs: number
  requests: number
  /** How often it was begun. */
  turns: number
}

/** CPU of the whole process, by what it did meanwhile: with the part, without, and whatever else is kept apart. */
export type Books = Readonly<Record<'on' | 'off' | 'writing', Spent>>

const emptyBooks = (): Books => {
  const none = () => ({ cpuUs: 0, requests: 0, turns: 0 })
  return { on: none(), off: none(), writing: none() }
}

/** In the server, loaded before its own code: whoever imports the module at `path` gets the one at `url`. */
export function standInFor(path: string, url: string): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context)
      return found.url.endsWith(path) && context.parentURL !== url ? { ...found, url } : found
    },
  })
}

/**
 * In the server: tells its parent process, whenever that asks, what each kind of slice has cost since the last time.
 */
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
  /** Of what a request costs without the part, one for each round. */
  readonly shares: readonly number[]
  /** µs with and without, the share, and its quarters. */
  readonly cells: readonly string[]
}

export const comparedHead = ['µs on', 'µs off', 'share', 'quarter below', 'quarter above']

/** The loads in rotation, each for `roundMs` a round. */
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
