import { closedLoop, type Load, sockets } from './closed-loop.ts'
import { ask } from './connection.ts'
import { type Gate, median, printTable } from './figures.ts'
import { cpuMsOf, untilIdle } from './proc.ts'
import { type Server, startServer } from './server.ts'

export interface Contestant extends Load {
  readonly server: Server
  /** The same service once more, driven at the same time: its rate is added. */
  readonly twin?: Server
  /** Another service, driven at the same time, whose rate does not count. */
  readonly stranger?: Contestant
  /** The name of the contestant to compare it with. */
  readonly baseline: string
  /** Requests per second of CPU, one figure per round. */
  readonly rates: number[]
}

export interface Rounds {
  readonly rounds: number
  readonly roundMs: number
}

export interface ContestOptions extends Rounds {
  readonly folder: string
}

/** The runtime's compilers are done by then. */
const warmMs = 4000

export const contestant = (
  name: string,
  server: Server,
  baseline: string,
  load: Pick<Load, 'requests' | 'bytes'>,
): Contestant => ({ name, server, port: server.port, baseline, ...load, rates: [] })

/** A bare server with the same response to the same request: both include the cost of reading the token. */
export async function withBaseline(
  folder: string,
  name: string,
  server: Server,
  request: string,
  env: Readonly<Record<string, string>> = {},
): Promise<[baseline: Contestant, own: Contestant]> {
  const { body, bytes } = await ask(server.port, request)
  const bare = await startServer({ script: 'bench/bare.ts', readyPath: '/', env: { ...env, BODY: body }, folder })
  const load = { requests: [request], bytes }
  const baseline = 'bare node:http'
  return [contestant(baseline, bare, baseline, load), contestant(name, server, baseline, load)]
}

/** In rotation, so that a busy moment of the machine does not hit only one. */
export async function compete(contestants: readonly Contestant[], { rounds, roundMs }: Rounds): Promise<void> {
  for (const one of contestants) await untilIdle(one.server.pid)
  for (const one of contestants) await measure(one, Math.max(warmMs, roundMs))
  for (let round = 0; round < rounds; round += 1)
    for (const one of contestants) one.rates.push(await measure(one, roundMs))
}

async function measure(one: Contestant, maxMs: number): Promise<number> {
  const rateOf = async ({ pid, port }: Server) => {
    const before = cpuMsOf(pid)
    const sent = await closedLoop({ ...one, port }, maxMs)
    return sent / ((cpuMsOf(pid) - before) / 1000)
  }
  const [rates] = await Promise.all([
    Promise.all([one.server, ...(one.twin ? [one.twin] : [])].map(rateOf)),
    one.stranger && measure(one.stranger, maxMs),
  ])
  return rates.reduce((sum, rate) => sum + rate)
}

/** The ratio of the two rates, round by round. */
export function ratios(of: Contestant, to: Contestant): number[] {
  return of.rates.map((rate, round) => rate / (to.rates[round] ?? Number.NaN))
}

export function named(contestants: readonly Contestant[], name: string): Contestant {
  const found = contestants.find((one) => one.name === name)
  if (!found) throw new Error(`nobody is called ${name}`)
  return found
}

export function printContest(title: string, contestants: readonly Contestant[], { rounds, roundMs }: Rounds): void {
  console.log(`\n${title}: ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation`)
  printTable([
    ['', 'per CPU second', 'worst', 'µs each', 'ratio', 'worst', 'of'],
    ...contestants.map((one) => {
      const ofBaseline = ratios(one, named(contestants, one.baseline))
      return [
        one.name,
        median(one.rates).toFixed(0),
        Math.min(...one.rates).toFixed(0),
        ((one.twin ? 2e6 : 1e6) / median(one.rates)).toFixed(1),
        median(ofBaseline).toFixed(2),
        Math.min(...ofBaseline).toFixed(2),
        one.baseline,
      ]
    }),
  ])
}

export interface Bound {
  readonly promise: string
  readonly of: string
  readonly to: string
  readonly mustReach: number
  readonly aim?: number
}

export function ratioGate(contestants: readonly Contestant[], { promise, of, to, mustReach, aim }: Bound): Gate {
  const ratio = median(ratios(named(contestants, of), named(contestants, to)))
  const aimed = aim === undefined ? '' : ` (aim ${aim.toFixed(2)})`
  return {
    promise: `${promise} reaches ${mustReach.toFixed(2)} of ${to}${aimed}`,
    figure: `${ratio.toFixed(2)}${aim !== undefined && ratio >= aim ? ', the aim' : ''}`,
    held: ratio >= mustReach,
  }
}

export function costGate(request: string, plain: Contestant, other: Contestant, most: number): Gate {
  const cost = median(ratios(plain, other))
  return {
    promise: `${request}: ${other.name} costs at most ${most.toFixed(1)} times the CPU of ${plain.name}`,
    figure: cost.toFixed(2),
    held: cost <= most,
  }
}
