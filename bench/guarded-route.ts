import { ask, get, post } from './connection.ts'
import {
  type Contestant,
  type ContestOptions,
  compete,
  contestant,
  printContest,
  ratioGate,
  withBaseline,
} from './contest.ts'
import type { Gate } from './figures.ts'
import { tokenOn } from './people.ts'
import { type Server, startApi } from './server.ts'

const path = '/auth/me'

/** The same server and route, with an API key instead of the login token. */
async function withKey(
  server: Server,
  token: { readonly Authorization: string },
  baseline: string,
): Promise<Contestant> {
  const terms = { name: 'bench', scopes: ['images'] }
  const created = await ask(server.port, post('/auth/keys', terms, token), 201)
  const request = get(path, { Authorization: `Bearer ${JSON.parse(created.body).key}` })
  const { bytes } = await ask(server.port, request)
  return contestant(`GET ${path} with an API key`, server, baseline, { requests: [request], bytes })
}

export async function benchGuardedRoute({
  folder,
  databaseUrl,
  ...rounds
}: ContestOptions & { readonly databaseUrl?: string }): Promise<Gate[]> {
  const server = await startApi(folder, databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
  const token = await tokenOn(server.port)
  const [bare, own] = await withBaseline(folder, `GET ${path}`, server, get(path, token))
  const all = [bare, own, await withKey(server, token, own.name)]
  try {
    await compete(all, rounds)
  } finally {
    await Promise.all([bare, own].map((one) => one.server.stop()))
  }
  printContest(`A guarded route, ${own.bytes} bytes`, all, rounds)
  const [, , key] = all as [Contestant, Contestant, Contestant]
  // A key costs as much as a token; two identical runs differ by this much.
  const asToken = ratioGate(all, { promise: key.name, of: key.name, to: own.name, mustReach: 0.97, aim: 1 })
  if (databaseUrl !== undefined) return [asToken]
  return [ratioGate(all, { promise: own.name, of: own.name, to: bare.name, mustReach: 0.5, aim: 0.6 }), asToken]
}
