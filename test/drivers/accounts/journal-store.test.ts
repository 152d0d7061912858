import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AuditEvent } from '../../../src/accounts/audit.ts'
import type { CountRow } from '../../../src/accounts/counts.ts'
import type { ListedUser } from '../../../src/accounts/directory.ts'
import { atEnd } from '../../support/at-end.ts'
import { fakeClock } from '../../support/clock.ts'
import { stores } from '../../support/stores.ts'
import { accountOf, batchOf, hourMs, newId, portsOf, withDatabase } from './stage.ts'

const always = { from: '2000-01-01', to: '2999-12-31' }
const row = (userId: string, day: string, auth: number, admin = 0, images = 0): CountRow => ({
  userId,
  day,
  auth,
  admin,
  images,
})
const event = (more: Partial<AuditEvent> = {}): AuditEvent => ({
  id: newId(),
  at: 1_780_000_000_000,
  action: 'login',
  outcome: 'refused: "wörds", a \\ and a \'; \n🦊',
  actor: null,
  target: null,
  address: '::1',
  requestId: 'r-1',
  count: 1,
  before: null,
  after: null,
  ...more,
})

const never = new AbortController().signal

for (const store of stores) {
  describe(`counts and events on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const { insert } = stage
    const write = (counts: CountRow[], events: AuditEvent[] = []) =>
      stage.journal.write(batchOf(counts, events, stage.clock))
    const daysOf = (userId: string | null) => stage.directory.usage({ userId, ...always })
    const everybodyOn = async (day: string) =>
      (await stage.directory.usage({ userId: null, from: day, to: day }))[0] ?? null
    const find = async (id: string): Promise<ListedUser> => {
      const user = await stage.directory.find({ id })
      assert.ok(user)
      return user
    }
    const eventsBy = (actor: string) => stage.directory.events({ actor, before: null, limit: 1_000 })

    it('are written once, however often the batch is submitted', async () => {
      const { id } = await insert(accountOf('once'))
      const batch = batchOf([row(id, '2026-04-09', 1, 2, 3)], [event({ actor: 'once' })])
      for (let time = 0; time < 3; time++) await stage.journal.write(batch)
      assert.equal((await find(id)).requests?.total, 6)
      assert.equal((await stage.directory.events({ actor: 'once', before: null, limit: 9 })).length, 1)
    })

    it('are written together, each event unchanged', async () => {
      const { id } = await insert(accountOf('together'))
      const details = { username: 'a "b"', banned: false, reason: null }
      const events = [
        event({ actor: 'together', target: id, before: details, after: {} }),
        event({ actor: 'together', address: null, requestId: null }),
      ]
      await write([row(id, '2026-01-01', 1, 2, 3)], events)
      assert.deepEqual(await daysOf(id), [{ day: '2026-01-01', auth: 1, admin: 2, images: 3, total: 6 }])
      assert.deepEqual(await eventsBy('together'), events.toReversed())
    })

    it('are written with any text; characters that the database cannot store are replaced', async () => {
      const texts = (text: string) => event({ actor: 'odd', outcome: text, target: text, after: { text } })
      await write([], [texts('a\0b'), texts('\ud83e'), texts('\udd8a\u2028'), texts('🦊')])
      const found = (await eventsBy('odd')).map(({ outcome, target, after }) => [outcome, target, after?.text])
      const expected = ['🦊', '\ufffd\u2028', '\ufffd', 'a\ufffdb']
      assert.deepEqual(
        found,
        expected.map((text) => [text, text, text]),
      )
    })

    it('are not written if one of the events cannot be', async () => {
      const { id } = await insert(accountOf('nothing'))
      const known = event({ actor: 'nothing' })
      await write([row(id, '2026-01-02', 1)], [known])
      const before = [await find(id), await daysOf(id), await daysOf(null), await stage.directory.summary()]
      const events = [event({ actor: 'nothing' }), { ...known, action: 'another' }]
      await assert.rejects(write([row(id, '2026-01-02', 5), row(id, '2026-01-03', 5)], events), /unique/i)
      const now = [await find(id), await daysOf(id), await daysOf(null), await stage.directory.summary()]
      assert.deepEqual(now, before)
      assert.deepEqual(await eventsBy('nothing'), [known])
      await write([row(id, '2026-01-02', 5)], [])
      assert.equal((await find(id)).requests?.auth, 6)
    })

    it('of one user on two days of a batch are both in the sum, each on its day', async () => {
      const { id } = await insert(accountOf('two.days'))
      await write([row(id, '2026-02-01', 1, 2, 3), row(id, '2026-02-02', 10, 20, 30)])
      const { auth, admin, images, total } = (await find(id)).requests ?? {}
      assert.deepEqual([auth, admin, images, total], [11, 22, 33, 66])
      assert.deepEqual(await daysOf(id), [
        { day: '2026-02-01', auth: 1, admin: 2, images: 3, total: 6 },
        { day: '2026-02-02', auth: 10, admin: 20, images: 30, total: 60 },
      ])
    })

    it('have a total that is auth + admin + images, after every write', async () => {
      const { id } = await insert(accountOf('total'))
      assert.equal((await find(id)).requests, null)
      const sum = [0, 0, 0]
      for (const [n, more] of [
        [1, 0, 0],
        [0, 2, 0],
        [0, 0, 3],
        [0, 0, 0],
        [4, 5, 6],
      ].entries()) {
        await write([row(id, '2026-02-10', more[0] ?? 0, more[1], more[2])])
        for (const i of sum.keys()) sum[i] = (sum[i] ?? 0) + (more[i] ?? 0)
        const { auth, admin, images, total } = (await find(id)).requests ?? {}
        assert.deepEqual([auth, admin, images], sum, `write ${n}`)
        assert.equal(total, (sum[0] ?? 0) + (sum[1] ?? 0) + (sum[2] ?? 0))
      }
    })

    it('keep the id and createdAt of a record; updatedAt advances, and is never before createdAt', async () => {
      const { id } = await insert(accountOf('record'))
      const counted = async () => {
        await write([row(id, '2026-02-11', 1)])
        const { requests } = await find(id)
        assert.ok(requests)
        return requests
      }
      const start = stage.clock.now()
      const first = await counted()
      assert.deepEqual([first.createdAt, first.updatedAt], [start, start])
      stage.clock.advance(hourMs)
      const second = await counted()
      assert.deepEqual([second.createdAt, second.updatedAt], [start, start + hourMs])
      stage.clock.advance(-5 * hourMs)
      const third = await counted()
      assert.deepEqual([third.createdAt, third.updatedAt], [start, start])
      stage.clock.advance(6 * hourMs)
      const fourth = await counted()
      assert.deepEqual([fourth.createdAt, fourth.updatedAt], [start, start + 2 * hourMs])
      assert.deepEqual(new Set([first.id, second.id, third.id, fourth.id]).size, 1)
      assert.equal((await find(id)).updatedAt, accountOf('other').updatedAt, 'a request is no change of the account')
    })

    it('add up over all users, by day and in the summary', async () => {
      const before = await stage.directory.summary()
      const ids = await Promise.all(['ann', 'bob', 'cem'].map(async (name) => (await insert(accountOf(name))).id))
      const rows = ids.flatMap((id, n) => [row(id, '2026-03-01', n, 1, 2), row(id, '2026-03-02', 1, n, 0)])
      await write(rows)
      await write(rows.slice(0, 2))
      assert.deepEqual(await everybodyOn('2026-03-01'), { day: '2026-03-01', auth: 3, admin: 4, images: 8, total: 15 })
      assert.deepEqual(await everybodyOn('2026-03-02'), { day: '2026-03-02', auth: 4, admin: 3, images: 0, total: 7 })
      const { totalRequests, authRequests, adminRequests, imageRequests } = await stage.directory.summary()
      assert.deepEqual(
        [totalRequests, authRequests, adminRequests, imageRequests],
        [before.totalRequests + 22, before.authRequests + 7, before.adminRequests + 7, before.imageRequests + 8],
      )
    })

    it('of an unknown user affect nobody else', async () => {
      const { id } = await insert(accountOf('known'))
      const stranger = newId()
      await write([row(stranger, '2026-03-05', 7), row(id, '2026-03-05', 1)], [event({ target: stranger })])
      assert.equal((await find(id)).requests?.total, 1)
      assert.equal(await stage.directory.find({ id: stranger }), null)
      assert.equal((await everybodyOn('2026-03-05'))?.auth, 8)
    })

    it('are written if either or both are empty', async () => {
      const { id } = await insert(accountOf('half'))
      await write([], [])
      await write([row(id, '2026-03-06', 1)], [])
      await write([], [event({ actor: 'half' })])
      assert.equal((await find(id)).requests?.total, 1)
      assert.equal((await eventsBy('half')).length, 1)
    })

    it('are all written for more than two hundred users and events in one batch', async () => {
      const accounts = Array.from({ length: 251 }, (_, n) => accountOf(`many-${n}`))
      await Promise.all(accounts.map(insert))
      const counts = accounts.flatMap(({ id }, n) => [row(id, '2026-03-10', n, 1, 2), row(id, '2026-03-11', 0, 0, 1)])
      const events = Array.from({ length: 251 }, (_, n) => event({ actor: 'many', at: n, target: String(n) }))
      await write(counts, events)
      for (const [n, { id }] of accounts.entries()) assert.equal((await find(id)).requests?.total, n + 4)
      const day = { day: '2026-03-10', auth: (251 * 250) / 2, admin: 251, images: 502, total: 31_375 + 753 }
      assert.deepEqual(await everybodyOn('2026-03-10'), day)
      assert.equal((await everybodyOn('2026-03-11'))?.images, 251)
      assert.deepEqual(await eventsBy('many'), events.toReversed())
    })

    it('of two concurrent instances for the same users and days are all counted', async () => {
      const accounts = await Promise.all(Array.from({ length: 150 }, (_, n) => insert(accountOf(`shared-${n}`))))
      const other = await stage.place.open()
      const close = atEnd(() => other.close())
      let drawn = 0
      const deps = {
        clock: fakeClock(),
        newId: () => {
          drawn++
          return newId()
        },
      }
      const [left, right] = [portsOf(stage.database, deps).journal, portsOf(other, deps).journal]
      const days = ['2026-04-01', '2026-04-02']
      const rows = days.flatMap((day) => accounts.map(({ id }) => row(id, day, 1, 2, 3)))
      const few = [row(accounts[0]?.id ?? '', days[0] ?? '', 1), row(accounts[0]?.id ?? '', days[1] ?? '', 1)]
      const last = accounts.at(-1)?.id ?? ''
      const reversed = [row(last, days[1] ?? '', 1), row(last, days[0] ?? '', 1)]
      for (let round = 0; round < 20; round++) {
        const [mine, theirs] = [`left ${round}`, `right ${round}`].map((actor) => event({ actor, action: 'both' }))
        await Promise.all([
          left.write(batchOf(rows, [mine as AuditEvent])),
          right.write(batchOf(rows.toReversed(), [theirs as AuditEvent])),
        ])
        await Promise.all([left.write(batchOf(few)), right.write(batchOf(reversed))])
      }
      await close()
      assert.equal(drawn, 20 * (2 * rows.length + few.length + reversed.length), 'every write was done once')
      for (const [n, { id }] of accounts.entries()) {
        const extra = n === 0 || n === 149 ? 40 : 0
        const { auth, admin, images } = (await find(id)).requests ?? {}
        assert.deepEqual([auth, admin, images], [80 + extra, 160, 240], `user ${n}`)
        assert.deepEqual(
          (await daysOf(id)).map(({ auth }) => auth),
          [40 + extra / 2, 40 + extra / 2],
        )
      }
      for (const day of days) assert.equal((await everybodyOn(day))?.auth, 150 * 40 + 40)
      assert.equal((await stage.directory.events({ action: 'both', before: null, limit: 100 })).length, 40)
    })
  })

  describe(`old data on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)

    it('is dropped, more than two hundred rows of each; the totals and records stay', async () => {
      const accounts = await Promise.all(Array.from({ length: 251 }, (_, n) => stage.insert(accountOf(`old-${n}`))))
      const days = ['2026-01-01', '2026-01-02', '2026-01-03']
      const counts = days.flatMap((day) => accounts.map(({ id }) => row(id, day, 1)))
      const events = Array.from({ length: 503 }, (_, at) => event({ actor: 'old', at: 1_000 + at }))
      await stage.journal.write(batchOf(counts, events))
      const everybody = await stage.directory.usage({ userId: null, ...always })
      const before = [await stage.directory.summary(), await stage.directory.chunk(null, 1_000)]

      await stage.journal.forget(
        { day: '2026-01-03', eventAgeMs: stage.clock.now() - 1_250, now: stage.clock.now() },
        never,
      )
      for (const { id } of accounts) {
        const left = await stage.directory.usage({ userId: id, ...always })
        assert.deepEqual(
          left.map(({ day }) => day),
          ['2026-01-03'],
        )
      }
      const left = await stage.directory.events({ actor: 'old', before: null, limit: 1_000 })
      assert.deepEqual(left, events.slice(250).toReversed())
      assert.deepEqual(await stage.directory.usage({ userId: null, ...always }), everybody)
      assert.deepEqual([await stage.directory.summary(), await stage.directory.chunk(null, 1_000)], before)
    })

    it('stays if dropping it was aborted', async () => {
      const aborted = AbortSignal.abort()
      await stage.journal.write(batchOf([], [event({ actor: 'spared', at: 1 })]))
      await stage.journal.forget(
        { day: '2026-01-04', eventAgeMs: stage.clock.now() - 1_250, now: stage.clock.now() },
        aborted,
      )
      assert.equal((await stage.directory.events({ actor: 'spared', before: null, limit: 9 })).length, 1)
    })

    it('is dropped once: a second run finds nothing, and exactly one full statement drops all', async () => {
      await stage.journal.forget(
        { day: '2026-01-03', eventAgeMs: stage.clock.now() - 1_250, now: stage.clock.now() },
        never,
      )
      const events = Array.from({ length: 100 }, (_, at) => event({ actor: 'hundred', at }))
      await stage.journal.write(batchOf([], events))
      await stage.journal.forget(
        { day: '2026-01-03', eventAgeMs: stage.clock.now() - 100, now: stage.clock.now() },
        never,
      )
      assert.deepEqual(await stage.directory.events({ actor: 'hundred', before: null, limit: 1_000 }), [])
      assert.equal((await stage.directory.events({ actor: 'old', before: null, limit: 1_000 })).length, 253)
    })
  })
}
