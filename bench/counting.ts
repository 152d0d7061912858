import { get, openConnection } from './connection.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { type Exchange, expectedOf, load } from './load.ts'
import { type Person, registerPeople } from './people.ts'
import { type Server, startApi } from './server.ts'
import type { Accounts, Spent } from './switched-journal.ts'

const mostShare = 0.03
const sockets = 32
const roundMs = 1500

export interface CountingOptions {
  readonly folder: string
  readonly countingRounds: number
}

/** One server that counts and does not in turn, many times a second: two of them differ by more than counting costs. */
export async function benchCounting({ folder, countingRounds: rounds }: CountingOptions): Promise<Gate[]> {
  const server = await startApi(folder, {}, 'counting-switch.ts')
  try {
    const people = await registerPeople(server.port, 100)
    const one = compare(await measure(server, people.slice(0, 1), rounds))
    const many = compare(await measure(server, people, rounds))
    console.log(
      `\nCounting: GET /auth/me, ${sockets} connections, ${rounds} rounds of ${roundMs} ms, on and off in turn within each`,
    )
    printTable([
      ['', 'µs on', 'µs off', 'to count', 'quarter below', 'quarter above', 'one write', 'to write', 'together'],
      ['one user', ...one.cells],
      ['100 users in rotation', ...many.cells],
    ])
    const share = Math.max(one.share, many.share)
    return [
      {
        promise: `counting costs under ${percent(mostShare)} of a request's CPU`,
        figure: percent(share),
        held: share < mostShare,
      },
    ]
  } finally {
    await server.stop()
  }
}

async function measure(server: Server, people: readonly Person[], rounds: number): Promise<Accounts[]> {
  const exchanges = await exchangesOf(server, people)
  const measured: Accounts[] = []
  // The first two only warm up.
  for (let round = -2; round < rounds; round += 1) {
    await server.ask('accounts')
    const { requests, failed } = await load({
      ...{ port: server.port, exchanges, sockets },
      ...{ maxRequests: 1_000_000, maxMs: roundMs },
    })
    if (failed > 0) throw new Error(`${failed} of ${requests} answers were not as expected`)
    const accounts = (await server.ask('accounts')) as Accounts
    if (round >= 0) measured.push(accounts)
  }
  return measured
}

async function exchangesOf({ port }: Server, people: readonly Person[]): Promise<Exchange[]> {
  const connection = await openConnection(port)
  const exchanges: Exchange[] = []
  for (const { accessToken } of people) {
    const request = get('/auth/me', { Authorization: accessToken })
    const { status, body } = await connection.send(request)
    if (status !== 200) throw new Error(`GET /auth/me answered ${status}: ${body}`)
    exchanges.push({ request, expected: expectedOf(body) })
  }
  connection.close()
  return exchanges
}

/** Shares of what a request costs without: of counting it, and of the write that a second of them shares. */
function compare(measured: readonly Accounts[]) {
  const each = (kind: 'on' | 'off') => measured.map((accounts) => perRequest(accounts[kind]))
  const [on, off] = [each('on'), each('off')]
  const shares = on.map((us, round) => us / (off[round] ?? Number.NaN) - 1)
  const writes = measured.reduce((sum, accounts) => sum + accounts.writes, 0)
  const [counted, idle, writing] = [total(measured, 'on'), total(measured, 'off'), total(measured, 'writing')]
  const writeUs = (writing.cpuUs - writing.requests * perRequest(counted)) / writes
  const requests = counted.requests + idle.requests + writing.requests
  const writeShare = (writeUs * writes) / (requests * perRequest(idle))
  const share = median(shares) + writeShare
  const cells = [
    ...[on, off].map((us) => median(us).toFixed(2)),
    ...[median(shares), quantile(shares, 0.25), quantile(shares, 0.75)].map(percent),
    ...[`${(writeUs / 1000).toFixed(1)} ms`, percent(writeShare), percent(share)],
  ]
  return { share, cells }
}

function total(measured: readonly Accounts[], kind: 'on' | 'off' | 'writing'): Spent {
  const sum = (figure: (spent: Spent) => number) => measured.reduce((so, accounts) => so + figure(accounts[kind]), 0)
  return { cpuUs: sum(({ cpuUs }) => cpuUs), requests: sum(({ requests }) => requests) }
}

const perRequest = ({ cpuUs, requests }: Spent) => cpuUs / requests

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
