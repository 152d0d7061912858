import { sockets } from './closed-loop.ts'
import { get } from './connection.ts'
import { type Gate, median, printTable } from './figures.ts'
import { registerPeople } from './people.ts'
import { startApi } from './server.ts'
import { type Books, type Compared, compare, comparedHead, percent, perRequest } from './with-and-without.ts'

const mostShare = 0.03
const roundMs = 1500

export async function benchCounting({ folder, rounds }: { folder: string; rounds: number }): Promise<Gate[]> {
  const server = await startApi(folder, {}, 'switched-journal.ts')
  try {
    const people = await registerPeople(server.port, 100)
    const requests = people.map(({ accessToken }) => get('/auth/me', { Authorization: accessToken }))
    const load = (name: string, count: number) => ({
      name,
      port: server.port,
      requests: requests.slice(0, count),
      bytes: null,
    })
    const loads = [load('one user', 1), load('100 users in rotation', 100)]
    const costs = (await compare(server, loads, { rounds, roundMs })).map(withWrites)
    console.log(
      `\nCounting: GET /auth/me, ${sockets} connections, ${rounds} rounds of ${roundMs} ms, on and off in turn within each`,
    )
    printTable([
      ['', ...comparedHead, 'one write', 'to write', 'together'],
      ...costs.map(({ cells }, place) => [loads[place]?.name ?? '', ...cells]),
    ])
    const share = Math.max(...costs.map((cost) => cost.share))
    const promise = `counting costs under ${percent(mostShare)} of a request's CPU`
    return [{ promise, figure: percent(share), held: share < mostShare }]
  } finally {
    await server.stop()
  }
}

/** Costs as shares of a request without them: counting it, and the write that a second's requests share. */
function withWrites({ books, shares, cells }: Compared) {
  const [counted, idle, writing] = [total(books, 'on'), total(books, 'off'), total(books, 'writing')]
  const writesUs = writing.cpuUs - writing.requests * perRequest(counted)
  const requests = counted.requests + idle.requests + writing.requests
  const writeShare = writesUs / (requests * perRequest(idle))
  const share = median(shares) + writeShare
  const oneWrite = `${(writesUs / writing.turns / 1000).toFixed(1)} ms`
  return { share, cells: [...cells, oneWrite, percent(writeShare), percent(share)] }
}

function total(books: readonly Books[], kind: keyof Books) {
  const sum = (figure: 'cpuUs' | 'requests' | 'turns') => books.reduce((so, each) => so + each[kind][figure], 0)
  return { cpuUs: sum('cpuUs'), requests: sum('requests'), turns: sum('turns') }
}
