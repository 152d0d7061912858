import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createWalks } from '../../../src/drivers/accounts/walks.ts'
import type { SavedWalk } from '../../../src/images/positions.ts'
import { stores } from '../../support/stores.ts'
import { accountOf, batchOf, dayMs, newId, portsOf, withDatabase } from './stage.ts'

for (const store of stores) {
  describe(`positions of walks on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const write = (walks: SavedWalk[], { journal } = stage) => journal.write({ ...batchOf([], [], stage.clock), walks })
    const find = async (name: string) => {
      const found = await createWalks(stage.database).find(name)
      return found && [found.round, found.place]
    }
    const user = async (name: string) => (await stage.insert(accountOf(name))).id
    const walkOf = (userId: string, round: number, place: number): SavedWalk => ({
      userId,
      linkId: null,
      name: `${userId} fox`,
      round,
      place,
    })

    it('only grow, whichever instance is later, and are exact to the last bit', async () => {
      const id = await user('walker')
      const name = `${id} fox`
      const last = Number.MAX_SAFE_INTEGER
      for (const [round, place, ...expected] of [
        [0, 7, 0, 7],
        [0, 6, 0, 7],
        [1, -1, 1, -1],
        [0, last, 1, -1],
        [1, last - 1, 1, last - 1],
        [1, last, 1, last],
        [2 ** 40, 0, 2 ** 40, 0],
        [3, last, 2 ** 40, 0],
      ] as const) {
        await write([walkOf(id, round, place)])
        assert.deepEqual(await find(name), expected)
      }
      assert.equal(await find(`${id} bird`), null)
    })

    it('of 300 walkers are written together, from two instances at once, without those of users and links that are gone', async () => {
      const id = await user('many')
      const own = Array.from({ length: 300 }, (_, index) => ({ ...walkOf(id, index, 5), name: `${id} ${index}` }))
      const [ghost, orphan] = [walkOf(newId(), 1, 1), { ...walkOf(id, 1, 1), linkId: newId(), name: 'orphan fox' }]
      const other = portsOf(stage.database, { clock: stage.clock, newId })
      await Promise.all([
        write([...own, ghost, orphan]),
        write([...own.toReversed().map((each) => ({ ...each, place: 6 })), ghost], { ...stage, ...other }),
      ])
      for (const { name, round } of own) assert.deepEqual(await find(name), [round, 6])
      for (const { name } of [ghost, orphan]) assert.equal(await find(name), null)
    })

    it('of one user are at most the 1,000 used last, whatever others have', async () => {
      const [greedy, modest] = [await user('greedy'), await user('modest')]
      await write([walkOf(modest, 1, 1)])
      const named = (index: number) => ({ ...walkOf(greedy, 1, 1), name: `${greedy} fox ${index}` })
      await write(Array.from({ length: 1_000 }, (_, index) => named(index)))
      stage.clock.advance(dayMs)
      const later = Array.from({ length: 300 }, (_, index) => named(1_000 + index))
      await write([{ ...named(7), place: 2 }, ...later])
      const names = await stage.database.kysely
        .selectFrom('walks')
        .select('name')
        .where('user_id', '=', greedy)
        .execute()
      assert.equal(names.length, 1_000)
      assert.deepEqual(await find(named(7).name), [1, 2])
      for (const { name } of later) assert.deepEqual(await find(name), [1, 1])
      // All were saved on one day by now: at least the one of just now stays.
      for (const rest of [Array.from({ length: 700 }, (_, index) => named(1_300 + index)), [named(9_999)]]) {
        await write(rest)
        for (const { name } of rest) assert.deepEqual(await find(name), [1, 1])
      }
      assert.deepEqual(await find(`${modest} fox`), [1, 1])
    })

    it('are forgotten after 90 days without a step', async () => {
      const [rested, going] = [await user('rested'), await user('going')]
      await write([walkOf(rested, 1, 1), walkOf(going, 1, 1)])
      stage.clock.advance(60 * dayMs)
      await write([walkOf(going, 1, 2)])
      const forget = () =>
        stage.journal.forget(
          { day: '2000-01-01', eventAgeMs: 1_000 * dayMs, now: stage.clock.now() },
          new AbortController().signal,
        )
      await forget()
      assert.deepEqual(await find(`${rested} fox`), [1, 1])
      stage.clock.advance(31 * dayMs)
      await forget()
      assert.deepEqual([await find(`${rested} fox`), await find(`${going} fox`)], [null, [1, 2]])
    })
  })
}
