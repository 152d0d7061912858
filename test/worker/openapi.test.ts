import assert from 'node:assert/strict'
import { it } from 'node:test'
import { openWorker } from '../status/worker-stage.ts'

it('The worker serves its OpenAPI document with its own address, to those who may call it', async () => {
  const { ask, url } = await openWorker()
  const { status, body, headers } = await ask('GET', '/openapi.json')
  assert.deepEqual([status, body.servers[0].url], [200, url])
  assert.equal(body.paths['/heartbeat/{componentId}'].post.operationId, 'sendHeartbeat')
  const known = { 'If-None-Match': headers.get('etag') ?? '' }
  assert.equal((await ask('GET', '/openapi.json', undefined, known)).status, 304)
  const fromPage = { Origin: 'https://evil.example' }
  assert.equal((await ask('GET', '/openapi.json', undefined, fromPage)).status, 403)
})
