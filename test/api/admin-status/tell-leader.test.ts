import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openWorker } from '../../status/worker-stage.ts'
import { type Asked, json, StatusServer } from '../../support/status-servers.ts'
import { stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { asked, stage, type Write, writes } from './stage.ts'

const [, postgres = assert.fail()] = stores
const names = Object.keys(writes()) as Write[]
const unknown = 'No valid reply from the status worker: it may have done this, check before you try again'
const away = 'Status worker is unavailable'
const waiting = json(503, { ok: false, error: 'Standing by: this worker is not the leader' })
const writesOf = (worker: StatusServer) => asked(worker).filter(({ method }) => method !== 'GET')

const gone = async () => {
  const server = await StatusServer.open(() => waiting)
  const { url } = server
  await server.stop()
  return url
}
const leading = ({ method, path }: Asked) => {
  if (method === 'GET') return json(200, { ok: true, components: [], neverHeard: [] })
  return path.startsWith('/components') ? json(200, { ok: true, componentId: 'db' }) : json(404, {})
}

describe('A write to one of several status workers', () => {
  it('is sent once, to the leader, whatever the others do', async () => {
    const [leader, frozen, standBy] = await Promise.all([
      StatusServer.open(leading),
      StatusServer.open(() => waiting),
      StatusServer.open(() => waiting),
    ])
    frozen.fault = { kind: 'silent' }
    const { service, write } = await stage([frozen.url, await gone(), standBy.url, leader.url])
    assert.equal((await write('retire')).status, 200)
    assert.deepEqual(
      [frozen, standBy, leader].map((each) => writesOf(each).length),
      [0, 0, 1],
    )
    leader.fault = { kind: 'reply', reply: waiting }
    const refused = await write('retire')
    assert.deepEqual([refused.status, refused.body.message], [503, JSON.parse(waiting.body ?? '').error])
    assert.equal(refused.headers.get('retry-after'), '2')
    for (const each of [leader, standBy, frozen]) await each.stop()
    const nobody = await write('retire')
    assert.deepEqual([nobody.status, nobody.body.message], [503, away])
    await service.close()
  })

  it('reaches the leader of two real workers on one PostgreSQL', { skip: postgres.skip }, async () => {
    const place = await postgres.make()
    const leader = await openWorker({ place })
    const standBy = await openWorker({ place })
    const { service, write, get } = await stage([standBy.url, leader.url])
    assert.equal((await write('announce')).status, 201)
    assert.equal((await get('/admin/status/announcements')).announcements.length, 1)
    await leader.close()
    await service.close()
    await standBy.close()
    await place.drop()
  })
})

describe('A write to the status worker', () => {
  it('has an unknown outcome if no valid reply comes: it is sent once, and audited as such', async () => {
    const worker = await StatusServer.open(() => json(200, { ok: true }))
    const { service, write, audited, keeper } = await stage([worker.url])
    const faults = [
      { kind: 'reset' },
      { kind: 'lost-answer' },
      { kind: 'endless' },
      { kind: 'raw', text: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"ok":true' },
      { kind: 'reply', reply: { status: 200, type: 'text/html', body: '<html>' } },
      { kind: 'reply', reply: json(200, { ok: true, componentId: 'db', more: '<script>' }) },
      { kind: 'reply', reply: json(500, { ok: false, error: 'Internal Server Error' }) },
      { kind: 'reply', reply: { status: 502, body: 'Bad Gateway' } },
    ] as const
    for (const fault of faults) {
      worker.fault = fault
      const { status, body, headers } = await write('retire')
      assert.deepEqual([status, body.message, headers.get('retry-after')], [504, unknown, null], JSON.stringify(fault))
    }
    assert.equal(writesOf(worker).length, faults.length)
    worker.fault = null
    for (const name of names) assert.equal((await write(name)).status, 504, name)
    const [event] = await audited('retire-component', 1)
    assert.deepEqual(event, { outcome: `failed: ${unknown}`, actor: keeper, target: 'db', after: null })
    await service.close()
  })

  it('has an unknown outcome before 2 s if the reply is slow', async () => {
    const worker = await StatusServer.open(leading)
    const { service, write } = await stage([worker.url])
    const replies = []
    for (const [index, kind] of (['silent', 'slow'] as const).entries()) {
      worker.fault = { kind }
      replies.push(write('retire'))
      await until(() => writesOf(worker).length > index)
    }
    for (const { body } of await Promise.all(replies)) assert.deepEqual(body, { status: 504, message: unknown })
    assert.equal(writesOf(worker).length, 2)
    await service.close()
  })

  it('was not done and is 503 if the reply is from another program, an older worker, or one that does not allow the API', async () => {
    const worker = await StatusServer.open(leading)
    const { service, write } = await stage([worker.url])
    for (const reply of [
      { status: 302, headers: { Location: `${worker.url}/components/other` } },
      json(403, { ok: false, error: 'Forbidden' }),
      json(404, { ok: false, error: 'Not found' }),
      { status: 404, type: 'text/html', body: '<html>' },
    ]) {
      worker.fault = { kind: 'reply', reply }
      const { status, body, headers } = await write('retire')
      assert.deepEqual([status, body.message, headers.get('retry-after')], [503, away, '2'])
    }
    assert.deepEqual(
      writesOf(worker).map(({ path }) => path),
      Array(4).fill('/components/db'),
    )
    await worker.stop()
    for (const name of names) assert.equal((await write(name)).status, 503, name)
    await service.close()
  })

  it('forwards nothing from the caller but the parsed fields', async () => {
    const worker = await StatusServer.open(leading)
    const { service, call } = await stage([worker.url])
    const sent = { 'x-mine': 'a', cookie: 'b', 'content-type': 'application/json' }
    await call(['POST', '/admin/status/announcements?x=1', { text: 'x', more: 1, __proto__: 2 }], undefined, sent)
    const [sentOn] = writesOf(worker)
    assert.deepEqual(
      [sentOn?.path, String(sentOn?.query), sentOn?.body, sentOn?.headers['x-mine'], sentOn?.headers.cookie],
      ['/announcements', '', '{"text":"x","until":null}', undefined, undefined],
    )
    assert.equal(sentOn?.headers.authorization, undefined)
    await service.close()
  })
})
