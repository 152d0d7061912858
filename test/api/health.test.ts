import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fakeClock } from '../support/clock.ts'
import { startService } from '../support/service.ts'

describe('The base routes', () => {
  it('GET / returns the name of the service', async () => {
    const service = await startService()
    const { status, body } = await service.request('GET', '/')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      status: 200,
      message: 'Menagerie is running. Its reference is at /docs, its console at /console',
    })
  })

  it('GET /health returns the time, a monotonic uptime and the response time', async () => {
    const clock = fakeClock()
    const service = await startService({ overrides: { clock } })
    clock.advance(90_500)
    clock.advance(-3_600_000)
    const { status, body } = await service.request('GET', '/health')
    assert.equal(status, 200)
    assert.deepEqual(body, {
      status: 200,
      message: 'OK',
      timestamp: '2026-06-01T11:01:30.500Z',
      uptimeSeconds: 90.5,
      responseTimeMs: 0,
    })
  })
})
