import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import {
  type ListedUser,
  type Order,
  type PagePosition,
  sortKeys,
  type UserFilter,
  type UserPage,
} from '../../../src/accounts/directory.ts'
import { roles } from '../../../src/accounts/roles.ts'
import type { Account } from '../../../src/accounts/users.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { created } from '../../support/account-editor.ts'
import { fakeClock } from '../../support/clock.ts'
import { seedOr } from '../../support/seed.ts'
import { stores } from '../../support/stores.ts'
import { accountOf, batchOf, hourMs, type Ports, portsOf, withDatabase } from './stage.ts'

interface Person {
  readonly account: Account
  readonly counts: readonly [auth: number, admin: number, images: number] | null
}

const seed = seedOr(20_260_601)
const now = fakeClock().now()
/** Until then, all bans with an end hold. */
const end = now + hourMs

/** Names of few letters in both cases, few times and few sums, so that most sort keys are shared. */
const name = fc.string({ unit: fc.constantFrom(...'aAbBzZ09._-'), minLength: 3, maxLength: 8 })
const ban = fc.record(
  {
    reason: fc.constantFrom(null, 'why'),
    since: fc.integer({ min: now - 9, max: now }),
    until: fc.constantFrom(null, end, end + 1),
    by: fc.constantFrom(null, 'cli'),
  },
  { noNullPrototype: true },
)
const person: fc.Arbitrary<Person> = fc
  .record({
    // Not in the order of insertion.
    id: fc.uuid(),
    username: name,
    role: fc.constantFrom(...roles),
    ban: fc.oneof(fc.constant(null), ban),
    createdAt: fc.integer({ min: now - 7, max: now }),
    counts: fc.option(fc.tuple(fc.nat(2), fc.nat(1), fc.nat(1))),
  })
  .map(({ counts, username, ...more }) => ({ account: accountOf(username, { ...more, updatedAt: now }), counts }))
const people = fc.uniqueArray(person, {
  selector: ({ account }) => account.username.toLowerCase(),
  minLength: 120,
  maxLength: 120,
})
const population = fc.sample(people, { seed, numRuns: 1 })[0] as Person[]
const day = '2026-06-01'

async function settle({ users, journal }: Ports, people: readonly Person[]) {
  // One after another, so that every database draws the same ids for the same accounts.
  for (const { account } of people) assert.equal(await users.insert(account, created), true, account.username)
  const rows = people.flatMap(({ account, counts }) => {
    const [auth, admin, images] = counts ?? [0, 0, 0]
    return counts ? [{ userId: account.id, day, auth, admin, images }] : []
  })
  await journal.write(batchOf(rows))
}

const totalOf = ({ counts }: Person) => counts?.reduce((sum, count) => sum + count, 0) ?? 0
const keyOf = (person: Person, { by }: Order) =>
  by === 'createdAt'
    ? person.account.createdAt
    : by === 'total'
      ? totalOf(person)
      : person.account.username.toLowerCase()

function sortedBy(order: Order, people: readonly Person[]): Person[] {
  const compared = (left: string | number, right: string | number) => (left < right ? -1 : left > right ? 1 : 0)
  const sorted = people.toSorted(
    (left, right) => compared(keyOf(left, order), keyOf(right, order)) || compared(left.account.id, right.account.id),
  )
  return order.descending ? sorted.reverse() : sorted
}

const isBannedAt = ({ account: { ban } }: Person, ms: number) => ban !== null && (ban.until === null || ban.until > ms)

const isIn = (person: Person, { role, banned, part }: UserFilter, ms = now) =>
  (role === undefined || person.account.role === role) &&
  (banned === undefined || isBannedAt(person, ms) === banned) &&
  (part === undefined || person.account.username.toLowerCase().includes(part.toLowerCase()))

const idsOf = (people: readonly Person[]) => people.map(({ account }) => account.id)
const orders = sortKeys.flatMap((by) => [false, true].map((descending): Order => ({ by, descending })))
const byName: Order = { by: 'username', descending: false }

/** Page after page, each after the last row of the one before. */
async function walk(directory: Ports['directory'], filter: UserFilter, order: Order, limit: number) {
  const found: ListedUser[] = []
  let after: PagePosition | null = null
  for (;;) {
    const page: ListedUser[] = await directory.page({ filter, order, after, limit } satisfies UserPage)
    found.push(...page)
    const last = page.at(-1)
    if (!last || page.length < limit) return found
    const value = { createdAt: last.createdAt, username: last.username.toLowerCase(), total: last.requests?.total ?? 0 }
    after = { value: value[order.by], id: last.id }
  }
}

const filters: readonly UserFilter[] = [
  {},
  ...roles.map((role) => ({ role })),
  { banned: true },
  { banned: false },
  ...['a', 'AB', 'zZ', '.', '_', '-', '_.', '.A', '9-', '__', 'qq', '0', 'nobody'].map((part) => ({ part })),
  ...[true, false].flatMap((banned) => roles.map((role) => ({ role, banned }))),
  ...['B', '_', '9'].flatMap((part) => [
    { part, banned: true },
    { part, banned: false },
    { part, role: 'owner' as const },
    { part, role: 'user' as const, banned: false },
    { part, role: 'admin' as const, banned: true },
  ]),
]

for (const store of stores) {
  describe(`a population of 120, seed ${seed}, on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const found = async (filter: UserFilter) =>
      (await stage.directory.page({ filter, order: byName, after: null, limit: 500 })).map(({ id }) => id)

    it('is returned completely, as it was inserted', async () => {
      await settle(stage, population)
      for (const { account, counts } of population) {
        const { passwordHash, ...shown } = account
        const user = await stage.directory.find({ id: account.id })
        const { requests, ...rest } = user ?? { requests: null }
        assert.deepEqual(rest, shown)
        const expected = counts && [...counts, counts.reduce((sum, count) => sum + count, 0), now, now]
        const { auth, admin, images, total, createdAt, updatedAt } = requests ?? {}
        assert.deepEqual(requests && [auth, admin, images, total, createdAt, updatedAt], expected)
        for (const username of [account.username.toLowerCase(), account.username.toUpperCase()]) {
          assert.deepEqual(await stage.directory.find({ username }), user)
        }
      }
    })

    for (const order of orders) {
      it(`is walked by ${order.by} ${order.descending ? 'down' : 'up'} in one order, each once, whatever the limit`, async () => {
        const expected = idsOf(sortedBy(order, population))
        for (const limit of [1, 3, 50, 120, 500]) {
          const ids = (await walk(stage.directory, {}, order, limit)).map(({ id }) => id)
          assert.deepEqual(ids, expected, `limit ${limit}`)
        }
      })
    }

    it('is filtered by role, ban and part of the name, alone and together, in every order', async () => {
      for (const filter of filters) {
        const people = population.filter((person) => isIn(person, filter))
        for (const order of orders) {
          const ids = (await walk(stage.directory, filter, order, 7)).map(({ id }) => id)
          assert.deepEqual(ids, idsOf(sortedBy(order, people)), JSON.stringify({ filter, order }))
        }
      }
    })

    it('is not found by a part with a character that no name has, or by one that is too long', async () => {
      const parts = [
        ...['%', 'a%', 'a%b', '\\', '\\_', '\\%', '%%', ' ', 'a b', ' zed', '*', 'a*', '.*', '?', '[a-z]', "'", '"'],
        ...["' OR ''='"],
      ]
      const alike = [
        ...'\u0000 a\u0000 ä \u212A \u212Aim \u017Fcore ＺＥＤ 💥 \ud800'.split(' '),
        'a'.repeat(33),
        'a'.repeat(10_000),
      ]
      for (const part of [...parts, ...alike]) {
        assert.deepEqual(await found({ part }), [], JSON.stringify(part).slice(0, 20))
      }
    })

    it('is iterated in chunks by id, each account once', async () => {
      for (const limit of [1, 7, 120, 500]) {
        const ids: string[] = []
        for (let last: string | null = null; ; ) {
          const chunk: ListedUser[] = await stage.directory.chunk(last, limit)
          ids.push(...chunk.map(({ id }) => id))
          last = chunk.at(-1)?.id ?? null
          if (chunk.length < limit) break
        }
        assert.deepEqual(ids, idsOf(population).sort(), `limit ${limit}`)
      }
    })

    it('has totals that match its rows', async () => {
      const sum = (of: (person: Person) => number) => population.reduce((all, person) => all + of(person), 0)
      assert.deepEqual(await stage.directory.summary(), {
        totalUsers: 120,
        bannedUsers: sum((person) => Number(isBannedAt(person, now))),
        totalRequests: sum(totalOf),
        authRequests: sum(({ counts }) => counts?.[0] ?? 0),
        adminRequests: sum(({ counts }) => counts?.[1] ?? 0),
        imageRequests: sum(({ counts }) => counts?.[2] ?? 0),
      })
    })

    it('shows no ban from the millisecond of its end on, in lists, totals and single accounts', async () => {
      const bannedNow = async () => {
        const ms = stage.clock.now()
        const expected = idsOf(
          sortedBy(
            byName,
            population.filter((person) => isBannedAt(person, ms)),
          ),
        )
        assert.deepEqual(await found({ banned: true }), expected)
        assert.equal((await found({ banned: false })).length, 120 - expected.length)
        assert.equal((await stage.directory.summary()).bannedUsers, expected.length)
        for (const { id, banned, ban } of await stage.directory.chunk(null, 500)) {
          assert.deepEqual([banned, ban !== null], [expected.includes(id), expected.includes(id)])
        }
        return expected.length
      }
      stage.clock.advance(end - 1 - stage.clock.now())
      const counts = [await bannedNow()]
      for (let step = 0; step < 2; step++) {
        stage.clock.advance(1)
        counts.push(await bannedNow())
      }
      assert.equal(new Set(counts).size, 3, String(counts))
      assert.ok((counts.at(-1) ?? 0) > 0)
    })

    it('matches _ literally, and names in any case', async () => {
      for (const name of ['x_x-1', 'xyx-1', 'XKELVIN']) await stage.insert(accountOf(name))
      const named = async (part: string) =>
        (await stage.directory.page({ filter: { part }, order: byName, after: null, limit: 9 })).map(
          (user) => user.username,
        )
      assert.deepEqual(await named('X_X'), ['x_x-1'])
      assert.deepEqual(await named('xkel'), ['XKELVIN'])
      assert.deepEqual(await named('x\u212Aelvin'), [])
    })
  })
}

const [first, second] = stores

describe('SQLite and PostgreSQL with one population', { skip: second?.skip ?? false }, () => {
  const stages = [first, second].map((store) => withDatabase(store as (typeof stores)[number]))

  it('return the same pages, chunks, totals, days and events', async () => {
    const [left, right] = await Promise.all(
      stages.map(async ({ database }) => {
        const clock = fakeClock()
        const ports = portsOf(database, { clock, newId: createIds(clock, (bytes) => bytes.fill(7)) })
        await settle(ports, population)
        const { directory } = ports
        // One after another: on a busy machine, all at once would wait longer for a connection than a request may.
        const walks: ListedUser[][] = []
        for (const filter of filters) for (const order of orders) walks.push(await walk(directory, filter, order, 11))
        return [
          walks,
          await directory.chunk(null, 500),
          await directory.summary(),
          await directory.usage({ userId: null, from: day, to: day }),
          await directory.events({ before: null, limit: 500 }),
        ]
      }),
    )
    assert.deepEqual(left, right)
  })
})
