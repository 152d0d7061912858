import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import pg from 'pg'
import { readComponent } from '../../../src/drivers/status-state/rows.ts'
import { migrations, postgresDialect, sqliteDialect } from '../../../src/drivers/status-state/schema.ts'
import { fileName, schema } from '../../../src/drivers/status-state/sqlite.ts'
import { seedOr } from '../../support/seed.ts'
import { describeInFull, sized } from '../../support/size.ts'
import { administer } from '../../support/stores.ts'
import { seededRandom } from '../../support/uniform.ts'
import { atLeast } from '../../support/until.ts'
import {
  allIncidents,
  componentOf,
  movedTo,
  numberedIn,
  type StatePlace,
  startHolder,
  stateStages,
  unnumbered,
  untilBlocked,
} from './stage.ts'
import { stateContract } from './status-state.contract.ts'

for (const stage of stateStages) stateContract(stage)

const kills = sized(2, 4, 10)
const seed = seedOr(1)
const random = seededRandom(seed)

for (const stage of stateStages) {
  describeInFull(`a worker on ${stage.name} that is killed while it saves`, { skip: stage.skip }, () => {
    it(`loses no acknowledged save and leaves no partial one: seed ${seed}`, async () => {
      const place = await stage.make()
      let known = 0
      for (let kill = 0; kill < kills; kill++) {
        const worker = await startHolder(place, { writesFrom: known + 1 })
        let answered = known
        // At a different moment each time.
        for (const wanted = known + 1 + Math.floor(random() * 40); answered < wanted; )
          answered = Number((await worker.lines.next()).value)
        for (let turn = random() * 40; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve))
        worker.child.kill('SIGKILL')
        for await (const line of { [Symbol.asyncIterator]: () => worker.lines }) answered = Number(line)
        await worker.kill()
        const { store, close } = await place.acquire()
        const found = await numberedIn(store)
        assert.ok(found === answered || found === answered + 1, `${found} there, ${answered} answered`)
        known = found
        await close()
      }
      await place.drop()
    })
  })
}

/** Creates the first version of the schema. */
async function putFirstVersion({ dataDir, databaseUrl }: StatePlace, rows: readonly string[]): Promise<void> {
  const [first] = migrations
  assert.ok(first)
  if (databaseUrl !== null) {
    const meta = "INSERT INTO status_meta VALUES ('source', 'a source'), ('version', '1')"
    for (const sql of [...first(postgresDialect), meta, ...rows]) await administer(sql, databaseUrl)
    return
  }
  const db = new DatabaseSync(join(dataDir, fileName))
  const meta = "INSERT INTO status_meta VALUES ('source', 'a source')"
  for (const sql of [...first(sqliteDialect), meta, ...rows]) db.exec(sql)
  db.exec(`PRAGMA application_id = ${schema.applicationId}; PRAGMA user_version = 1`)
  db.close()
}

it('a component that version 0.2 has written meanwhile changed with its last heartbeat at the latest', () => {
  const written = (more: object) => readComponent({ id: 'a', state: JSON.stringify({ ...componentOf('a'), ...more }) })
  assert.equal(written({ lastHeartbeatAt: 2_000, aliveAt: 2_000 }).changedAt, 1_000)
  const { aliveAt, changedAt, upAt } = written({ lastHeartbeatAt: 2_000 })
  assert.deepEqual([aliveAt, changedAt, upAt], [2_000, 2_000, 2_000])
})

for (const stage of stateStages) {
  describe(`a state of the first version on ${stage.name}`, { skip: stage.skip }, () => {
    it('is migrated to the newest version with all its contents', async () => {
      const place = await stage.make()
      const {
        publications,
        schedule: _schedule,
        aliveAt: _,
        changedAt: __,
        upAt: ___,
        ...rest
      } = componentOf('a', { sequence: 3 })
      const [notice, monotonic] = [
        { componentId: 'a', status: 'outage', sequence: 3 },
        { notBefore: 5, repeatAt: 6 },
      ]
      const failedAt = { wall: 0, monotonic: 0 }
      const unknown = { kind: 'unknown', notice, failures: 0, failedAt, waitMs: 0, heartbeatWaitMs: 0 }
      const flat = { ...rest, page: 'p', publishedStatus: 'degraded', sequence: 3, hasFailed: true, ...monotonic }
      const first = [
        [{ ...flat, pushed: null, isInDoubt: false, isPushing: false }, { kind: 'idle' }],
        [{ ...flat, id: 'b', pushed: notice, isInDoubt: false, isPushing: true }, unknown],
        [{ ...flat, id: 'c', pushed: notice, isInDoubt: true, isPushing: false }, unknown],
      ] as const
      const components = first.map(([{ id }, push]) => ({
        ...componentOf(id),
        publications: publications.map((each) => ({ ...each, page: 'p', publishedStatus: 'degraded', push })),
      }))
      await putFirstVersion(place, [
        ...first.map(([flat]) => `INSERT INTO status_components VALUES ('${flat.id}', '${JSON.stringify(flat)}')`),
        `INSERT INTO status_incidents VALUES
          ('b', 'a', 5, 6, NULL, 'operational'), ('c', 'a', 5, 6, 7, 'operational'), ('a', 'a', 8, 9, 4, 'operational')`,
        `INSERT INTO status_transitions (component_id, at, from_status, to_status, cause)
          VALUES ('a', 9, NULL, 'operational', 'heartbeat'), ('a', 2, 'operational', 'outage', 'silence')`,
      ])
      for (let start = 0; start < 2; start++) {
        const { store, close } = await place.acquire()
        assert.deepEqual([store.source, store.retiredSequence, await store.load()], ['a source', 0, components])
        assert.deepEqual(
          (await allIncidents(store)).map(({ id, resolvedAt }) => [id, resolvedAt]),
          [
            ['a', 9],
            ['c', 7],
            ['b', null],
          ],
        )
        assert.deepEqual(unnumbered(await store.transitions('a', { limit: 9 })), [
          { ...movedTo('outage', 2, 'operational'), cause: 'silence' },
          movedTo('operational', 9),
        ])
        await close()
      }
      await place.drop()
    })

    const takesLong = async () => {
      const place = await stage.make()
      await putFirstVersion(place, [])
      const other = new pg.Client({ connectionString: place.databaseUrl ?? '' })
      await other.connect()
      await other.query('BEGIN; LOCK TABLE status_transitions')
      const answerMs = 1_000
      const acquired = place.acquire({ answerMs })
      await untilBlocked(other)
      await atLeast(1.5 * answerMs)
      await other.query('COMMIT')
      await other.end()
      const { close } = await acquired
      await close()
      await place.drop()
    }
    if (stage.name !== 'SQLite') it('may be migrated for longer than the statement timeout', takesLong)

    for (const state of ['{', '{}', 'null', '{"id":"b","lastReportedStatus":"outage","sequence":1}', '{"id":"a"}']) {
      it(`is refused with a message if a component in it is ${state}`, async () => {
        const place = await stage.make()
        await putFirstVersion(place, [`INSERT INTO status_components VALUES ('a', '${state}')`])
        const { store, close } = await place.acquire()
        const message = 'the state of the component a cannot be read; restore it from a backup'
        await assert.rejects(store.load(), { name: 'BadSetting', message })
        await close()
        await place.drop()
      })
    }
  })
}
