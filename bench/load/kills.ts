import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, type Connection, get, openConnection, post, type Reply, untilServed } from '../connection.ts'
import { withDatabase } from '../database.ts'
import { kind } from '../images-pool.ts'
import { type Server, startApi } from '../server.ts'
import { atLeast, atMost } from './gates.ts'
import { type LoadRun, NotRun } from './load-run.ts'

const writers = 8
const readers = 24

/** One of two instances: its process changes with each kill. */
interface Instance {
  readonly dataDir: string
  server: Server
  isUp: boolean
  inFlight: number
}

class Clients {
  readonly instances: readonly Instance[]
  sent = 0
  failed = 0
  /** On the connections of killed instances, at the moment of each kill. */
  mayFail = 0
  readonly problems = new Set<string>()
  #turn = 0

  constructor(instances: readonly Instance[]) {
    this.instances = instances
  }

  /** Uses the instances in turn, and those that run only. */
  client() {
    let connection: { readonly to: Connection; readonly instance: Instance; readonly pid: number } | null = null
    const connect = async () => {
      const up = this.instances.filter(({ isUp }) => isUp)
      const instance = up[this.#turn++ % up.length] as Instance
      return { instance, pid: instance.server.pid, to: await openConnection(instance.server.port) }
    }
    return {
      /** Null if the request failed; then nobody knows whether it was carried out. */
      send: async (request: string): Promise<Reply | null> => {
        if (connection && !(connection.instance.isUp && connection.instance.server.pid === connection.pid)) {
          connection.to.close()
          connection = null
        }
        // It may be killed while the connection opens: nothing has been sent yet.
        while (connection === null || !connection.instance.isUp) connection = await connect().catch(() => null)
        const { instance, to } = connection
        this.sent += 1
        instance.inFlight += 1
        try {
          const reply = await to.send(request)
          if (reply.status >= 500) throw new Error(`${request.split('\r\n')[0]}: ${reply.status} ${reply.body}`)
          return reply
        } catch (error) {
          this.failed += 1
          this.problems.add(String(error))
          to.close()
          connection = null
          return null
        } finally {
          instance.inFlight -= 1
        }
      },
      close: () => connection?.to.close(),
    }
  }
}

interface Account {
  readonly username: string
  readonly password: string
  /** Of the newest login that was acknowledged; null while a later one may have taken its place. */
  token: string | null
}

export const kills: LoadRun = {
  id: 'L12',
  title: 'two instances over PostgreSQL and Redis, one of which is killed every minute',
  async run({ folder, isFull, scaled }) {
    const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env
    if (!databaseUrl || !redisUrl)
      throw new NotRun('needs TEST_DATABASE_URL and TEST_REDIS_URL, as scripts/services.sh sets them')
    const durationMs = scaled(1_800_000, 40_000)
    const everyMs = isFull ? 60_000 : 8_000
    return withDatabase(databaseUrl, async (url = '') => {
      const secret = randomBytes(32).toString('base64url')
      const env = { DATABASE_URL: url, REDIS_URL: redisUrl, JWT_SECRET: secret }
      const instances: Instance[] = []
      const startOn = (dataDir: string) => startApi(folder, { ...env, DATA_DIR: dataDir })
      try {
        for (let count = 0; count < 2; count += 1) {
          const dataDir = await mkdtemp(join(folder, 'instance-'))
          instances.push({ dataDir, server: await startOn(dataDir), isUp: true, inFlight: 0 })
        }
        return await underKills({ instances, startOn, durationMs, everyMs })
      } finally {
        await Promise.all(instances.filter(({ isUp }) => isUp).map(({ server }) => server.stop()))
      }
    })
  },
}

interface UnderKills {
  readonly instances: readonly Instance[]
  readonly startOn: (dataDir: string) => Promise<Server>
  readonly durationMs: number
  readonly everyMs: number
}

async function underKills({ instances, startOn, durationMs, everyMs }: UnderKills) {
  const reader = await ask(
    instances[0]?.server.port ?? 0,
    post('/auth/register', { username: 'reader', password: 'correct horse' }),
    201,
  )
  const authorization = { Authorization: JSON.parse(reader.body).accessToken }
  // Each instance fills its own folder with sample images.
  for (const { server } of instances) await untilServed(server.port, get(`/images/${kind}/random`, authorization))
  const clients = new Clients(instances)
  const until = performance.now() + durationMs
  const accounts: Account[] = []
  const write = async (writer: number) => {
    const { send, close } = clients.client()
    for (let count = 0; performance.now() < until; count += 1) {
      const username = `writer-${writer}-${count}`
      const account: Account = { username, password: `correct horse ${username}`, token: null }
      const { password } = account
      const registered = await send(post('/auth/register', { username, password }))
      if (registered?.status !== 201) continue
      accounts.push(account)
      account.token = JSON.parse(registered.body).accessToken
      const reply = await send(post('/auth/login', { username, password }))
      account.token = reply?.status === 200 ? JSON.parse(reply.body).accessToken : null
    }
    close()
  }
  const read = async () => {
    const { send, close } = clients.client()
    const requests = [get('/auth/me', authorization), get(`/images/${kind}/random`, authorization)]
    for (let count = 0; performance.now() < until; count += 1) {
      const reply = await send(requests[count % requests.length] ?? '')
      if (reply && reply.status !== 200) clients.problems.add(`a read was answered ${reply.status}: ${reply.body}`)
    }
    close()
  }
  const load = Promise.all([
    ...Array.from({ length: writers }, (_, writer) => write(writer)),
    ...Array.from({ length: readers }, read),
  ])
  let count = 0
  const awayMs: number[] = []
  for (let dueAt = performance.now() + everyMs / 2; dueAt < until - everyMs / 2; dueAt += everyMs) {
    await sleep(Math.max(0, dueAt - performance.now()))
    const victim = instances[count++ % 2] as Instance
    clients.mayFail += victim.inFlight
    victim.isUp = false
    process.kill(victim.server.pid, 'SIGKILL')
    const killedAt = performance.now()
    await victim.server.stop()
    victim.server = await startOn(victim.dataDir)
    victim.isUp = true
    awayMs.push(performance.now() - killedAt)
  }
  await load
  const lost = await lostOf(accounts, instances)
  const wrongReads = [...clients.problems].filter((problem) => problem.startsWith('a read'))
  return {
    notes: [
      `${durationMs / 1000} s, one instance killed every ${everyMs / 1000} s and started again (${(Math.max(...awayMs) / 1000).toFixed(1)} s at most); ${clients.sent} requests of ${writers} writers and ${readers} readers`,
      `${accounts.length} accounts were acknowledged, and as many logins; each account and each newest token was checked on both instances.`,
      `${clients.failed} requests failed; ${clients.mayFail} were in flight on an instance when it was killed`,
      ...[...clients.problems].slice(0, 5),
    ],
    gates: [
      atLeast('kills', count, 3),
      atMost('failed beyond those in flight on the killed one', Math.max(0, clients.failed - clients.mayFail), 0),
      atMost('reads that were refused', wrongReads.length, 0),
      atMost('acknowledged accounts and tokens that were lost', lost, 0),
    ],
  }
}

/** Accounts that cannot log in, and tokens that either instance refuses. */
async function lostOf(accounts: readonly Account[], instances: readonly Instance[]): Promise<number> {
  let lost = 0
  const connections = await Promise.all(instances.map(({ server }) => openConnection(server.port)))
  for (const [index, { username, password, token }] of accounts.entries()) {
    for (const { send } of connections) {
      if (token === null) continue
      const { status } = await send(get('/auth/me', { Authorization: token }))
      if (status !== 200) lost += 1
    }
    const { send } = connections[index % connections.length] as Connection
    if ((await send(post('/auth/login', { username, password }))).status !== 200) lost += 1
  }
  for (const connection of connections) connection.close()
  return lost
}
