import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { createJournalStore } from '../../src/drivers/accounts/journal-store.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { createIds } from '../../src/lib/ids.ts'
import { dayMs, dayOf } from '../../src/lib/timestamps.ts'
import { type Store, stores } from '../support/stores.ts'
import { tool, toolHere, toolJson } from './tool.ts'

const password = 'correct horse battery'
const newId = createIds(systemClock)

for (const store of stores) {
  describe(`audit and usage on the command line, ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<Store['make']>>
    let annId: string
    const today = dayOf(systemClock.now())
    const lastWeek = dayOf(systemClock.now() - 7 * dayMs)
    const audit = async (...args: string[]) => (await toolJson(place.env, ['audit', ...args])).events
    const usage = async (...args: string[]) => (await toolJson(place.env, ['usage', ...args])).usage

    before(async () => {
      place = await store.make()
      annId = (await toolJson(place.env, ['user', 'create', 'ann'], password)).user.id
      const { id } = (await toolJson(place.env, ['user', 'create', 'bob'], password)).user
      await toolJson(place.env, ['user', 'set-role', 'bob', 'support', '--yes'])
      const journal = createJournalStore(await place.open(), { clock: systemClock, newId })
      const counts = { auth: 1, admin: 2, images: 3 }
      const rows = [
        { userId: annId, day: today, ...counts },
        { userId: annId, day: lastWeek, ...counts },
        { userId: id, day: today, ...counts },
      ]
      await journal.write({ id: newId(), counts: rows, events: [] })
    })

    it('audit shows the events of GET /admin/audit, newest first, with current names', async () => {
      const [newest, , oldest] = await audit()
      assert.deepEqual(Object.keys(newest).sort(), [
        ...['action', 'actor', 'address', 'after', 'at', 'before', 'count', 'id', 'outcome', 'requestId', 'target'],
      ])
      assert.deepEqual([newest.action, oldest.action, oldest.target], ['role', 'create', annId])
      const { stdout } = await tool(place.env, ['audit'])
      const lines = stdout.trim().split('\n')
      assert.match(lines[0] ?? '', /^TIME +ACTION +OUTCOME +ACTOR +TARGET +ADDRESS +COUNT +CHANGE$/)
      assert.match(lines[1] ?? '', /^20\S+Z {2}role +success +cli +bob +1 +role: user > support$/)
    })

    it('audit filters, and pages through any number of events', async () => {
      assert.deepEqual((await audit('--target', 'ANN')).length, 1)
      assert.deepEqual((await audit('--action', 'role', '--actor', 'cli')).length, 1)
      assert.deepEqual((await audit('--limit', '2')).length, 2)
      assert.deepEqual(await audit('--to', '2020-12-31'), [])
      assert.deepEqual((await audit('--from', lastWeek, '--target', annId)).length, 1)
      assert.match((await toolHere(place.env, ['audit', '--to', '2020-12-31'])).stderr, /No events/)
      const journal = createJournalStore(await place.open(), { clock: systemClock, newId })
      const events = Array.from({ length: 1_200 }, () => ({
        id: newId(),
        happenedAt: systemClock.monotonic(),
        action: 'login',
        outcome: 'refused: x',
        count: 1,
        actor: null,
        target: null,
        address: '192.0.2.7',
        requestId: null,
        before: null,
        after: null,
      }))
      await journal.write({ id: newId(), counts: [], events })
      const found = await audit('--action', 'login', '--limit', '1100')
      assert.equal(new Set(found.map(({ id }: { id: string }) => id)).size, 1_100)
    })

    it('usage shows the days of one user, or of all users together', async () => {
      const day = { auth: 1, admin: 2, images: 3, total: 6 }
      assert.deepEqual(await usage('Ann'), [
        { day: lastWeek, ...day },
        { day: today, ...day },
      ])
      assert.deepEqual(await usage(annId, '--from', today), [{ day: today, ...day }])
      assert.deepEqual(await usage('--to', lastWeek), [{ day: lastWeek, ...day }])
      assert.equal((await usage('--from', today))[0].total, 12)
      const { stdout } = await tool(place.env, ['usage', 'bob'])
      assert.equal(stdout, `DAY         AUTH  ADMIN  IMAGES  TOTAL\n${today}  1     2      3       6\n`)
    })

    it('refuse wrong options, unknown users and reversed days', async () => {
      for (const [args, code, message] of [
        [['audit', '--action', 'nothing'], 2, /Allowed choices are register, create, delete/],
        [['audit', '--from', '2026-02-31'], 2, /such as 2026-12-31T18:00:00Z/],
        [['audit', '--limit', '0'], 2, /whole number from 1/],
        [['audit', '--from', '2026-02-02', '--to', '2026-02-01'], 1, /^From must not be after to/],
        [['usage', 'nobody'], 1, /^No user "nobody"/],
        [['usage', '--from', '2026-06-01T12:00Z'], 2, /such as 2026-06-01/],
        [['usage', '--from', '2026-02-02', '--to', '2026-02-01'], 1, /^From must not be after to/],
      ] as const) {
        const ran = await toolHere(place.env, args)
        assert.deepEqual([ran.code, ran.stdout], [code, ''])
        assert.match(ran.stderr, message)
      }
    })
  })
}
