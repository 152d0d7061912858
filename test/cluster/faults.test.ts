import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { atEndOfFile } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { temporaryFolder } from '../support/folder.ts'
import { isFullSize } from '../support/size.ts'
import { administer } from '../support/stores.ts'
import { atLeast } from '../support/until.ts'
import { breaking } from './broken-services.ts'
import { type Cluster, type Member, startCluster } from './cluster.ts'
import { startServices } from './services.ts'
import { perSecond, prepare, underLoad } from './under-load.ts'

const skip = isFullSize ? missing(haproxy) : 'in npm run test:all'

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
    cluster = await startCluster({ ...services, folder: folder.path, balancer: haproxy })
    atEndOfFile(cluster.close)
    broken = breaking(services)
    keeper = await prepare(cluster)
  })

  const thaw = async (freeze: () => Promise<() => void>, ms: number) => {
    const go = await freeze()
    await atLeast(ms)
    go()
  }
  const kill = async (member: Member | undefined) => {
    await member?.stop('SIGKILL')
    await member?.start()
  }
  const terminate = () =>
    administer('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()', databaseUrl)

  const faults: Record<string, () => Promise<unknown>> = {
    'PostgreSQL restarts at once': () => broken.restartPostgres(),
    'PostgreSQL freezes for 8 s': () => thaw(broken.freezePostgres, 8_000),
    'every connection to PostgreSQL is terminated': terminate,
    'Redis is killed and returns empty': () => broken.restartRedis(),
    'Redis freezes for 4 s': () => thaw(broken.freezeRedis, 4_000),
    'the object store freezes for 8 s': () => thaw(broken.freezeStore, 8_000),
    'an instance is killed': () => kill(cluster.instances[0]),
    'an instance is restarted': () => cluster.restart(cluster.instances[1] ?? assert.fail()),
    'the leading worker is killed': () => kill(cluster.workers[0]),
  }
  const ended: readonly string[] = ['an instance is killed', 'an instance is restarted', 'the leading worker is killed']

  for (const [title, act] of Object.entries(faults))
    it(`when ${title}`, async (t) => {
      const all = [...cluster.instances, ...cluster.workers]
      const failed = await underLoad(t, { cluster, keeper, act, ended: ended.includes(title) ? all : [] })
      if (/Redis|store/.test(title)) assert.deepEqual(failed, [])
    })
})
