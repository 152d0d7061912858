import { stayAwake } from './awake.ts'
import { get, openConnection } from './connection.ts'
import { type Gate, median, printTable } from './figures.ts'
import { expectedOf, load } from './load.ts'
import { registerPeople } from './people.ts'
import { cpuMsOf } from './proc.ts'
import { type Server, startApi, startServer } from './server.ts'

const mustReach = 0.6
const aim = 0.75
const sockets = 32

interface Contestant {
  readonly name: string
  readonly server: Server
  readonly request: string
  readonly body: string
  /** Requests per second of CPU, one for each round. */
  readonly rates: number[]
}

export interface GuardedRouteOptions {
  readonly folder: string
  readonly rounds: number
  readonly roundMs: number
  /** A fresh database on PostgreSQL, measured for the record. */
  readonly databaseUrl: string | undefined
}

export async function benchGuardedRoute(options: GuardedRouteOptions): Promise<Gate[]> {
  const { folder, rounds, roundMs, databaseUrl } = options
  const first = await guarded('GET /auth/me, SQLite', await startApi(folder))
  const bare = await bareServer(folder, first)
  const contestants = [bare, first]
  if (databaseUrl) {
    const api = await startApi(folder, { DATABASE_URL: databaseUrl })
    contestants.push(await guarded('GET /auth/me, PostgreSQL', api))
  }
  try {
    for (const contestant of contestants) await measure(contestant, Math.max(2000, roundMs))
    for (let round = 0; round < rounds; round += 1)
      for (const contestant of contestants) contestant.rates.push(await measure(contestant, roundMs))
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()))
  }
  console.log(
    `\nA guarded route: ${first.body.length} bytes, ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation`,
  )
  report(contestants, bare)
  const ratio = median(ratios(first, bare))
  return [
    {
      promise: `GET /auth/me reaches ${mustReach.toFixed(2)} of bare node:http (aim ${aim.toFixed(2)})`,
      figure: `${ratio.toFixed(2)}${ratio >= aim ? ', the aim' : ''}`,
      held: ratio >= mustReach,
    },
  ]
}

async function guarded(name: string, server: Server): Promise<Contestant> {
  const [person] = await registerPeople(server.port, 1)
  const request = get('/auth/me', { Authorization: person?.accessToken ?? '' })
  const connection = await openConnection(server.port)
  const { status, body } = await connection.send(request)
  connection.close()
  if (status !== 200) throw new Error(`GET /auth/me answered ${status}: ${body}`)
  return { name, server, request, body, rates: [] }
}

/** It gets the same request too, token and all: reading that is a part of both. */
async function bareServer(folder: string, { request, body }: Contestant): Promise<Contestant> {
  const server = await startServer({ script: 'bench/bare.ts', readyPath: '/', env: { BODY: body }, folder })
  return { name: 'bare node:http', server, request, body, rates: [] }
}

async function measure({ name, server, request, body }: Contestant, maxMs: number): Promise<number> {
  const sleep = stayAwake()
  const before = cpuMsOf(server.pid)
  const { requests, failed } = await load({
    port: server.port,
    exchanges: [{ request, expected: expectedOf(body) }],
    sockets,
    maxRequests: 1_000_000,
    maxMs,
  }).finally(sleep)
  if (failed > 0) throw new Error(`${name}: ${failed} of ${requests} answers were not as expected`)
  return requests / ((cpuMsOf(server.pid) - before) / 1000)
}

const ratios = ({ rates }: Contestant, bare: Contestant) => rates.map((rate, round) => rate / (bare.rates[round] ?? 0))

function report(contestants: readonly Contestant[], bare: Contestant): void {
  printTable([
    ['', 'requests per CPU second', 'worst', 'µs each', 'of bare', 'worst'],
    ...contestants.map((contestant) => {
      const rate = median(contestant.rates)
      const ofBare = ratios(contestant, bare)
      return [
        contestant.name,
        rate.toFixed(0),
        Math.min(...contestant.rates).toFixed(0),
        (1e6 / rate).toFixed(1),
        median(ofBare).toFixed(2),
        Math.min(...ofBare).toFixed(2),
      ]
    }),
  ])
}
