import { hash } from '@node-rs/argon2'
import { type Connection, get, openConnection, post, type Reply } from './connection.ts'
import { type Gate, median, printTable, quantile } from './figures.ts'
import { atRate } from './load/arrivals.ts'
import { loginRequest, type Person, registerPeople } from './people.ts'
import { cpuMsOf } from './proc.ts'
import { type Server, startApi } from './server.ts'

const loginsPerSecond = 200
const mostHealthP99Ms = 100
/** The parameters of the contract: promises.md §4. */
const argon2id = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export interface LoginsOptions {
  readonly folder: string
  readonly accounts: number
  readonly rounds: number
  readonly floodMs: number
}

export async function benchLogins({ folder, accounts, rounds, floodMs }: LoginsOptions): Promise<Gate[]> {
  const server = await startApi(folder)
  try {
    const people = await registerPeople(server.port, accounts)
    return [await oneHash(server, people, rounds), await flood(server, people, floodMs)]
  } finally {
    await server.stop()
  }
}

/**
 * One after another in rotation: hashes in this process, logins, and logouts, which write the same row without hashing.
 * A login costs its hashes more than a logout.
 */
async function oneHash(server: Server, people: readonly Person[], rounds: number): Promise<Gate> {
  const connection = await openConnection(server.port)
  const tokens: string[] = []
  const each = async (request: (person: Person) => string): Promise<Reply[]> => {
    const replies: Reply[] = []
    for (const person of people) {
      const reply = await connection.send(request(person))
      if (reply.status !== 200) throw new Error(`answered ${reply.status}: ${reply.body}`)
      replies.push(reply)
    }
    return replies
  }
  const hashMs: number[] = []
  const loginMs: number[] = []
  const logoutMs: number[] = []
  for (let round = -1; round < rounds; round += 1) {
    const own = process.cpuUsage()
    for (const { password } of people) await hash(password, argon2id)
    const { user, system } = process.cpuUsage(own)
    const atLogin = cpuMsOf(server.pid)
    const replies = await each(loginRequest)
    const atLogout = cpuMsOf(server.pid)
    tokens.push(...replies.map(({ body }) => JSON.parse(body).accessToken))
    await each(() => post('/auth/logout', {}, { Authorization: tokens.shift() ?? '' }))
    const atEnd = cpuMsOf(server.pid)
    // The first round only warms up.
    if (round < 0) continue
    hashMs.push((user + system) / 1000 / people.length)
    loginMs.push((atLogout - atLogin) / people.length)
    logoutMs.push((atEnd - atLogout) / people.length)
  }
  connection.close()
  return reportHashes(hashMs, loginMs, logoutMs, people.length)
}

function reportHashes(hashMs: number[], loginMs: number[], logoutMs: number[], count: number): Gate {
  const hashes = loginMs.map((ms, round) => (ms - (logoutMs[round] ?? 0)) / (hashMs[round] ?? 0))
  const row = (name: string, ms: readonly number[]) => [name, ...[median(ms), Math.max(...ms)].map((x) => x.toFixed(2))]
  console.log(`\nThe cost of a login, in CPU: ${hashMs.length} rounds of ${count} each, in rotation`)
  printTable([
    ['in ms', 'median', 'worst'],
    row('one argon2id hash', hashMs),
    row('a login', loginMs),
    row('a logout: the same write', logoutMs),
    row('hashes per login', hashes),
  ])
  const figure = median(hashes).toFixed(2)
  return { promise: 'a login costs one hash', figure, held: Math.round(median(hashes)) === 1 }
}

/** Open loop: logins and looks at /health are sent on schedule, however long the responses take. */
async function flood(server: Server, people: readonly Person[], durationMs: number): Promise<Gate> {
  const logins: { ms: number; status: number }[] = []
  const health: number[] = []
  const idle: Connection[] = []
  const login = async (dueAt: number, index: number) => {
    const connection = idle.pop() ?? (await openConnection(server.port))
    const person = people[index % people.length]
    if (!person) return
    const { status } = await connection.send(loginRequest(person))
    logins.push({ ms: performance.now() - dueAt, status })
    idle.push(connection)
  }
  const prober = await openConnection(server.port)
  let last: Promise<unknown> = Promise.resolve()
  // On one connection: a look that has to wait for the previous one counts from when it was due.
  const look = (dueAt: number) => {
    last = last.then(async () => {
      const { status } = await prober.send(get('/health'))
      if (status !== 200) throw new Error(`/health answered ${status}`)
      health.push(performance.now() - dueAt)
    })
    return last
  }
  await Promise.all([
    atRate({ perSecond: loginsPerSecond, durationMs, call: login }),
    atRate({ perSecond: 100, durationMs, call: look }),
  ])
  for (const connection of [...idle, prober]) connection.close()
  return reportFlood(logins, health, durationMs)
}

function reportFlood(
  logins: readonly { ms: number; status: number }[],
  health: readonly number[],
  durationMs: number,
): Gate {
  const answered = (status: number) => logins.filter((login) => login.status === status)
  const latency = (values: readonly number[]) =>
    [quantile(values, 0.5), quantile(values, 0.99), Math.max(...values)].map((ms) => `${ms.toFixed(1)} ms`)
  console.log(
    `\nA flood: ${loginsPerSecond} logins a second for ${durationMs / 1000} s, arriving whatever the answers take`,
  )
  printTable([
    ['', 'answers', 'p50', 'p99', 'max'],
    ...[...new Set(logins.map(({ status }) => status))].map((status) => [
      `login, answered ${status}`,
      String(answered(status).length),
      ...latency(answered(status).map(({ ms }) => ms)),
    ]),
    ['/health meanwhile', String(health.length), ...latency(health)],
  ])
  const p99 = quantile(health, 0.99)
  const odd = logins.length - answered(200).length - answered(503).length
  return {
    promise: `/health under ${mostHealthP99Ms} ms at p99 while ${loginsPerSecond} logins a second arrive, each answered 200 or 503`,
    figure: `${p99.toFixed(1)} ms${odd > 0 ? `, ${odd} other answers` : ''}`,
    held: p99 < mostHealthP99Ms && odd === 0,
  }
}
