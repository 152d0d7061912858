import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { isFullSize, someOf } from '../support/size.ts'
import { queryServer } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { startWriter } from './acknowledged.ts'
import { type Member, startCluster } from './cluster.ts'
import { type Load, startLoad } from './load.ts'
import { missingServices, startServices } from './services.ts'
import { slowMigration } from './slow-migration.ts'
import { perSecond, prepare, underLoad } from './under-load.ts'

const skip = isFullSize ? missing(haproxy) || missingServices('postgresql redis') : 'in npm run test:all'
/** How many statements that change the schema have run when both are killed. */
const kills = someOf(2, [1, 20, 5, 40], 2)

describe(`Two instances that start at once on an empty database under ${perSecond} requests a second, and are killed in its migration`, {
  skip,
}, () => {
  it('migrate it once, and lose nothing acknowledged from the first request on', { timeout: 300_000 }, async (t) => {
    const { stop, databaseUrl, ...services } = await startServices('postgresql redis')
    atEnd(stop)
    const store = await ScriptedS3.open()
    const isMigrated = async () =>
      (await queryServer("SELECT to_regclass('users') IS NOT NULL AS found", databaseUrl))[0]?.found

    const writers: ReturnType<typeof startWriter>[] = []
    const loads: Load[] = []
    const startInstances = async (instances: readonly Member[]) => {
      const next = () => ({ method: 'GET', path: '/health' }) as const
      for (const { url } of instances)
        loads.push(startLoad({ url, perSecond: perSecond / 2, next, isKeptAlive: false }))
      for (const [index, { url }] of instances.entries())
        writers.push(startWriter({ url, instances, bucket: '' }, 'no token', `first-${index}`))
      const { steps, end } = await slowMigration(databaseUrl, 0.02)
      for (const count of kills) {
        const enough = (await steps()) + count
        const starting = instances.map((each) => each.start().catch(() => {}))
        await until(async () => (await steps()) >= enough, 'the migration is under way')
        await Promise.all(instances.map((each) => each.stop('SIGKILL')))
        await Promise.all(starting)
        assert.equal(await isMigrated(), false, `after ${count} steps`)
      }
      await end()
      await Promise.all(instances.map((each) => each.start()))
    }
    const s3 = { endpoint: store.endpoint, keyId: 'key', secret: 'a secret of the store' }
    const place = { ...services, databaseUrl, s3, folder: testFolder(), balancer: haproxy, startInstances }
    const cluster = await startCluster(place)
    atEnd(cluster.close)
    const versions = await queryServer('SELECT version FROM schema_version', databaseUrl)
    assert.equal(versions.length, 1)
    const enough = () => writers.every(({ accounts }) => accounts.length >= 3)
    await underLoad(t, { cluster, keeper: await prepare(cluster), act: () => until(enough, 'first accounts') })
    for (const load of loads) {
      await load.stop()
      assert.deepEqual(
        load.failed.filter((each) => !each.includes('ECONNREFUSED')),
        [],
      )
    }
    for (const writer of writers) {
      await writer.stop()
      assert.deepEqual(writer.wrong, [])
      await writer.verify()
    }
  })
})
