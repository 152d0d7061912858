import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { atEndOfFile } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { temporaryFolder } from '../support/folder.ts'
import { send } from '../support/send.ts'
import { isFullSize, itInLongest, sized } from '../support/size.ts'
import { administer } from '../support/stores.ts'
import { atLeast, until } from '../support/until.ts'
import { breaking } from './broken-services.ts'
import { type Cluster, type Member, startCluster } from './cluster.ts'
import { startLoad } from './load.ts'
import { missingServices, startServices } from './services.ts'
import { type Loaded, perSecond, prepare, underLoad } from './under-load.ts'

const restarts = sized(3, 3, 20)
const kills = sized(2, 2, 5)
/** For one name, at each instance that counts alone. */
const guesses = 5
let guessed = 0
const skip = isFullSize ? missing(haproxy) || missingServices() : 'in npm run test:all'

describe(`A cluster under ${perSecond} requests a second loses nothing acknowledged, and recovers by itself`, {
  skip,
}, () => {
  let cluster: Cluster
  let broken: ReturnType<typeof breaking>
  let databaseUrl: string
  let keeper: string
  before(async () => {
    const services = await startServices()
    atEndOfFile(services.stop)
    databaseUrl = services.databaseUrl
    const folder = temporaryFolder()
    atEndOfFile(folder.remove)
    const env = { RATE_LIMIT_LOGIN_NAME_MAX: String(guesses) }
    cluster = await startCluster({ ...services, folder: folder.path, balancer: haproxy, env })
    atEndOfFile(cluster.close)
    broken = breaking(services)
    keeper = await prepare(cluster)
  })

  const during = async (begin: () => Promise<() => unknown>, ms: number) => {
    const end = await begin()
    await atLeast(ms)
    await end()
  }
  const kill = async (member: Member | undefined) => {
    await member?.stop('SIGKILL')
    await member?.start()
  }
  /** The other one is asked directly meanwhile, and answers every request. */
  const killOne = async () => {
    const [one, other] = cluster.instances
    const next = () => ({ method: 'GET', path: '/images/pat/random', token: keeper }) as const
    const load = startLoad({ url: other?.url ?? assert.fail(), perSecond: 20, next, isKeptAlive: true })
    for (let turn = 0; turn < kills; turn++) await kill(one)
    await load.stop()
    assert.deepEqual(load.failed, [])
  }
  const terminate = () =>
    administer('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()', databaseUrl)
  const areReady = async () => {
    const replies = await Promise.all(cluster.instances.map(({ url }) => send('GET', `${url}/ready`)))
    return replies.every(({ status }) => status === 200)
  }
  const restartAgain = async () => {
    for (let restart = 0; restart < restarts; restart++) {
      await broken.restartPostgres()
      await until(areReady, `both are ready after restart ${restart}`)
    }
  }
  const limit = async ({ more }: Loaded) => {
    await broken.limitConnections(8)
    await more(3)
    await broken.restartPostgres()
  }

  /** No more than each instance would allow by itself, and at least as many as they allow together. */
  const guess = async () => {
    const username = `guessed-${++guessed}`
    const ask = (at: string, path: string, password: string) =>
      send('POST', at + path, { body: { username, password } })
    assert.equal((await ask(cluster.url, '/auth/register', 'correct horse battery')).status, 201)
    const statuses: number[] = []
    for (let turn = 0; turn < 2 * guesses; turn++)
      for (const { url } of cluster.instances) statuses.push((await ask(url, '/auth/login', `guess ${turn}`)).status)
    const allowed = statuses.filter((status) => status === 401).length
    assert.ok(
      statuses.every((status) => status === 401 || status === 429),
      statuses.join(),
    )
    assert.ok(allowed >= guesses && allowed <= guesses * cluster.instances.length, `${allowed} guesses`)
  }
  const guessDuring = (begin: () => Promise<() => unknown>, ms: number) => {
    const guessing = async () => {
      const end = await begin()
      await guess()
      return end
    }
    return during(guessing, ms)
  }

  const faults: Record<string, (loaded: Loaded) => Promise<unknown>> = {
    [`PostgreSQL restarts at once ${restarts} times`]: restartAgain,
    'PostgreSQL freezes for 20 s': () => during(broken.freezePostgres, 20_000),
    'every connection to PostgreSQL is terminated': terminate,
    'PostgreSQL has room for 8 connections': limit,
    'Redis is killed and returns empty': () => broken.restartRedis().then(guess),
    'Redis freezes for 10 s': () => guessDuring(broken.freezeRedis, 10_000),
    'Redis pauses all clients for 10 s': () => guessDuring(() => broken.pauseRedis(12_000), 10_000),
    'Redis is out of memory': () => guessDuring(broken.fillRedis, 5_000),
    'the object store freezes for 8 s': () => during(broken.freezeStore, 8_000),
    'an instance is killed again and again': killOne,
    'an instance is restarted': () => cluster.restart(cluster.instances[1] ?? assert.fail()),
    'the leading worker is killed': () => kill(cluster.workers[0]),
  }
  const ended: readonly string[] = [
    'an instance is killed again and again',
    'an instance is restarted',
    'the leading worker is killed',
  ]

  const longest: readonly string[] = [
    'Redis freezes for 10 s',
    'Redis pauses all clients for 10 s',
    'Redis is out of memory',
  ]
  for (const [title, act] of Object.entries(faults)) {
    const test = longest.includes(title) ? itInLongest : it
    test(`when ${title}`, async (t) => {
      const all = [...cluster.instances, ...cluster.workers]
      const failed = await underLoad(t, { cluster, keeper, act, ended: ended.includes(title) ? all : [] })
      if (/Redis|store|an instance is restarted/.test(title)) assert.deepEqual(failed, [])
    })
  }
})
