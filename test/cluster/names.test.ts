import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { before, describe, it } from 'node:test'
import { atEndOfFile } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Naming, startNameServer } from '../support/name-server.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { isFullSize, someOf } from '../support/size.ts'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'
import { atLeast } from '../support/until.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { missingServices, startServices } from './services.ts'
import { perSecond, prepare, underLoad } from './under-load.ts'

const names = { database: 'database.test', redis: 'redis.test', store: 'store.test' } as const
type Part = keyof typeof names
const seconds = 8
const parts = Object.keys(names) as Part[]

/** Mounts, and a port below 1,024. */
function mayRename(): boolean {
  try {
    execFileSync('unshare', ['--map-root-user', '--mount', 'true'], { stdio: 'ignore' })
    return process.getuid?.() === 0
  } catch {
    return false
  }
}
const skip = isFullSize
  ? missing(haproxy) || missingServices('postgresql redis') || (!mayRename() && 'needs root, and namespaces')
  : 'in npm run test:all'

describe(`A cluster under ${perSecond} requests a second that finds its services by name loses nothing acknowledged,`, {
  skip,
}, () => {
  let cluster: Cluster
  let keeper: string
  let server: Awaited<ReturnType<typeof startNameServer>>
  let store: ScriptedS3
  let links: Readonly<Record<'database' | 'redis', TcpProxy>>
  before(async () => {
    const services = await startServices('postgresql redis')
    atEndOfFile(services.stop)
    server = await startNameServer()
    store = await ScriptedS3.open()
    links = { database: await startTcpProxy(services.databaseUrl), redis: await startTcpProxy(services.redisUrl) }
    const named = (part: Part, url: string) => url.replace('127.0.0.1', names[part])
    const folder = temporaryFolder()
    atEndOfFile(folder.remove)
    cluster = await startCluster({
      folder: folder.path,
      balancer: haproxy,
      runBy: server.runBy,
      databaseUrl: named('database', links.database.url),
      redisUrl: named('redis', links.redis.url),
      s3: { endpoint: named('store', store.endpoint), keyId: 'key', secret: 'a secret of the store' },
    })
    atEndOfFile(cluster.close)
    keeper = await prepare(cluster)
  })

  /** Ends every connection to them, so that their names must be resolved again. */
  const disconnect = async (some: readonly Part[]) => {
    for (const part of some)
      if (part === 'store') await store.stop().then(() => store.start())
      else {
        links[part].be('resetting')
        links[part].be('open')
      }
  }
  const cases: readonly (readonly [Naming, readonly Part[]])[] = [
    ['unknown', ['database']],
    ['failing', ['redis', 'store']],
    ['silent', parts],
    ['silent', ['redis', 'store']],
  ]
  for (const [naming, some] of someOf(1, cases, 1))
    it(`while the name of ${some.join(' and ')} is ${naming} for ${seconds} s`, { timeout: 300_000 }, async (t) => {
      const act = async () => {
        server.be(naming, ...some.map((part) => names[part]))
        await disconnect(some)
        await atLeast(seconds * 1_000)
        server.be('known', ...some.map((part) => names[part]))
      }
      const failed = await underLoad(t, { cluster, keeper, act })
      if (!some.includes('database')) assert.deepEqual(failed, [])
    })

  it('while no name can be resolved and all connections last', async (t) => {
    const act = async () => {
      const all = Object.values(names)
      server.be('silent', ...all)
      await atLeast(seconds * 1_000)
      server.be('known', ...all)
    }
    assert.deepEqual(await underLoad(t, { cluster, keeper, act }), [])
  })
})
