import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ChangeRecord, createAuditQueue } from '../../src/status/audit.ts'
import type { Changes } from '../../src/status/state-store.ts'
import { discordWebhook } from '../support/alert-channels.ts'
import { fakeClock } from '../support/clock.ts'
import { rawRequest } from '../support/raw-request.ts'
import { StatusServer } from '../support/status-servers.ts'
import { stores } from '../support/stores.ts'
import { drivenWorker, sender } from './driven-worker.ts'
import { openWorker, until } from './worker-stage.ts'

const at = (ms: number) => new Date(Date.now() + ms).toISOString()
const notAllowed = 'refused: Changes are allowed only from addresses in STATUS_ADMIN_ALLOW'

for (const store of stores)
  describe(`GET /audit of the status worker, with the state on ${store.name},`, { skip: store.skip }, () => {
    it('has every accepted change but heartbeats, with the id of its response, over restarts', async () => {
      const place = await store.make()
      const chat = await StatusServer.open(discordWebhook('SECRET0123', new Map()))
      const env = {
        STATUS_TARGETS: 'chat',
        STATUS_TARGET_CHAT_KIND: 'discord',
        STATUS_TARGET_CHAT_URL: `${chat.url}/api/webhooks/123/SECRET0123`,
      }
      let worker = await openWorker({ place, env })
      await worker.beat('db')
      const ids: (string | null)[] = []
      const change = async (...args: Parameters<typeof worker.ask>) => {
        const { status, body, headers } = await worker.ask(...args)
        assert.ok(status < 300, args.join(' '))
        ids.push(headers.get('x-request-id'))
        return body
      }
      const [from, later] = [at(0), at(3_600_000)]
      const { announcement } = await change('POST', '/announcements', { text: 'Tonight', from })
      await change('DELETE', `/announcements/${announcement.id}`)
      const window = { components: ['db'], from, until: later }
      const { maintenance } = await change('POST', '/maintenance', window)
      await change('PUT', `/maintenance/${maintenance.id}`, { text: 'Disks', components: ['db', 'api'] })
      // It changes nothing, and there is no record of it.
      assert.equal((await worker.ask('PUT', `/maintenance/${maintenance.id}`, { text: 'Disks', from })).status, 200)
      const ended = await change('DELETE', `/maintenance/${maintenance.id}`)
      await change('POST', '/targets/chat/test')
      await change('DELETE', '/components/db?publish=nothing')
      for (const refused of [`/announcements/${announcement.id}`, '/components/db'])
        assert.ok((await worker.ask('DELETE', refused)).status >= 400)
      await worker.close()

      worker = await openWorker({ place, env })
      const { records } = (await worker.ask('GET', '/audit')).body
      const found = (records as ChangeRecord[]).map(
        (each) => [each.action, each.target, each.before, each.after] as const,
      )
      const { endedAt } = ended.maintenance
      const expected = [
        ['announce', announcement.id, null, { text: 'Tonight', from, until: null }],
        ['end-announcement', announcement.id, null, { text: 'Tonight', endedAt: found[1]?.[3]?.endedAt }],
        ['announce-maintenance', maintenance.id, null, { components: 'db', from, until: later, text: null }],
        ...[
          [
            'change-maintenance',
            maintenance.id,
            { components: 'db', text: null },
            { components: 'db, api', text: 'Disks' },
          ],
          ['end-maintenance', maintenance.id, null, { components: 'db, api', endedAt }],
          ['test-target', 'chat', null, { outcome: 'accepted', reason: null }],
          ['retire-component', 'db', null, { publish: 'nothing' }],
        ],
      ]
      const byAction = (rows: readonly (readonly unknown[])[]) =>
        rows.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      assert.deepEqual(byAction(found), byAction(expected))
      assert.deepEqual(new Set(records.map((each: ChangeRecord) => each.id)), new Set(ids))
      for (const { address, outcome, count } of records)
        assert.deepEqual([address, outcome, count], ['127.0.0.1', 'success', 1])
      const after = await worker.ask('GET', `/audit?after=${records[1].id}&limit=2`)
      assert.deepEqual(after.body.records, records.slice(2, 4))
      await worker.close()
      await place.drop()
    })
  })

describe('The audit of the status worker', () => {
  it('has changes that were refused for their address, repetitions as one record, within a second', async () => {
    const worker = await openWorker({ env: { STATUS_ADMIN_ALLOW: '127.0.0.1' } })
    const tried: [method: string, path: string][] = [
      ['DELETE', '/components/db'],
      ['DELETE', '/components/db'],
      ['DELETE', '/components/a%20b%00'],
      ['POST', '/announcements'],
    ]
    await Promise.all(
      tried.map(([method, path]) => rawRequest(worker.url + path, { method, localAddress: '127.0.0.3' })),
    )
    const counts = new Map<string, number>()
    await until(async () => {
      counts.clear()
      for (const { action, target, outcome, address, count } of (await worker.ask('GET', '/audit')).body.records) {
        assert.deepEqual([outcome, address], [notAllowed, '127.0.0.3'])
        const key = `${action} ${target}`
        counts.set(key, (counts.get(key) ?? 0) + count)
      }
      return [...counts.values()].reduce((sum, count) => sum + count, 0) >= tried.length
    })
    assert.deepEqual(
      counts,
      new Map([
        ['retire-component db', 2],
        ['retire-component null', 1],
        ['announce null', 1],
      ]),
    )
    await worker.close()
  })

  it('loses no refused attempt of a flood from many addresses, nor while nothing can be saved', async () => {
    const saved: ChangeRecord[] = []
    const disk = { isFull: true }
    const store = {
      save: async ({ audited }: Changes) => {
        if (disk.isFull) throw new Error('full')
        saved.push(...audited)
      },
    }
    const queue = createAuditQueue({ store, clock: fakeClock() })
    for (let n = 0; n < 1_000; n++) {
      const by = { requestId: `r${n}`, address: `10.0.0.${n % 250}`, params: { id: 'db' } }
      queue.refused(by, 'retire-component', 'no')
      queue.made(sender, { action: 'test-target', target: `t${n % 3}`, after: null })
      if (n === 500) await queue.save()
    }
    disk.isFull = false
    await queue.save()
    await queue.save()
    const sumOf = (rows: readonly ChangeRecord[]) => rows.reduce((sum, { count }) => sum + count, 0)
    const refused = saved.filter(({ outcome }) => outcome === 'refused: no')
    assert.deepEqual([refused.length, sumOf(refused)], [98, 1_000])
    assert.equal(refused.filter(({ address }) => address === null).length, 1)
    assert.equal(sumOf(saved), 2_000)
  })

  it('has no record of a change that could not be saved', async () => {
    const { clock, disk, store, worker, beat, end } = await drivenWorker()
    await beat('a')
    const announcement = { text: 'x', from: clock.now(), until: null }
    const window = { components: ['a'], from: clock.now(), until: clock.now() + 1_000, text: null }
    disk.isFull = true
    await assert.rejects(worker.announcements.announce(announcement, sender))
    await assert.rejects(worker.calendar.announce(window, sender))
    await assert.rejects(worker.retire('a', null, sender))
    disk.isFull = false
    assert.deepEqual(await store.audit(null, 9), [])
    await worker.retire('a', null, sender)
    assert.deepEqual(
      (await store.audit(null, 9)).map(({ id, action, target, after }) => [id, action, target, after]),
      [[sender.requestId, 'retire-component', 'a', { publish: 'nothing' }]],
    )
    await end()
  })

  it('refuses an `after` that is no id and a limit over 500', async () => {
    const worker = await openWorker()
    for (const [query, error] of [
      ['after=1', 'after must be the id of a record'],
      ['limit=501', 'limit must be a whole number from 1 to 500'],
    ])
      assert.deepEqual((await worker.ask('GET', `/audit?${query}`)).body, { ok: false, error })
    assert.deepEqual((await worker.ask('GET', `/audit?after=01a208d7-5a83-7000-aaed-fdd987d1ea1c`)).body.records, [])
    await worker.close()
  })
})
