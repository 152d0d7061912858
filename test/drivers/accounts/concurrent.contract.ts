import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { cliOrigin } from '../../../src/accounts/audit.ts'
import type { Database } from '../../../src/drivers/accounts/database.ts'
import type { Store } from '../../support/stores.ts'
import { until } from '../../support/until.ts'
import { accountOf, newId, portsOf, withDatabase } from './stage.ts'

/** What concurrent acts on accounts promise; run for each database. */
export function concurrentContract(store: Store): void {
  describe(`concurrent acts on ${store.name}`, { skip: store.skip }, () => {
    const stage = withDatabase(store)
    const { insert } = stage
    // SQLite gives every act the whole database.
    const isEmbedded = store.name === 'SQLite'

    /** Two processes. */
    const withOther = async (run: (other: ReturnType<typeof portsOf>) => Promise<void>) => {
      const database = await stage.place.open()
      try {
        await run(portsOf(database, { clock: stage.clock, newId }))
      } finally {
        await database.close()
      }
    }

    it('of two processes on one account are serialized: none is lost', () =>
      withOther(async (other) => {
        const { id } = await insert(accountOf('appended', { tokenHash: '' }))
        const append = (n: number) =>
          [stage, other][n % 2]?.users.change({ action: 'login', by: cliOrigin, target: { id } }, ({ target }) => ({
            values: { tokenHash: `${target?.tokenHash}${String.fromCharCode(97 + n)}` },
          }))
        const outcomes = await Promise.all(Array.from({ length: 20 }, (_, n) => append(n)))
        const { tokenHash } = (await stage.users.find({ id })) ?? {}
        assert.equal([...(tokenHash ?? '')].sort().join(''), 'abcdefghijklmnopqrst')
        const states = outcomes.map((outcome) => outcome?.account?.tokenHash ?? '').sort((a, b) => a.length - b.length)
        assert.deepEqual(
          states,
          states.map((_, n) => tokenHash?.slice(0, n + 1)),
        )
        assert.equal((await stage.eventsOf(id)).length, 20)
      }))

    it('never give two accounts the same name', () =>
      withOther(async (other) => {
        const rivals = await Promise.all(Array.from({ length: 10 }, (_, n) => insert(accountOf(`rival${n}`))))
        const outcomes = await Promise.all(
          rivals.map(({ id }, n) =>
            [stage, other][n % 2]?.users.change({ action: 'rename', by: cliOrigin, target: { id } }, () => ({
              values: { username: n % 3 === 0 ? 'Wanted' : 'wanted' },
            })),
          ),
        )
        assert.deepEqual(outcomes.filter((outcome) => outcome?.changed).length, 1)
        assert.equal(outcomes.filter((outcome) => outcome?.isNameTaken).length, 9)
      }))

    it('of two accounts on each other all finish without a deadlock', async () => {
      const [one, two] = [await insert(accountOf('mutual.1')), await insert(accountOf('mutual.2'))]
      const remaining = isEmbedded ? 0 : await connections(stage.database)
      const databases = await Promise.all([stage.place.open(), stage.place.open()])
      const both = databases.map((database) => portsOf(database, { clock: stage.clock, newId }))
      const outcomes = await Promise.all(
        Array.from({ length: 60 }, (_, n) => {
          const [actor, target] = n % 2 ? [one, two] : [two, one]
          const who = n % 3 ? { id: target.id } : { username: target.username }
          const act = { action: 'role', by: { ...cliOrigin, actor: actor.id }, target: who } as const
          return both[(n >> 1) % 2]?.users.change(act, (parties) => {
            assert.deepEqual([parties.actor?.id, parties.target?.id], [actor.id, target.id])
            return { values: { role: n % 2 ? 'support' : 'moderator' } }
          })
        }),
      )
      assert.ok(outcomes.every((outcome) => outcome?.changed))
      assert.equal((await stage.eventsOf(one.id)).length + (await stage.eventsOf(two.id)).length, 60)
      await Promise.all(databases.map((database) => database.close()))
      if (!isEmbedded) assert.equal(await deadlocksIn(stage.database, remaining), 0)
    })

    if (!isEmbedded)
      it('lock the actor: changes of the actor wait until they finish', () =>
        withOther(async (other) => {
          const [actor, target] = [await insert(accountOf('held.actor')), await insert(accountOf('held.target'))]
          const seen: string[] = []
          const promote = () =>
            stage.users.change(
              { action: 'role', by: { ...cliOrigin, actor: actor.id }, target: { id: target.id } },
              () => ({ values: { role: 'moderator' } }),
            )
          const demote = () =>
            other.users.change({ action: 'role', by: cliOrigin, target: { id: actor.id } }, () => {
              seen.push('judged')
              return { values: { role: 'support' } }
            })
          let acts: Promise<unknown> = Promise.resolve()
          await stage.database.transaction(async (trx) => {
            // The first act blocks at its event, after its checks.
            await sql`LOCK TABLE audit IN EXCLUSIVE MODE`.execute(trx)
            const first = promote()
            await untilWaiting(stage.database, 1)
            acts = Promise.all([first, demote()])
            await untilWaiting(stage.database, 2)
            assert.deepEqual(seen, [])
          })
          await acts
          assert.equal((await stage.users.find({ id: actor.id }))?.role, 'support')
          assert.equal((await stage.users.find({ id: target.id }))?.role, 'moderator')
        }))

    it('see what the previous one wrote, not what was there when they began to wait', () =>
      withOther(async (other) => {
        const [actor, target] = [await insert(accountOf('late.actor')), await insert(accountOf('late.target'))]
        let seen: Promise<string | undefined> = Promise.resolve('')
        await stage.users.change({ action: 'ban', by: cliOrigin, target: { id: actor.id } }, () => {
          seen = new Promise((resolve, reject) => {
            const act = { action: 'role', by: { ...cliOrigin, actor: actor.id }, target: { id: target.id } } as const
            other.users
              .change(act, (parties) => {
                resolve(parties.actor?.role)
                return null
              })
              .catch(reject)
          })
          return { values: { role: 'support' } }
        })
        assert.equal(await seen, 'support')
      }))
  })
}

const connections = ({ kysely }: Database) =>
  numberOf(kysely, 'SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()')

/** How many transactions the server aborted to resolve a deadlock; known once their connections have closed. */
async function deadlocksIn(database: Database, remaining: number): Promise<number> {
  await until(async () => (await connections(database)) <= remaining)
  return numberOf(database.kysely, 'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()')
}

/** Until this many connections wait for a lock. */
const untilWaiting = ({ kysely }: Database, count: number) =>
  until(
    async () =>
      count ===
      (await numberOf(
        kysely,
        `SELECT count(*) AS n FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )),
  )

async function numberOf(kysely: Database['kysely'], text: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`${sql.raw(text)}`.execute(kysely)
  return rows[0]?.n ?? -1
}
