import { ask, get } from './connection.ts'
import { type ContestOptions, compete, contestant, named, printContest, ratioGate, withBaseline } from './contest.ts'
import { withDatabase } from './database.ts'
import { type Gate, median } from './figures.ts'
import { startOnFolder } from './images-random.ts'
import { registerPeople } from './people.ts'
import type { Server } from './server.ts'

const path = '/images/fox/random'
const people = 32
const mostUs = 60
const title = `GET ${path} over PostgreSQL`
const secret = { JWT_SECRET: 'a secret of the bench that is long enough' }

/**
 * A random choice whose guard reads PostgreSQL: compared with a bare server that selects one row, and from two
 * instances at once. Those do not have a core each: the client and PostgreSQL take their share, and caches are cold. So
 * the single instance to compare with runs beside another equally busy service on its own database.
 */
export async function benchPostgres(
  options: ContestOptions & { readonly databaseUrl: string | undefined },
): Promise<Gate[]> {
  const { folder, databaseUrl } = options
  if (databaseUrl === undefined) {
    console.log(`\n${title}: skipped, TEST_DATABASE_URL is not set`)
    return []
  }
  const start = (url: string) => startOnFolder(folder, { ...secret, DATABASE_URL: url })
  const servers = [await start(databaseUrl), await start(databaseUrl)] as const
  return withDatabase(databaseUrl, async (url = '') => contest(servers, await start(url), options, databaseUrl))
}

async function contest(
  [server, twin]: readonly [Server, Server],
  other: Server,
  { folder, ...rounds }: ContestOptions,
  databaseUrl: string,
): Promise<Gate[]> {
  const requests = await requestsOf(server)
  const [request = ''] = requests
  const me = await ask(server.port, request.replace(path, '/auth/me'))
  const user = { DATABASE_URL: databaseUrl, USER_ID: JSON.parse(me.body).user.id }
  const [bare, one] = await withBaseline(folder, 'one instance', server, request, user)
  const own = { ...one, requests }
  const load = { requests, bytes: one.bytes }
  const stranger = contestant('another service', other, own.name, { requests: await requestsOf(other), bytes: null })
  const beside = { ...contestant(`${own.name} beside ${stranger.name}`, server, own.name, load), stranger }
  // Also gets its code compiled as far as the first one's.
  const second = { ...contestant(`the other one beside ${stranger.name}`, twin, beside.name, load), stranger }
  const two = { ...contestant('two instances at once', server, beside.name, load), twin }
  const all = [bare, own, beside, second, two]
  try {
    await compete(all, rounds)
  } finally {
    await Promise.all([bare.server, server, twin, other].map((each) => each.stop()))
  }
  printContest(title, all, rounds)
  const us = 1e6 / median(named(all, own.name).rates)
  return [
    { promise: `${title} costs at most ${mostUs} µs of CPU`, figure: us.toFixed(1), held: us <= mostUs },
    ratioGate(all, { promise: title, of: own.name, to: bare.name, mustReach: 0.8 }),
    ratioGate(all, { promise: `${title}, two instances`, of: two.name, to: beside.name, mustReach: 1.8 }),
  ]
}

async function requestsOf(server: Server): Promise<string[]> {
  const registered = await registerPeople(server.port, people)
  return registered.map(({ accessToken }) => get(path, { Authorization: accessToken }))
}
