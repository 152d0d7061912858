import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { workerUrlOf } from '../../src/config/worker-url.ts'

describe('The worker address that npm start gives to the API', () => {
  for (const [host, port, url] of [
    ['', '', 'http://127.0.0.1:3001'],
    ['localhost', '4001', 'http://localhost:4001'],
    ['status.example', '80', 'http://status.example:80'],
    ['10.1.2.3', '3001', 'http://10.1.2.3:3001'],
    ['0.0.0.0', '3001', 'http://127.0.0.1:3001'],
    ['::', '3001', 'http://[::1]:3001'],
    ['0:0:0:0:0:0:0:0', '3001', 'http://[::1]:3001'],
    ['::1', '3001', 'http://[::1]:3001'],
    ['fd00::12', '3001', 'http://[fd00::12]:3001'],
  ] as const) {
    it(`can be connected to: ${url} for ${host || 'no host'} and ${port || 'no port'}`, () => {
      const made = workerUrlOf(readConfig({ STATUS_HOST: host, STATUS_PORT: port }))
      assert.equal(made, url)
      assert.deepEqual(readConfig({ STATUS_WORKER_URL: made }).STATUS_WORKER_URL, [url.replace(/:80$/, '')])
    })
  }
})
