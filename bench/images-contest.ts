import { stayAwake } from './awake.ts'
import { type Gate, median, printTable } from './figures.ts'
import { openByteConnection } from './images-client.ts'
import { cpuMsOf } from './proc.ts'

export interface Contestant {
  readonly name: string
  readonly port: number
  /** Every process whose CPU counts. */
  readonly pids: readonly number[]
  /** Sent in rotation. */
  readonly requests: readonly string[]
  /** Of every answer's body; any other, or another status than 200, ends the bench. */
  readonly bytes: number
  /** What its rate is compared with. */
  readonly measure: string
  /** Requests per second of CPU, one for each round. */
  readonly rates: number[]
}

export interface Rounds {
  readonly rounds: number
  readonly roundMs: number
}

const sockets = 32
/** The compilers of the runtime are done by then. */
const warmMs = 4000

/** In rotation, so that a busy moment of the machine does not fall on one alone. */
export async function compete(contestants: readonly Contestant[], { rounds, roundMs }: Rounds): Promise<void> {
  for (const contestant of contestants) await measure(contestant, Math.max(warmMs, roundMs))
  for (let round = 0; round < rounds; round += 1)
    for (const contestant of contestants) contestant.rates.push(await measure(contestant, roundMs))
}

async function measure({ name, port, pids, requests, bytes }: Contestant, maxMs: number): Promise<number> {
  const connections = await Promise.all(Array.from({ length: sockets }, () => openByteConnection(port)))
  const sleep = stayAwake()
  const cpuMs = () => pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0)
  const before = cpuMs()
  const startedAt = performance.now()
  let sent = 0
  const drive = async ({ send }: (typeof connections)[number]) => {
    while (performance.now() - startedAt < maxMs) {
      const request = requests[sent % requests.length] ?? ''
      sent += 1
      const answer = await send(request)
      if (answer.status !== 200 || answer.bytes !== bytes)
        throw new Error(`${name} answered ${answer.status} with ${answer.bytes} bytes`)
    }
  }
  try {
    await Promise.all(connections.map(drive))
  } finally {
    sleep()
    for (const connection of connections) connection.close()
  }
  return sent / ((cpuMs() - before) / 1000)
}

/** How many times its rate is the other's, round by round. */
export function ratios(of: Contestant, to: Contestant): number[] {
  return of.rates.map((rate, round) => rate / (to.rates[round] ?? Number.NaN))
}

export function named(contestants: readonly Contestant[], name: string): Contestant {
  const found = contestants.find((contestant) => contestant.name === name)
  if (!found) throw new Error(`nobody is called ${name}`)
  return found
}

export function printContest(title: string, contestants: readonly Contestant[], { rounds, roundMs }: Rounds): void {
  console.log(`\n${title}: ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation`)
  printTable([
    ['', 'per CPU second', 'worst', 'µs each', 'ratio', 'worst', 'of'],
    ...contestants.map((contestant) => {
      const ofMeasure = ratios(contestant, named(contestants, contestant.measure))
      return [
        contestant.name,
        median(contestant.rates).toFixed(0),
        Math.min(...contestant.rates).toFixed(0),
        (1e6 / median(contestant.rates)).toFixed(1),
        median(ofMeasure).toFixed(2),
        Math.min(...ofMeasure).toFixed(2),
        contestant.measure,
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
