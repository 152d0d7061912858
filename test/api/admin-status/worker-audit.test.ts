import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import { createAuditCopy } from '../../../src/api/admin-status/copy-worker-audit.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { tool } from '../../cli/tool.ts'
import { openWorker, type TestWorker } from '../../status/worker-stage.ts'
import { startService } from '../../support/service.ts'
import { json, StatusServer } from '../../support/status-servers.ts'
import { stores } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { stage } from './stage.ts'

const clock = systemClock
const newId = createIds(clock)
const text = (n: number) => ({ text: `text ${n}` })
const announce = (worker: TestWorker, n: number) => worker.ask('POST', '/announcements', text(n))

for (const store of stores)
  describe(`The audit on ${store.name}`, { skip: store.skip }, () => {
    /** The audit, and copies as two instances with restarts make them. */
    async function open(workers: readonly string[]) {
      const place = await store.make()
      const database = await place.open()
      await database.prepare()
      const journal = createJournalStore(database, { clock, newId })
      const directory = createDirectory(database, { clock })
      const warned: string[] = []
      const log = { warn: (_: unknown, message: string) => warned.push(message) }
      return {
        place,
        journal,
        warned,
        another: () => createAuditCopy({ workers, store: journal, clock, log: log as never, keepAuditDays: 365 }),
        events: async () => (await directory.events({ before: null, limit: 1_000 })).toReversed(),
        async close() {
          await database.close()
          await place.drop()
        },
      }
    }

    it('has each change that was sent straight to the worker once, whoever copies it how often', async () => {
      const worker = await openWorker()
      const { another, events, close } = await open([worker.url])
      const copies = [another(), another()]
      const made = []
      for (let n = 0; n < 5; n++) {
        made.push(await announce(worker, n))
        await Promise.all(copies.map(({ copy }) => copy()))
        if (n === 2) copies.push(another())
      }
      await another().copy()
      const found = await events()
      assert.deepEqual(
        found.map(({ id, action, outcome, actor, target, address, requestId, after }) => [
          ...[id, action, outcome, actor, target, address, requestId, after?.text],
        ]),
        made.map(({ headers, body: { announcement } }) => {
          const id = headers.get('x-request-id')
          return [id, 'announce', 'success', null, announcement.id, '127.0.0.1', id, announcement.text]
        }),
      )
      await worker.close()
      await close()
    })

    it('has more changes than one page, and all again if a worker no longer knows the last one', async () => {
      const now = '2026-06-01T12:00:00.000Z'
      const known = { action: 'announce', outcome: 'success', target: null, address: '::1', count: 1 }
      const some = (count: number) =>
        Array.from({ length: count }, () => ({ ...known, id: newId(), at: now, before: null, after: null }))
      let records = some(200)
      const page = (query: URLSearchParams) => {
        const from = records.findIndex(({ id }) => id === query.get('after')) + 1
        return records.slice(from, from + Number(query.get('limit')))
      }
      const worker = await StatusServer.open(({ query }) => json(200, { ok: true, now, records: page(query) }))
      const another = await openWorker()
      await announce(another, 7)
      const audit = await open([worker.url, another.url])
      const { copy } = audit.another()
      await copy()
      assert.equal((await audit.events()).length, 201)
      const asked = worker.asked.length
      records = [...records, ...some(1)]
      await copy()
      assert.equal(worker.asked.length, asked + 1, 'reads on where it was')
      records = some(150)
      await copy()
      assert.equal((await audit.events()).length, 352)
      await audit.close()
      await worker.close()
      await another.close()
    })

    it('has an act of the API once, with its actor, whichever is written first', async () => {
      const worker = await openWorker()
      const { another, journal, events, close } = await open([worker.url])
      const { copy } = another()
      const act = async () => {
        const { headers, body } = await announce(worker, 1)
        const [id, target] = [headers.get('x-request-id') as string, body.announcement.id as string]
        const known = { ...cliOrigin, action: 'announce', outcome: 'success', target, count: 1, before: null }
        const event = { ...known, id, isWorkers: true, happenedAt: clock.monotonic(), after: text(1) }
        return () => journal.write({ id: newId(), counts: [], events: [event] })
      }
      const first = await act()
      await copy()
      assert.deepEqual(
        (await events()).map(({ actor }) => actor),
        [null],
      )
      await first()
      await (await act())()
      await copy()
      await another().copy()
      assert.deepEqual(
        (await events()).map(({ actor, address, requestId }) => [actor, address, requestId]),
        [
          ['cli', null, null],
          ['cli', null, null],
        ],
      )
      await close()
      await worker.close()
    })
  })

describe('GET /admin/audit', () => {
  it('shows changes sent to the worker while the API was away, and its own acts and those of the tool once', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: '127.0.0.1' } })
    const { status } = await announce(worker, 1)
    assert.equal(status, 201)
    const { service, keeper, write, token } = await stage([worker.url])
    assert.equal((await write('announce')).status, 201)
    const env = { ...service.env, STATUS_WORKER_URL: worker.url }
    assert.equal((await tool(env, ['status', 'announce', 'by the tool'])).code, 0)
    const actors = async () => {
      const { body } = await service.request('GET', '/admin/audit?action=announce', { token })
      return (body.events as { actor: string }[]).map(({ actor }) => actor)
    }
    await until(async () => (await actors()).length >= 3)
    const again = await startService({ env, place: { env: service.env } as never })
    const { records } = (await worker.ask('GET', '/audit')).body
    assert.equal(records.length, 3)
    await until(() => worker.logged().filter(({ path }) => path === '/audit').length >= 3)
    await again.close()
    assert.deepEqual((await actors()).sort(), [null, 'cli', keeper].sort())
    await service.close()
    await worker.close()
  })
})

describe('The copy of the audit of the worker', () => {
  it('is silent about a worker that is away, stands by or is of version 0.2, and warns once of each problem', async () => {
    const server = await StatusServer.open(() => json(404, { ok: false, error: 'Not found' }))
    const warned: unknown[] = []
    const log = { warn: (_: unknown, message: string) => warned.push(message) }
    const copied: unknown[] = []
    const store = { copy: async (events: unknown) => void copied.push(events) }
    const deps = { workers: [server.url], store, clock, log: log as never, keepAuditDays: 1 }
    const { copy } = createAuditCopy(deps)
    await copy()
    server.fault = { kind: 'reply', reply: json(503, { ok: false, error: 'Standing by' }) }
    await copy()
    server.fault = { kind: 'reset' }
    await copy()
    assert.deepEqual(warned, [])
    const record = {
      id: newId(),
      at: '2026-06-01T12:00:00.000Z',
      action: 'announce',
      outcome: 'success',
      target: null,
      address: '::1',
      count: 1,
      before: null,
      after: null,
    }
    for (const reply of [
      {},
      { ok: true, now: 'x', records: [] },
      { ok: true, now: record.at, records: [{ ...record, id: '&' }] },
    ]) {
      server.fault = { kind: 'reply', reply: json(200, reply) }
      await copy()
      await copy()
    }
    assert.deepEqual([warned.length, copied], [3, []])
    const old = { ...record, id: newId(), at: '2026-05-01T12:00:00.000Z' }
    const reply = { ok: true, now: record.at, records: [old, record] }
    server.fault = { kind: 'reply', reply: json(200, reply) }
    await copy()
    assert.deepEqual(
      copied.flat().map((event) => (event as { id: string }).id),
      [record.id],
      'not what the audit would delete at once',
    )
    await server.close()
  })
})
