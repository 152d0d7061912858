import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusRoutes } from '../../src/status/routes.ts'
import { rawRequest } from '../support/raw-request.ts'
import { openWorker, type TestWorker } from './worker-stage.ts'

const [api, cli, third] = ['127.0.0.1', '127.0.0.2', '127.0.0.3']

async function from(address: string | undefined, { url }: TestWorker, method: string, path: string, body?: object) {
  const { status, body: bytes } = await rawRequest(url + path, {
    method,
    localAddress: address as string,
    body: JSON.stringify(body) ?? '',
    headers: { 'Content-Type': 'application/json' },
  })
  return { status, body: JSON.parse(String(bytes)) }
}

const refusedLines = (worker: TestWorker) =>
  worker
    .logged()
    .filter(({ status }) => status === 403)
    .map(({ error, detail }) => error ?? detail)

describe('Changes at the status worker', () => {
  const isHeartbeat = (path: string) => path.startsWith('/heartbeat/')
  const changes = statusRoutes.filter(({ method, path }) => method !== 'GET' && !isHeartbeat(path))

  it('are every route that is neither GET nor a heartbeat', () => {
    const labels = new Map(statusRoutes.map((route) => [route, route.access.label]))
    for (const [route, label] of labels)
      assert.equal(
        label === 'addresses in STATUS_ADMIN_ALLOW',
        changes.includes(route),
        `${route.method} ${route.path}`,
      )
    assert.ok(changes.length >= 7)
  })

  it('need an address in STATUS_ADMIN_ALLOW; any other in STATUS_ALLOW may send heartbeats and read', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: `${api}, ${cli}` } })
    for (const address of [api, cli, third]) {
      assert.equal((await from(address, worker, 'POST', '/heartbeat/db', { status: 'operational' })).status, 200)
      for (const path of ['/health', '/health/db', '/diag', '/announcements', '/maintenance', '/components'])
        assert.equal((await from(address, worker, 'GET', path)).status, 200, path)
    }
    const error = 'Changes are allowed only from addresses in STATUS_ADMIN_ALLOW'
    for (const { method, path } of changes) {
      const named = path.replace(/:\w+/, 'db')
      assert.deepEqual(await from(third, worker, method, named), { status: 403, body: { ok: false, error } }, named)
    }
    assert.deepEqual(new Set(refusedLines(worker)), new Set([`${third} is not in STATUS_ADMIN_ALLOW`]))
    for (const address of [api, cli])
      assert.equal((await from(address, worker, 'POST', '/announcements', { text: 'x' })).status, 201)
    const { announcements } = (await from(third, worker, 'GET', '/announcements')).body
    assert.equal(announcements.length, 2)
    assert.equal((await from(cli, worker, 'DELETE', '/components/db')).status, 200)
    await worker.close()
  })

  it('are refused outside STATUS_ALLOW, whatever STATUS_ADMIN_ALLOW says, and by default outside loopback', async () => {
    const worker = await openWorker({ env: { STATUS_ALLOW: `${api}`, STATUS_ADMIN_ALLOW: `${api}, ${third}` } })
    assert.deepEqual((await from(third, worker, 'POST', '/announcements', { text: 'x' })).body, {
      ok: false,
      error: 'Forbidden',
    })
    assert.equal((await from(api, worker, 'POST', '/announcements', { text: 'x' })).status, 201)
    await worker.close()
  })
})

describe('The log of a 403 of the status worker', () => {
  it('says whether the address, the Origin or the Host was refused, and what to set', async () => {
    const worker = await openWorker({ env: { STATUS_ALLOW: '127.0.0.1, 127.0.0.2', STATUS_GET_HEARTBEATS: 'true' } })
    await worker.beat('db')
    const cases: [headers: Record<string, string>, said: string, path?: string, address?: string][] = [
      [{}, 'address: 127.0.0.3 is not in STATUS_ALLOW', '/livez', third],
      [
        { Origin: 'https://example.org' },
        'Origin "https://example.org": a web page may not call the status worker; send requests without it',
      ],
      [
        { 'Sec-Fetch-Site': 'cross-site' },
        'Sec-Fetch-Site cross-site: a web page may not call the status worker; send requests without it',
      ],
      [{ Host: 'status.example.org' }, 'Host: "status.example.org" is not allowed; add the name to ALLOWED_HOSTS'],
      [{ Referer: 'x' }, 'referer: a web page may not send heartbeats', '/heartbeat/db/operational'],
    ]
    for (const [headers, said, path = '/livez', localAddress = '127.0.0.1'] of cases) {
      const { status, body } = await rawRequest(worker.url + path, { headers, localAddress })
      assert.deepEqual([status, JSON.parse(String(body))], [403, { ok: false, error: 'Forbidden' }], said)
      assert.equal(refusedLines(worker).at(-1), said)
    }
    await worker.close()
  })
})
