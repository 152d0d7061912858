import { ask, get } from './connection.ts'
import { type ContestOptions, compete, contestant, named, printContest, ratioGate, withBaseline } from './contest.ts'
import { type Gate, median } from './figures.ts'
import { startOnFolder } from './images-random.ts'
import { registerPeople } from './people.ts'

const path = '/images/fox/random'
const people = 32
const mostUs = 60
const title = `GET ${path} over PostgreSQL`

/** A random choice whose guard reads PostgreSQL: beside a bare server that selects one row, and by two instances at once. */
export async function benchPostgres({
  folder,
  databaseUrl,
  ...rounds
}: ContestOptions & { readonly databaseUrl: string | undefined }): Promise<Gate[]> {
  if (databaseUrl === undefined) {
    console.log(`\n${title}: skipped, TEST_DATABASE_URL is not set`)
    return []
  }
  const env = { DATABASE_URL: databaseUrl, JWT_SECRET: 'a secret of the bench that is long enough' }
  const servers = [await startOnFolder(folder, env), await startOnFolder(folder, env)] as const
  const [server, twin] = servers
  const requests = (await registerPeople(server.port, people)).map(({ accessToken }) =>
    get(path, { Authorization: accessToken }),
  )
  const [request = ''] = requests
  const me = await ask(server.port, request.replace(path, '/auth/me'))
  const user = { DATABASE_URL: databaseUrl, USER_ID: JSON.parse(me.body).user.id }
  const [bare, one] = await withBaseline(folder, 'one instance', server, request, user)
  const own = { ...one, requests }
  const load = { requests, bytes: one.bytes }
  const two = { ...contestant('two instances at once', server, own.name, load), twin }
  const all = [bare, own, two]
  try {
    await compete(all, rounds)
  } finally {
    await Promise.all([bare.server, ...servers].map((each) => each.stop()))
  }
  printContest(title, all, rounds)
  const us = 1e6 / median(named(all, own.name).rates)
  return [
    { promise: `${title} costs at most ${mostUs} µs of CPU`, figure: us.toFixed(1), held: us <= mostUs },
    ratioGate(all, { promise: title, of: own.name, to: bare.name, mustReach: 0.8 }),
    ratioGate(all, { promise: `${title}, two instances`, of: two.name, to: own.name, mustReach: 1.8 }),
  ]
}
