import { setTimeout as sleep } from 'node:timers/promises'
import { stayAwake } from './awake.ts'
import { get, openConnection } from './connection.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { openByteConnection } from './images-client.ts'
import { kind } from './images-pool.ts'
import { registerPeople } from './people.ts'
import { type Server, startApi } from './server.ts'
import type { LimitAccounts, Question, Spent } from './switched-limiter.ts'

const mostShare = 0.08
const sockets = 32
const roundMs = 1500
const addresses = Array.from({ length: 10_000 }, (_, index) => `203.0.${index >> 8}.${index & 255}`)

export interface LimitsOptions {
  readonly folder: string
  readonly limitRounds: number
}

export interface LimitedRoute {
  readonly name: string
  readonly question: Question
  /** Sent in rotation. */
  readonly requests: readonly string[]
}

/** One server that limits and does not in turn, many times a second: two of them differ by more than limits cost. */
export async function benchLimits({ folder, limitRounds: rounds }: LimitsOptions): Promise<Gate[]> {
  const server = await startApi(folder, { TRUST_PROXY: 'loopback' }, 'limits-switch.ts')
  try {
    const { random, crowd, me, image, list } = await routesOf(server)
    const routes = [random, me, image]
    const found = await measureLimits(server, [...routes, crowd, list], rounds)
    console.log(
      `\nLimits in memory: ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation, on and off in turn within each`,
    )
    printLimits(found)
    const share = Math.max(...found.slice(0, routes.length).map(({ shares }) => median(shares)))
    return [
      {
        promise: `all limits together cost at most ${percent(mostShare)} of a request's CPU`,
        figure: percent(share),
        held: share <= mostShare,
      },
    ]
  } finally {
    await server.stop()
  }
}

/** A random choice, a guarded route in two scopes, and a small image from the cache. */
export async function routesOf({ port }: Server) {
  const [person] = await registerPeople(port, 1)
  const token = { Authorization: person?.accessToken ?? '' }
  const randomPath = `/images/${kind}/random`
  const image = get(`/i/${kind}/fox-asleep.png`)
  const random = get(randomPath, token)
  const { length } = await untilAnswered(port, image)
  await untilAnswered(port, random)
  const route = (name: string, ...requests: readonly string[]): LimitedRoute => ({ name, requests, question: 'told' })
  const me = route('GET /auth/me', get('/auth/me', token))
  const toMany = addresses.map((address) => get(randomPath, { ...token, 'X-Forwarded-For': address }))
  return {
    random: route(`GET ${randomPath}`, random),
    me,
    image: route(`GET /i, ${length} bytes, cached`, image),
    /** For the record: what is counted lies far apart, and every address is read out of a header. */
    crowd: route(`GET ${randomPath} from ${addresses.length} addresses`, ...toMany),
    /** For the record: no limit needs it, it tells of them. */
    list: { ...me, name: 'GET /auth/me and its list of limits', question: 'untold' } as LimitedRoute,
  }
}

/** A new server brings its sample images in after it is ready. */
async function untilAnswered(port: number, request: string): Promise<string> {
  const connection = await openConnection(port)
  const deadline = performance.now() + 10_000
  while (performance.now() < deadline) {
    const { status, body } = await connection.send(request)
    if (status === 200) {
      connection.close()
      return body
    }
    await sleep(10)
  }
  throw new Error(`no 200 within 10 s to ${request.split('\r\n')[0]}`)
}

export interface RouteCost {
  readonly name: string
  /** µs of CPU for a request, one for each round. */
  readonly on: number[]
  readonly off: number[]
  /** Of what it costs without. */
  readonly shares: number[]
}

export async function measureLimits(server: Server, routes: readonly LimitedRoute[], rounds: number) {
  const costs = routes.map(({ name }): RouteCost => ({ name, on: [], off: [], shares: [] }))
  // The first two only warm up.
  for (let round = -2; round < rounds; round += 1) {
    for (const [place, route] of routes.entries()) {
      const { on, off } = await measure(server, route)
      const cost = costs[place]
      if (round < 0 || cost === undefined) continue
      cost.on.push(perRequest(on))
      cost.off.push(perRequest(off))
      cost.shares.push(perRequest(on) / perRequest(off) - 1)
    }
  }
  return costs
}

/** Only the status of an answer is as expected: its bytes are another choice each time, and count down. */
async function measure(server: Server, { name, requests, question }: LimitedRoute): Promise<LimitAccounts> {
  const connections = await Promise.all(Array.from({ length: sockets }, () => openByteConnection(server.port)))
  await server.ask(question)
  let sent = 0
  const rest = stayAwake()
  const until = performance.now() + roundMs
  const drive = async ({ send }: (typeof connections)[number]) => {
    while (performance.now() < until) {
      const { status } = await send(requests[sent++ % requests.length] ?? '')
      if (status !== 200) throw new Error(`${name} was answered ${status}`)
    }
  }
  try {
    await Promise.all(connections.map(drive))
    return (await server.ask(question)) as LimitAccounts
  } finally {
    rest()
    for (const connection of connections) connection.close()
  }
}

export function printLimits(costs: readonly RouteCost[]): void {
  printTable([
    ['', 'µs on', 'µs off', 'limits', 'quarter below', 'quarter above'],
    ...costs.map(({ name, on, off, shares }) => [
      name,
      ...[on, off].map((us) => median(us).toFixed(2)),
      ...[median(shares), quantile(shares, 0.25), quantile(shares, 0.75)].map(percent),
    ]),
  ])
}

const perRequest = ({ cpuUs, requests }: Spent) => cpuUs / requests

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
