import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { AuditEvent } from '../../../src/accounts/audit.ts'
import type { CountRow } from '../../../src/accounts/counts.ts'
import type { EventPage, PagePosition } from '../../../src/accounts/directory.ts'
import { seedOr } from '../../support/seed.ts'
import { stores } from '../../support/stores.ts'
import { accountOf, batchOf, withDatabase } from './stage.ts'

const seed = seedOr(20_260_602)
type EventFilter = Omit<EventPage, 'before' | 'limit'>

/** Few actors, targets, actions and times: each is the same for many, and ids are in no order. */
const event: fc.Arbitrary<AuditEvent> = fc.record(
  {
    id: fc.uuid(),
    at: fc.integer({ min: 1_000, max: 1_012 }),
    action: fc.constantFrom('login', 'ban', 'role'),
    outcome: fc.constantFrom('success', 'refused: User is banned'),
    actor: fc.constantFrom(null, 'cli', 'system', 'A'),
    target: fc.constantFrom(null, 'a', 'A', "' OR ''='"),
    address: fc.constantFrom(null, '::1'),
    requestId: fc.constantFrom(null, 'r'),
    count: fc.integer({ min: 1, max: 3 }),
    before: fc.constantFrom(null, { role: 'user' }),
    after: fc.constantFrom(null, { banned: true, reason: null, name: 'ä "\u2028' }),
  },
  { noNullPrototype: true },
)
const many = { minLength: 230, maxLength: 230, selector: ({ id }: AuditEvent) => id }
const events = fc.sample(fc.uniqueArray(event, many), { seed, numRuns: 1 })[0] as AuditEvent[]

const newestFirst = events.toSorted((left, right) => right.at - left.at || (left.id < right.id ? 1 : -1))

const isIn = ({ at, ...event }: AuditEvent, { actor, target, action, from, to }: EventFilter) =>
  (actor === undefined || [actor].flat().includes(event.actor ?? '')) &&
  (target === undefined || [target].flat().includes(event.target ?? '')) &&
  (action === undefined || event.action === action) &&
  (from === undefined || at >= from) &&
  (to === undefined || at <= to)

const actors = ['cli', 'system', 'A', ['cli', 'A'], ['nobody', 'system']].map((actor) => ({ actor }))
const targets = ['a', 'A', "' OR ''='", ['a', "' OR ''='"]].map((target) => ({ target }))
const actions = ['login', 'ban', 'role'].map((action) => ({ action }))
const times = [{ from: 1_005 }, { to: 1_005 }, { from: 1_003, to: 1_007 }, { from: 1_006, to: 1_006 }]
const none = [{ actor: 'nobody' }, { action: 'Login' }, { target: '%' }, { from: 1_013 }, { to: 999 }]
const backwards = { from: 1_007, to: 1_003 }
const pairs = actors.flatMap((actor) => [...targets, ...actions, ...times].map((more) => ({ ...actor, ...more })))
const all = targets.flatMap((target) => times.map((time) => ({ actor: 'cli', action: 'ban', ...target, ...time })))
const filters: EventFilter[] = [{}, ...actors, ...targets, ...actions, ...times, ...none, backwards, ...pairs, ...all]

for (const store of stores) {
  describe(`events of the audit, seed ${seed}, on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)

    const walk = async (filter: EventFilter, limit: number) => {
      const found: AuditEvent[] = []
      for (let before: PagePosition | null = null; ; ) {
        const page: AuditEvent[] = await stage.directory.events({ ...filter, before, limit })
        assert.ok(page.length <= limit)
        found.push(...page)
        const last = page.at(-1)
        if (!last || page.length < limit) return found
        before = { value: last.at, id: last.id }
      }
    }

    it('are returned as written, newest first, each once, with any limit', async () => {
      await stage.journal.write(batchOf([], events))
      for (const limit of [1, 3, 50, 230, 500]) assert.deepEqual(await walk({}, limit), newestFirst, `limit ${limit}`)
    })

    it('are filtered by actor, target, action and time (both ends included), alone and combined', async () => {
      for (const filter of filters) {
        const expected = newestFirst.filter((event) => isIn(event, filter))
        for (const limit of [7, 500]) assert.deepEqual(await walk(filter, limit), expected, JSON.stringify(filter))
      }
    })

    it('that are added meanwhile do not shift older pages', async () => {
      const first = await stage.directory.events({ before: null, limit: 20 })
      const late = { ...(events[0] as AuditEvent), id: crypto.randomUUID(), at: 2_000 }
      await stage.journal.write(batchOf([], [late]))
      const last = first.at(-1) as AuditEvent
      const second = await stage.directory.events({ before: { value: last.at, id: last.id }, limit: 20 })
      assert.deepEqual([...first, ...second], newestFirst.slice(0, 40))
      assert.deepEqual(await stage.directory.events({ before: null, limit: 1 }), [late])
    })
  })

  describe(`usage by day on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const days = ['2025-12-31', '2026-01-01', '2026-01-02', '2026-01-31', '2026-02-01']
    const names = ['ann', 'bob', 'idle']
    const accounts = names.map((name) => accountOf(name))
    const [ann, bob, idle] = accounts.map(({ id }) => id) as [string, string, string]
    const rows: CountRow[] = days.flatMap((day, n) => [
      { userId: ann, day, auth: n, admin: 1, images: 10 * n },
      ...(n % 2 ? [{ userId: bob, day, auth: 1, admin: 0, images: n }] : []),
    ])
    const expected = (userId: string | null, from: string, to: string) =>
      days
        .filter((day) => day >= from && day <= to)
        .map((day) => {
          const own = rows.filter((row) => row.day === day && (userId === null || row.userId === userId))
          const sum = (key: 'auth' | 'admin' | 'images') => own.reduce((all, row) => all + row[key], 0)
          const [auth, admin, images] = [sum('auth'), sum('admin'), sum('images')]
          return { day, auth, admin, images, total: auth + admin + images }
        })
        .filter(({ total }) => total > 0)

    it('is of one user or all, between two days (both included), ordered by day', async () => {
      for (const account of accounts) await stage.insert(account)
      await stage.journal.write(batchOf(rows.toReversed()))
      for (const userId of [ann, bob, idle, null]) {
        for (const from of [...days, '2000-01-01', '2026-01-15']) {
          for (const to of [...days, '2999-12-31', '2026-01-15']) {
            const found = await stage.directory.usage({ userId, from, to })
            assert.deepEqual(found, expected(userId, from, to), `${userId} ${from} ${to}`)
          }
        }
      }
    })

    it('is empty for an unknown or hostile id', async () => {
      for (const userId of [crypto.randomUUID(), '%', "' OR ''='", 'x'.repeat(10_000)]) {
        assert.deepEqual(await stage.directory.usage({ userId, from: '2000-01-01', to: '2999-12-31' }), [])
      }
    })
  })
}
