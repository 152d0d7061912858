import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { sortKeys } from '../../../src/accounts/directory.ts'
import { roles } from '../../../src/accounts/roles.ts'
import type { Account, Parties } from '../../../src/accounts/users.ts'
import { type Database, withServiceClock } from '../../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { createUserStore } from '../../../src/drivers/accounts/user-store.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { created } from '../../support/account-editor.ts'
import { fakeClock } from '../../support/clock.ts'
import { assertProperty } from '../../support/seed.ts'
import { stores } from '../../support/stores.ts'
import { accountOf } from '../accounts/stage.ts'

const names = ['ann', 'Ann', 'ANN', 'bo.b', 'Bo.b', 'c-a', 'c_a', 'c.a', '__proto__', 'Zed', 'zed-1', '0ne']
const accounts = names.map((name) => accountOf(name))

/** The stores on one database, with a clock and ids that are the same for every database. */
function storesOn(real: Database) {
  const database = withServiceClock(real)
  const clock = fakeClock()
  const newId = createIds(clock, (bytes) => bytes.fill(7))
  return {
    clock,
    newId,
    users: createUserStore(database, { clock, newId }),
    journal: createJournalStore(database, { clock, newId }),
    directory: createDirectory(database, { clock }),
  }
}
type Stores = ReturnType<typeof storesOn>

const whoever = fc.nat(accounts.length - 1)
const values = fc.oneof(
  fc.record({ username: fc.constantFrom(...names, 'free.1', 'FREE.1', 'free.2') }),
  fc.record({ role: fc.constantFrom(...roles) }),
  fc.record({
    ban: fc.option(
      fc.record({
        reason: fc.option(fc.constantFrom('spam', '', 'ünd "so"\n')),
        since: fc.nat(9),
        until: fc.option(fc.nat(9).map((seconds) => fakeClock().now() + seconds * 1_000)),
        by: fc.constant('cli'),
      }),
    ),
  }),
  fc.record({ passwordHash: fc.constantFrom('p1', 'p2'), tokenHash: fc.option(fc.constant('t1')) }),
  fc.record({ rehashed: fc.constant('stronger'), tokenHash: fc.constant('t2') }),
  fc.record({ tokenHash: fc.constant(null) }),
)
const counts = fc.record({ auth: fc.nat(9), admin: fc.nat(9), images: fc.nat(9) })
const day = fc.nat(4).map((n) => `2026-05-${28 + n}`)

/** One step of a history: the act, its subject and its values. */
const step = fc.oneof(
  fc.record({ insert: whoever }),
  fc.record({ change: values, on: whoever, by: whoever, isDryRun: fc.boolean(), isByName: fc.boolean() }),
  fc.record({ count: fc.array(fc.record({ who: whoever, day, counts }), { maxLength: 5 }), events: fc.nat(2) }),
  fc.record({ forget: day, eventsOlderThan: fc.nat(20) }),
  fc.record({ wait: fc.integer({ min: -2_000, max: 4_000 }) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

const accountAt = (place: number) => accounts[place] as Account

async function take({ users, journal, clock, newId }: Stores, one: Step): Promise<unknown> {
  if ('insert' in one) return users.insert(accountAt(one.insert), created)
  if ('wait' in one) return clock.advance(one.wait)
  if ('forget' in one) {
    const eventAgeMs = one.eventsOlderThan * 1_000
    return journal.forget({ day: one.forget, eventAgeMs, now: clock.now() }, new AbortController().signal)
  }
  const by = { actor: null, address: '192.0.2.1', requestId: 'r' }
  if ('count' in one) {
    const rows = new Map(one.count.map((row) => [`${row.who} ${row.day}`, row]))
    const about = { action: 'login', outcome: 'refused: no', target: null, count: 1, before: null, after: null }
    return journal.write({
      id: newId(),
      counts: [...rows.values()].map((row) => ({ userId: accountAt(row.who).id, day: row.day, ...row.counts })),
      events: Array.from({ length: one.events }, () => ({
        ...by,
        ...about,
        id: newId(),
        happenedAt: clock.monotonic(),
      })),
    })
  }
  const { id, username } = accountAt(one.on)
  const target = one.isByName ? { username } : { id }
  const act = { action: 'role', by: { ...by, actor: accountAt(one.by).id }, target, isDryRun: one.isDryRun } as const
  const parties: Parties[] = []
  const outcome = await users.change(act, (both) => {
    parties.push(both)
    return both.target && { values: one.change, before: { role: both.target.role }, after: { how: 'ünd "so"' } }
  })
  return [parties, outcome]
}

async function everything({ directory, users }: Stores) {
  const filters = [{}, { banned: true }, { banned: false, part: '.' }, { role: 'user' }, { part: 'N' }] as const
  const orders = sortKeys.flatMap((by) => [true, false].map((descending) => ({ by, descending })))
  const pages = orders.flatMap((order) =>
    filters.map((filter) => directory.page({ filter, order, after: null, limit: 5 })),
  )
  return [
    await Promise.all(pages),
    await Promise.all(accounts.map(({ username }) => users.find({ username }))),
    await Promise.all(accounts.map(({ id }) => users.findPrincipal(id))),
    await directory.chunk(null, 100),
    await directory.summary(),
    await Promise.all(
      [null, ...accounts.map(({ id }) => id)].map((userId) =>
        directory.usage({ userId, from: '2026-01-01', to: '2026-12-31' }),
      ),
    ),
    await directory.events({ before: null, limit: 10_000 }),
    await users.ownerExists(),
  ]
}

const [first, second] = stores

describe('SQLite and PostgreSQL', { skip: second?.skip ?? false }, () => {
  it('give the same results, in the same order, at every step of a random history', async () => {
    const places = await Promise.all([first, second].map((store) => store?.make()))
    const databases = await Promise.all(places.map((place) => place?.open()))
    const [left, right] = databases.map((database) => storesOn(database as Database)) as [Stores, Stores]
    const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (history) => {
      for (const one of history) assert.deepEqual(await take(left, one), await take(right, one), JSON.stringify(one))
      assert.deepEqual(await everything(left), await everything(right))
    })
    await assertProperty(property, { seed: 7, numRuns: 12 })
    await Promise.all(databases.map((database) => database?.close()))
    await Promise.all(places.map((place) => place?.drop()))
  })
})
