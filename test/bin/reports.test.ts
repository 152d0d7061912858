import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { Running, until } from './processes.ts'

interface Snapshot {
  readonly componentId: string
  readonly lastReportedStatus: string
}

/** What the worker knows: `id status`, by id. */
async function known(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/health`)
  if (answer.status !== 200) return []
  const { components } = (await answer.json()) as { components: Snapshot[] }
  return components.map(({ componentId, lastReportedStatus }) => `${componentId} ${lastReportedStatus}`)
}

const allUp = ['api operational', 'database operational', 'object-store operational']

describe('npm start', { concurrency: true }, () => {
  it('makes the API report its parts to the worker, and stops in order', async () => {
    const running = await Running.listening('start')
    await until(async () => isDeepStrictEqual(await known(running.workerUrl), allUp), 'three operational parts')
    running.child.kill('SIGTERM')
    assert.deepEqual([(await running.ended).code, running.err], [0, ''])
  })

  it('keeps STATUS_WORKER_URL if it is set', async () => {
    const other = await Running.listening('status-worker')
    const running = await Running.listening('start', { env: { STATUS_WORKER_URL: other.workerUrl } })
    await until(async () => isDeepStrictEqual(await known(other.workerUrl), allUp), 'three operational parts')
    assert.deepEqual(await known(running.workerUrl), [])
  })
})

describe('The API without STATUS_WORKER_URL', () => {
  it('reports nothing, not even to a worker at the default address', async () => {
    const worker = await Running.listening('status-worker')
    const api = await Running.listening('api', { env: { STATUS_PORT: String(worker.statusPort) } })
    assert.equal((await fetch(`${api.url}/ready`)).status, 200)
    api.child.kill('SIGTERM')
    assert.equal((await api.ended).code, 0)
    assert.deepEqual(await known(worker.workerUrl), [])
  })
})
