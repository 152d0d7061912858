import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker } from '../status/worker-stage.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

/** Two APIs and their worker; the object store refuses the second one. */
async function stage(env: readonly Record<string, string>[]) {
  const worker = await openWorker()
  await Promise.all(
    env.map((own, index) =>
      startService({
        env: { ...own, PORT: String(3_000 + index), STATUS_WORKER_URL: worker.url },
        overrides: {
          probes: (real) =>
            real.map((probe) => ({
              ...probe,
              check: async () => {
                if (index === 1 && probe.name === 'objectStore') throw new Error('wrong key')
              },
            })),
        },
      }),
    ),
  )
  return async () => {
    const { components } = (await worker.ask('GET', '/health')).body
    return Object.fromEntries(
      components.map((each: Record<string, string>) => [each.componentId, each.lastReportedStatus]),
    )
  }
}

describe('Two APIs, one with a wrong key for the object store,', () => {
  it('show a degraded object store, and everything else as operational', async () => {
    const shown = await stage([{}, {}])
    await until(async () => (await shown())['object-store'] === 'degraded')
    assert.deepEqual(await shown(), { api: 'operational', database: 'operational', 'object-store': 'degraded' })
  })

  it('have components of their own with STATUS_COMPONENT_PREFIX', async () => {
    const shown = await stage([{ STATUS_COMPONENT_PREFIX: 'eu-' }, { STATUS_COMPONENT_PREFIX: 'us.' }])
    await until(async () => Object.keys(await shown()).length === 6)
    const parts = (prefix: string, store: string) => ({
      [`${prefix}api`]: 'operational',
      [`${prefix}database`]: 'operational',
      [`${prefix}object-store`]: store,
    })
    assert.deepEqual(await shown(), { ...parts('eu-', 'operational'), ...parts('us.', 'outage') })
  })
})
