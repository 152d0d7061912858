import { get } from './connection.ts'
import { compete, contestant, printContest, type Rounds, ratioGate, withBaseline } from './contest.ts'
import type { Gate } from './figures.ts'
import { registerPeople } from './people.ts'
import { type Server, startApi } from './server.ts'

export interface GuardedRouteOptions extends Rounds {
  readonly folder: string
  /** A fresh database on PostgreSQL, measured for the record. */
  readonly databaseUrl: string | undefined
}

export async function benchGuardedRoute({ folder, databaseUrl, ...rounds }: GuardedRouteOptions): Promise<Gate[]> {
  const server = await startApi(folder)
  const [bare, own] = await withBaseline(folder, 'GET /auth/me, SQLite', server, await ownAccount(server))
  const contestants = [bare, own]
  if (databaseUrl) {
    const onPostgres = await startApi(folder, { DATABASE_URL: databaseUrl })
    const load = { requests: [await ownAccount(onPostgres)], bytes: own.bytes }
    contestants.push(contestant('GET /auth/me, PostgreSQL', onPostgres, bare.name, load))
  }
  try {
    await compete(contestants, rounds)
  } finally {
    await Promise.all(contestants.map((one) => one.server.stop()))
  }
  printContest(`A guarded route, ${own.bytes} bytes`, contestants, rounds)
  return [ratioGate(contestants, { promise: 'GET /auth/me', of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 })]
}

async function ownAccount({ port }: Server): Promise<string> {
  const [person] = await registerPeople(port, 1)
  return get('/auth/me', { Authorization: person?.accessToken ?? '' })
}
