import { get, openConnection, post } from './connection.ts'
import { type Contestant, compete, contestant, printContest, type Rounds, ratioGate, withBaseline } from './contest.ts'
import type { Gate } from './figures.ts'
import { registerPeople } from './people.ts'
import { type Server, startApi } from './server.ts'

const path = '/auth/me'

/** The same server and route, with an API key in place of the login token. */
async function withKey(server: Server, accessToken: string, baseline: string): Promise<Contestant> {
  const connection = await openConnection(server.port)
  const terms = { name: 'bench', scopes: ['images'] }
  const created = await connection.send(post('/auth/keys', terms, { Authorization: accessToken }))
  if (created.status !== 201) throw new Error(`POST /auth/keys answered ${created.status}: ${created.body}`)
  const request = get(path, { Authorization: `Bearer ${JSON.parse(created.body).key}` })
  const { bytes } = await connection.send(request)
  connection.close()
  return contestant(`GET ${path} with an API key`, server, baseline, { requests: [request], bytes })
}

export async function benchGuardedRoute({
  folder,
  databaseUrl,
  ...rounds
}: Rounds & { readonly folder: string; readonly databaseUrl?: string }): Promise<Gate[]> {
  const server = await startApi(folder, databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  const [person] = await registerPeople(server.port, 1)
  const token = person?.accessToken ?? ''
  const [bare, own] = await withBaseline(folder, `GET ${path}`, server, get(path, { Authorization: token }))
  const all = [bare, own, await withKey(server, token, own.name)]
  try {
    await compete(all, rounds)
  } finally {
    await Promise.all([bare, own].map((one) => one.server.stop()))
  }
  printContest(`A guarded route, ${own.bytes} bytes`, all, rounds)
  const [, , key] = all as [Contestant, Contestant, Contestant]
  // A key costs what a token costs; two runs of the same thing differ by this much.
  const asToken = ratioGate(all, { promise: key.name, of: key.name, to: own.name, mustReach: 0.97, aim: 1 })
  if (databaseUrl !== undefined) return [asToken]
  return [ratioGate(all, { promise: own.name, of: own.name, to: bare.name, mustReach: 0.6, aim: 0.75 }), asToken]
}
