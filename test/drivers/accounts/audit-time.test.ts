import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { PendingEvent } from '../../../src/accounts/audit.ts'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { createUserStore } from '../../../src/drivers/accounts/user-store.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { createIds } from '../../../src/lib/ids.ts'
import { created } from '../../support/account-editor.ts'
import { fakeClock } from '../../support/clock.ts'
import { type Store, stores } from '../../support/stores.ts'
import { accountOf, dayMs, hourMs } from './stage.ts'

const postgres = stores.find(({ name }) => name === 'PostgreSQL') as Store
const never = new AbortController().signal

describe('The audit of several instances', { skip: postgres.skip }, () => {
  let place: Awaited<ReturnType<Store['make']>>
  const databases: Database[] = []
  before(async () => {
    place = await postgres.make()
    databases.push(await place.open(), await place.open(), await place.open())
  })

  /** An instance whose machine's clock is off by this much. */
  const instance = (number: number, offMs: number) => {
    const clock: Clock = { now: () => Date.now() + offMs, monotonic: () => performance.now() + number * hourMs }
    const deps = { clock, newId: createIds(clock) }
    const database = databases[number] as Database
    return {
      ...deps,
      users: createUserStore(database, deps),
      journal: createJournalStore(database, deps),
      directory: createDirectory(database, deps),
    }
  }
  type Instance = ReturnType<typeof instance>
  const serverNow = async () => {
    const [database] = databases as [Database]
    const { rows } = await sql<{ us: number }>`SELECT ${database.now(fakeClock())} AS us`.execute(database.kysely)
    return (rows[0]?.us ?? 0) / 1000
  }
  const tried = ({ newId, clock }: Instance, actor: string, agoMs = 0, action = 'login'): PendingEvent => ({
    id: newId(),
    happenedAt: clock.monotonic() - agoMs,
    action,
    outcome: 'refused: No',
    actor,
    count: 1,
    target: null,
    address: null,
    requestId: null,
    before: null,
    after: null,
  })
  const write = (by: Instance, ...events: PendingEvent[]) => by.journal.write({ id: by.newId(), counts: [], events })

  it('is ordered by the clock of the database, however wrong those of the instances are', async () => {
    const instances = [instance(0, hourMs), instance(1, -hourMs), instance(2, 0)]
    const account = accountOf('shared')
    const from = await serverNow()
    await instances[0]?.users.insert(account, created)
    const expected = [`${created.by.actor} create`]
    for (let step = 0; step < 30; step++) {
      const by = instances[step % 3] as Instance
      if (step % 2 === 0) {
        await write(by, tried(by, `step ${step}`))
        expected.push(`step ${step} login`)
      } else {
        const act = {
          action: 'role',
          by: { ...created.by, actor: `step ${step}` },
          target: { id: account.id },
        } as const
        await by.users.change(act, () => ({ values: { role: step % 4 === 1 ? 'admin' : 'user' } }))
        expected.push(`step ${step} role`)
      }
    }
    const to = await serverNow()
    const { directory } = instances[1] as Instance
    const events = await directory.events({ before: null, limit: 100 })
    assert.deepEqual(
      events.map(({ actor, action }) => `${actor} ${action}`),
      expected.toReversed(),
    )
    for (const { at } of events) assert.ok(at >= Math.floor(from) && at <= to, `${from} ${at} ${to}`)
    // Page by page the same, and by time the same.
    const paged = []
    for (let last = null; ; ) {
      const [event] = await directory.events({ before: last, limit: 1 })
      if (!event) break
      paged.push(event)
      last = { value: event.at, id: event.id }
    }
    assert.deepEqual(paged, events)
    assert.deepEqual(
      await directory.events({ from: Math.floor(from), to: Math.ceil(to), before: null, limit: 100 }),
      events,
    )
  })

  it('dates events that are written late to when they happened', async () => {
    const [early, late] = [instance(0, -hourMs), instance(1, hourMs)]
    const now = await serverNow()
    const ago = (by: Instance, actor: string, ms: number) => tried(by, actor, ms, 'logout')
    await write(early, ago(early, 'now', 0))
    await write(
      late,
      ago(late, 'a second ago', 1_000),
      ago(late, 'two seconds ago', 2_000),
      ago(late, 'a bit ago', 999.5),
    )
    const found = await late.directory.events({ action: 'logout', before: null, limit: 9 })
    const events = found.map(({ actor, at }) => [actor, at] as const)
    assert.deepEqual(
      events.map(([actor]) => actor),
      ['now', 'a bit ago', 'a second ago', 'two seconds ago'],
    )
    const took = (await serverNow()) - now
    const secondAgo = events[2]?.[1] ?? 0
    assert.ok(secondAgo >= now - 1_001 && secondAgo <= now - 999 + took, `${secondAgo - now}`)
  })

  it('drops old events by the clock of the database, even if an instance is a year ahead', async () => {
    const [ahead, behind] = [instance(0, 365 * dayMs), instance(1, -365 * dayMs)]
    const before = await ahead.directory.events({ before: null, limit: 100 })
    assert.ok(before.length > 10)
    await write(ahead, tried(ahead, 'old', 11 * dayMs))
    for (const { journal } of [behind, ahead])
      await journal.forget({ day: '2000-01-01', eventAgeMs: 10 * dayMs, now: Number.POSITIVE_INFINITY }, never)
    assert.deepEqual(await ahead.directory.events({ before: null, limit: 100 }), before)
  })
})
