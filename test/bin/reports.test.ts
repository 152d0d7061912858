import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { atEnd } from '../support/at-end.ts'
import { itInFull } from '../support/size.ts'
import { allUp, isAlive, knownTo, Running, until } from './processes.ts'

describe('npm start', { concurrency: true }, () => {
  it('makes the API report its parts to the worker, and stops in order', async () => {
    const running = await Running.listening('start')
    await until(async () => isDeepStrictEqual(await knownTo(running.workerUrl), allUp), 'three operational parts')
    running.child.kill('SIGTERM')
    assert.deepEqual([(await running.ended).code, running.err], [0, ''])
  })

  itInFull(
    'keeps STATUS_WORKER_URL if it is set; if one process is killed, stops the other and ends with 1',
    async () => {
      const other = await listener()
      const running = await Running.listening('start', { env: { STATUS_WORKER_URL: other.url } })
      await until(() => allUp.every((part) => other.paths.has(`/heartbeat/${part.split(' ')[0]}`)), 'three heartbeats')
      assert.deepEqual(await knownTo(running.workerUrl), [])
      const [pid, ...others] = running.children()
      if (pid === undefined) return
      process.kill(pid, 'SIGKILL')
      assert.equal((await running.ended).code, 1)
      assert.deepEqual([others.length, others.filter(isAlive)], [1, []])
    },
  )
})

describe('The API without STATUS_WORKER_URL', () => {
  itInFull('reports nothing, not even to a worker at the default address', async () => {
    const { port, paths } = await listener()
    const api = await Running.listening('api', { env: { STATUS_PORT: String(port) } })
    await until(async () => (await fetch(`${api.url}/ready`)).status === 200)
    api.child.kill('SIGTERM')
    assert.equal((await api.ended).code, 0)
    assert.equal(paths.size, 0)
  })
})

/** Accepts every heartbeat, and records its path. */
async function listener() {
  const paths = new Set<string>()
  const server = createServer((req, res) => {
    paths.add(req.url ?? '')
    res.setHeader('Content-Type', 'application/json').end('{}')
  })
  atEnd(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { paths, port, url: `http://127.0.0.1:${port}` }
}
