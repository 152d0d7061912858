import { type Load, sockets } from './closed-loop.ts'
import { get, untilServed } from './connection.ts'
import { type Gate, median, printTable } from './figures.ts'
import { kind } from './images-pool.ts'
import { tokenOn } from './people.ts'
import { type Server, startApi } from './server.ts'
import { compare, comparedHead, percent } from './with-and-without.ts'

const mostShare = 0.08
const roundMs = 1500

export async function benchLimits({ folder, rounds }: { folder: string; rounds: number }): Promise<Gate[]> {
  const server = await startApi(folder, {}, 'switched-limiter.ts')
  try {
    const loads = await loadsOn(server)
    const costs = await compare(server, loads, { rounds, roundMs })
    console.log(
      `\nLimits in memory: ${sockets} connections, ${rounds} rounds of ${roundMs} ms in rotation, on and off in turn within each`,
    )
    printTable([['', ...comparedHead], ...costs.map(({ cells }, place) => [loads[place]?.name ?? '', ...cells])])
    const share = Math.max(...costs.map(({ shares }) => median(shares)))
    const promise = `all limits together cost at most ${percent(mostShare)} of a request's CPU`
    return [{ promise, figure: percent(share), held: share <= mostShare }]
  } finally {
    await server.stop()
  }
}

async function loadsOn({ port }: Server): Promise<Load[]> {
  const token = await tokenOn(port)
  const randomPath = `/images/${kind}/random`
  const image = get(`/i/${kind}/fox-asleep.png`)
  const length = await untilServed(port, image)
  await untilServed(port, get(randomPath, token))
  const load = (name: string, request: string): Load => ({ name, port, requests: [request], bytes: null })
  return [
    load(`GET ${randomPath}`, get(randomPath, token)),
    // Not GET /auth/me, which also prints the limits.
    load('GET /images', get('/images', token)),
    load(`GET /i, ${length} bytes, cached`, image),
  ]
}
