import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { PendingEvent } from '../../../src/accounts/audit.ts'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { fakeClock } from '../../support/clock.ts'
import { stores } from '../../support/stores.ts'
import { newId } from './stage.ts'

for (const store of stores) {
  describe(`a batch of events that takes long to write, on ${store.name}`, { skip: store.skip }, () => {
    let place: Awaited<ReturnType<typeof store.make>>
    let database: Database
    before(async () => {
      place = await store.make()
      database = await place.open()
    })

    it('keeps its order and the times between events', async () => {
      const clock = fakeClock()
      const slow: Database = {
        ...database,
        rowsOf(json) {
          clock.advance(1_000)
          return database.rowsOf(json)
        },
      }
      const journal = createJournalStore(slow, { clock, newId })
      const events = Array.from({ length: 1_000 }, (_, n): PendingEvent => {
        clock.advance(1)
        return {
          ...{ id: newId(), happenedAt: clock.monotonic(), action: 'ban', outcome: `refused: ${n}`, actor: 'ann' },
          ...{ target: null, address: null, requestId: null, count: 1, before: null, after: null },
          ...(n % 10 === 0 && { named: { username: `nobody-${n}` } }),
        }
      })
      const counts = [{ userId: newId(), day: '2026-01-01', auth: 1, admin: 1, images: 1 }]
      await journal.write({ id: newId(), counts, events })
      const found = (await createDirectory(database, { clock }).events({ before: null, limit: 2_000 })).toReversed()
      assert.deepEqual(
        found.map(({ outcome }) => outcome),
        events.map(({ outcome }) => outcome),
      )
      const [first] = found
      assert.deepEqual(
        found.map(({ at }) => at - (first?.at ?? 0)),
        events.map((_, n) => n),
      )
    })
  })
}
