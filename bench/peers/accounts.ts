import { mkdtemp } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { openConnection, post } from '../connection.ts'
import { seedCrowd } from '../crowd.ts'
import { loginRequest, ownerSettings, registerPeople, signInOwner } from '../people.ts'
import { cpuMsOf, untilIdle, watchMemory } from '../proc.ts'
import { type Server, startApi } from '../server.ts'
import { type Comparison, own, print } from './comparison.ts'
import { frameworks, startFramework, withServers } from './servers.ts'

interface Options {
  readonly folder: string
  readonly rounds: number
}

interface Entrant {
  readonly name: string
  readonly server: Server
  readonly token: string
  readonly costs: number[]
  readonly grownMb: number[]
}

const atOnce = 4
const perRound = 24

export async function compareAccounts({ folder, rounds }: Options): Promise<Comparison> {
  const groups = await withServers(async (started) => {
    const servers: (readonly [string, Server])[] = [[own, await started(startApi(folder))]]
    for (const name of frameworks) servers.push([name, await started(startFramework(name, folder, {}))])
    let round = 0
    const names = () => Array.from({ length: perRound }, (_, index) => `round-${round}-${index}`)
    const person = (username: string) => ({ username, password: `correct horse ${username}`, accessToken: '' })
    const measured = async (requestFor: (username: string) => string, status: number) => {
      const rows = servers.map(([name, server]) => ({ name, server, costs: [] as number[] }))
      for (round = -1; round < rounds; round += 1)
        for (const { server, costs } of rows) {
          const cost = await costOf(server, names().map(requestFor), status)
          // The first round only warms up.
          if (round >= 0) costs.push(cost)
        }
      return rows.map(({ name, costs }) => ({ name, costs }))
    }
    const registered = await measured((name) => post('/auth/register', person(name)), 201)
    return [
      { name: 'register', rows: registered },
      { name: 'login', rows: await measured((name) => loginRequest(person(name)), 200) },
    ]
  })
  return print({
    id: 'accounts',
    title: 'Registering and signing in',
    about:
      'All hash with argon2id and the same parameters, 19 MiB and two passes, which is nearly all of it. Menagerie syncs each registration to disk before it answers; the others use SQLite with `synchronous = NORMAL`, as most do.',
    unit: 'ms of CPU',
    groups,
  })
}

/** In ms of CPU for each of the requests. */
async function costOf(server: Server, requests: string[], status: number): Promise<number> {
  const before = cpuMsOf(server.pid)
  const count = requests.length
  const drive = async () => {
    const connection = await openConnection(server.port)
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
      const reply = await connection.send(next)
      if (reply.status !== status) throw new Error(`answered ${reply.status}: ${reply.body}`)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: atOnce }, drive))
  return (cpuMsOf(server.pid) - before) / count
}

/** Whole lists of users: what they cost, and by how much the memory grows meanwhile. */
export async function compareLists({ folder, rounds }: Options): Promise<Comparison[]> {
  const groups: { name: string; entrants: Entrant[] }[] = []
  for (const users of [100, 10_000, 100_000]) {
    const entrants = await withServers(async (started) => {
      const dataDir = await mkdtemp(join(folder, 'crowd-'))
      await seedCrowd({ DATA_DIR: dataDir, DATABASE_URL: null }, users)
      const server = await started(startApi(folder, { DATA_DIR: dataDir, ...ownerSettings }))
      const all: Entrant[] = [{ name: own, server, token: await signInOwner(server.port), costs: [], grownMb: [] }]
      for (const name of frameworks) {
        const other = await started(startFramework(name, folder, { users }))
        const [person] = await registerPeople(other.port, 1)
        all.push({ name, server: other, token: person?.accessToken ?? '', costs: [], grownMb: [] })
      }
      const reads = Math.max(2, Math.round(20_000 / users))
      for (const { server } of all) await untilIdle(server.pid)
      for (let round = -1; round < rounds; round += 1)
        for (const entrant of all) await readLists(entrant, reads, round >= 0)
      return all
    })
    groups.push({ name: `${users.toLocaleString('en')} users`, entrants })
  }
  const about =
    'All users in one reply, as the contract of Menagerie has it: it streams them, the others build the whole text first.'
  const by = (figures: (entrant: Entrant) => readonly number[]) =>
    groups.map(({ name, entrants }) => ({
      name,
      rows: entrants.map((each) => ({ name: each.name, costs: figures(each) })),
    }))
  return [
    print({ id: 'lists', title: 'The list of users', about, unit: 'ms of CPU', groups: by(({ costs }) => costs) }),
    print({
      id: 'list-memory',
      title: 'The list of users: memory',
      about:
        'By how much the resident memory grows while one such list is sent; what an earlier list took and was not given back does not count.',
      unit: 'MB',
      groups: by(({ grownMb }) => grownMb).slice(1),
    }),
  ]
}

async function readLists({ server, token, costs, grownMb }: Entrant, reads: number, isCounted: boolean): Promise<void> {
  const memory = watchMemory(server.pid)
  const before = cpuMsOf(server.pid)
  for (let read = 0; read < reads; read += 1) await readList(server.port, token)
  const cost = (cpuMsOf(server.pid) - before) / reads
  const grown = memory.stop()
  if (!isCounted) return
  costs.push(cost)
  grownMb.push(grown)
}

const readList = (port: number, token: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { Authorization: token }
    request({ port, host: '127.0.0.1', path: '/admin/users', headers }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`the list of users answered ${response.statusCode}`))
      response.resume().on('end', resolve).on('error', reject)
    })
      .on('error', reject)
      .end()
  })
