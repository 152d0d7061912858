import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Status } from '../../src/status/statuses.ts'
import { stores } from '../support/stores.ts'
import { openWorker, type TestWorker } from './worker-stage.ts'

for (const store of stores)
  describe(`Instances on ${store.name}`, { skip: store.skip }, () => {
    const beat = async (worker: TestWorker, instance: string, status: Status) => {
      const { body } = await worker.ask('POST', '/heartbeat/database', { status, instance })
      assert.deepEqual(body, { ok: true, componentId: 'database', status })
    }
    const shown = async (worker: TestWorker) => {
      const [{ lastReportedStatus, instances }] = (await worker.ask('GET', '/components')).body.components
      return [lastReportedStatus, instances.map((each: Record<string, string>) => `${each.instance} ${each.status}`)]
    }

    it('are shown in GET /components, and known after a restart', async () => {
      const place = await store.make()
      let worker = await openWorker({ place })
      await beat(worker, 'web2', 'operational')
      await beat(worker, 'web1', 'outage')
      await worker.ask('POST', '/heartbeat/database/operational?instance=web3')
      assert.deepEqual(await shown(worker), ['degraded', ['web1 outage', 'web2 operational', 'web3 operational']])
      await worker.close()
      worker = await openWorker({ place })
      await beat(worker, 'web2', 'outage')
      assert.deepEqual(await shown(worker), ['partial', ['web1 outage', 'web2 outage', 'web3 operational']])
      await worker.close()
      await place.drop()
    })
  })
