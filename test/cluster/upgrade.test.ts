import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { atEnd } from '../support/at-end.ts'
import { haproxy, missing } from '../support/balancer-programs.ts'
import { checkOutReleaseBefore, releaseBeforeSkip } from '../support/release-before.ts'
import { ScriptedS3 } from '../support/scripted-s3.ts'
import { queryServer } from '../support/stores.ts'
import { testFolder } from '../support/test-folder.ts'
import { until } from '../support/until.ts'
import { type Cluster, type Member, ownCheckout, startCluster } from './cluster.ts'
import { missingServices, startServices } from './services.ts'
import { slowMigration } from './slow-migration.ts'
import { perSecond, prepare, underLoad } from './under-load.ts'

/** How many statements that change the schema have run when both new instances are killed. */
const kills = [1, 2]

describe(`An upgrade from the previous release under ${perSecond} requests a second`, {
  skip: releaseBeforeSkip || missing(haproxy) || missingServices('postgresql redis'),
}, () => {
  it('by two new instances that start at once and are killed in the migration fails no request, and loses nothing', {
    timeout: 300_000,
  }, async (t) => {
    const { stop, databaseUrl, ...services } = await startServices('postgresql redis')
    atEnd(stop)
    const store = await ScriptedS3.open()
    const s3 = { endpoint: store.endpoint, keyId: 'key', secret: 'a secret of the store' }
    const place = { ...services, databaseUrl, s3, folder: testFolder(), balancer: haproxy }
    const startInstances = async (all: readonly Member[]) => {
      for (const member of all.slice(0, 2)) await member.start()
    }
    const cluster = await startCluster({
      ...place,
      checkout: checkOutReleaseBefore(),
      instanceCount: 4,
      startInstances,
    })
    atEnd(cluster.close)
    const versionOf = async (table: string) => (await queryServer(`SELECT version FROM ${table}`, databaseUrl))[0]
    const before = await versionOf('schema_version')

    const upgrade = async () => {
      const added = cluster.instances.slice(2)
      for (const member of added) member.checkout = ownCheckout
      const migration = await slowMigration(databaseUrl, 0.5)
      for (const count of kills) {
        const enough = (await migration.steps()) + count
        const starting = added.map((each) => each.start().catch(() => {}))
        await until(async () => (await migration.steps()) >= enough, 'the migration is under way')
        await Promise.all(added.map((each) => each.stop('SIGKILL')))
        await Promise.all(starting)
        assert.deepEqual(await versionOf('schema_version'), before)
      }
      await migration.end()
      await Promise.all(added.map((each) => each.start()))
      assert.notDeepEqual(await versionOf('schema_version'), before)
      for (const member of [...cluster.instances.slice(0, 2), ...cluster.workers]) await renew(cluster, member)
    }
    const keeper = await prepare(cluster)
    const ended = [...cluster.instances, ...cluster.workers]
    assert.deepEqual(await underLoad(t, { cluster, keeper, act: upgrade, ended }), [])
  })
})

async function renew(cluster: Cluster, member: Member): Promise<void> {
  member.checkout = ownCheckout
  await cluster.restart(member)
}
