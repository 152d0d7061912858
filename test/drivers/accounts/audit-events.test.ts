import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PendingEvent } from '../../../src/accounts/audit.ts'
import type { Who } from '../../../src/accounts/users.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import type { Clock } from '../../../src/lib/clock.ts'
import { stores } from '../../support/stores.ts'
import { accountOf, newId, withDatabase } from './stage.ts'

const pendingEvent = (clock: Clock, more: Partial<PendingEvent>): PendingEvent => ({
  id: newId(),
  happenedAt: clock.monotonic(),
  action: 'role',
  outcome: 'refused: No',
  actor: 'admin',
  target: null,
  address: '::1',
  requestId: null,
  count: 1,
  before: null,
  after: null,
  ...more,
})

for (const store of stores) {
  describe(`attempts that were answered before anybody was looked up, on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const about = (named: Who | null, more: Partial<PendingEvent> = {}) => pendingEvent(stage.clock, { named, ...more })
    const written = async (actor: string, events: readonly PendingEvent[]) => {
      const batch = { id: newId(), counts: [], events: events.map((event) => ({ ...event, actor })) }
      await stage.journal.write(batch)
      const found = await stage.directory.events({ actor, before: null, limit: 1_000 })
      return found.toReversed().map(({ target, outcome, count }) => [target, outcome, count])
    }

    it('get their targets and are merged, by id and by name alike', async () => {
      const ann = await stage.insert(accountOf('Ann'))
      const bob = await stage.insert(accountOf('bob'))
      const events = [
        about({ id: ann.id }),
        about({ username: 'aNN' }, { count: 3 }),
        about({ username: 'bob' }),
        about({ username: 'ANN' }, { outcome: 'refused: Never' }),
        about(null, { target: bob.id, outcome: 'failed: No' }),
      ]
      assert.deepEqual(await written('by-both', events), [
        [ann.id, 'refused: No', 4],
        [bob.id, 'refused: No', 1],
        [ann.id, 'refused: Never', 1],
        [bob.id, 'failed: No', 1],
      ])
    })

    it('are one event if they name no account, and do not store that name', async () => {
      await stage.insert(accountOf('cem'))
      const strange = ['x', 'a\0', '\ud800', 'my password', 'somebody']
      const events = strange.flatMap((text) => [about({ id: text }), about({ username: text })])
      // A name is not an id.
      const named = [about({ username: 'cem' }, { outcome: 'refused: Other' }), about({ id: 'cem' })]
      const told = await written('by-nobody', [...events, ...named])
      assert.deepEqual(
        told.map(([target, outcome, count]) => [target !== null, outcome, count]),
        [
          [false, 'refused: No', 11],
          [true, 'refused: Other', 1],
        ],
      )
    })

    it('are resolved for thousands of accounts as for one', async () => {
      const dora = await stage.insert(accountOf('dora'))
      const names = Array.from({ length: 5_000 }, (_, n) => about({ username: `nobody-${n}` }))
      const told = await written('by-many', [...names, about({ username: 'dora' })])
      assert.deepEqual(told, [
        [null, 'refused: No', 5_000],
        [dora.id, 'refused: No', 1],
      ])
    })
  })

  describe(`a batch of events that takes long to write, on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)

    it('keeps its order and the times between events', async () => {
      const { clock } = stage
      const database = await stage.place.open()
      const rowsOf: typeof database.rowsOf = (json) => {
        clock.advance(1_000)
        return database.rowsOf(json)
      }
      const journal = createJournalStore({ ...database, rowsOf }, { clock, newId })
      const events = Array.from({ length: 1_000 }, (_, n) => {
        clock.advance(1)
        const named = n % 10 === 0 ? { username: `nobody-${n}` } : null
        return pendingEvent(clock, { outcome: `refused: ${n}`, named })
      })
      const counts = [{ userId: newId(), day: '2026-01-01', auth: 1, admin: 1, images: 1 }]
      await journal.write({ id: newId(), counts, events })
      const found = (await stage.directory.events({ before: null, limit: 2_000 })).toReversed()
      assert.deepEqual(
        found.map(({ outcome, at }) => [outcome, at - (found[0]?.at ?? 0)]),
        events.map(({ outcome }, n) => [outcome, n]),
      )
    })
  })
}
