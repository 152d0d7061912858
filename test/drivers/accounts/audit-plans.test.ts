import assert from 'node:assert/strict'
import { it } from 'node:test'
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from 'kysely'
import type { EventPage } from '../../../src/accounts/directory.ts'
import { createDirectory } from '../../../src/drivers/accounts/directory.ts'
import { createJournalStore } from '../../../src/drivers/accounts/journal-store.ts'
import { fakeClock } from '../../support/clock.ts'
import { sized } from '../../support/size.ts'
import { stores } from '../../support/stores.ts'
import { newId } from './stage.ts'

const nobody = () => Array.from({ length: 3 }, () => newId())

for (const store of stores) {
  it(`the events of several accounts with one former name are found by index, on ${store.name}`, {
    skip: store.skip,
  }, async () => {
    const place = await store.make()
    const database = await place.open()
    const clock = fakeClock()
    const journal = createJournalStore(database, { clock, newId })
    const ids = Array.from({ length: 50 }, () => newId())
    const events = Array.from({ length: sized(5_000, 20_000) }, (_, n) => ({
      id: newId(),
      happenedAt: clock.monotonic(),
      action: 'login',
      outcome: 'success',
      count: 1,
      actor: ids[n % 50] ?? '',
      target: ids[(n * 7) % 50] ?? '',
      address: null,
      requestId: null,
      before: null,
      after: null,
    }))
    await journal.write({ id: newId(), counts: [], events })
    await sql`ANALYZE audit`.execute(database.kysely)

    const asked: RootOperationNode[] = []
    const listening: KyselyPlugin = {
      transformQuery({ node }) {
        asked.push(node)
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const directory = createDirectory({ ...database, longReads: database.longReads.withPlugin(listening) }, { clock })
    const filters: Partial<EventPage>[] = [
      { actor: nobody() },
      { target: nobody() },
      { actor: 'one', target: nobody() },
    ]
    for (const filter of filters) assert.deepEqual(await directory.events({ ...filter, before: null, limit: 51 }), [])
    assert.ok(asked.length > 0)
    const explain = store.name === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
    for (const node of asked) {
      const query = database.kysely.getExecutor().compileQuery(node, { queryId: 'plan' })
      const { rows } = await database.kysely.executeQuery(
        CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]),
      )
      const plan = JSON.stringify(rows)
      assert.match(plan, /audit_(actor|target)/)
      assert.doesNotMatch(plan, /audit_at|Seq Scan|Sort|TEMP B-TREE/)
    }
  })
}
