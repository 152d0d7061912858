import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CountRow } from '../../accounts/counts.ts'
import type { Batch, JournalStore } from '../../accounts/journal.ts'
import { batches } from '../../lib/batches.ts'
import { dayMs, dayOf } from '../../lib/timestamps.ts'
import { insertEvents, withTargets } from './audit-rows.ts'
import { allUsers, type Database, integer, type StoreDeps, type Tables, text } from './database.ts'
import { addKeyUses, addLastUses } from './grant-uses.ts'
import { lockRows } from './transactions.ts'
import { saveWalks } from './walks.ts'

/** Rows per statement: few, so that other requests do not wait long behind it. */
const atOnce = 100

/** A walk that nobody continues is deleted after this time. */
const keepWalksMs = 90 * dayMs

/** Writes counters, positions and events that no response waits for, together. */
export function createJournalStore(database: Database, deps: StoreDeps): JournalStore {
  const { kysely } = database
  const { clock } = deps
  const nowIn = async (db: Kysely<Tables>) => {
    const askedAt = clock.monotonic()
    return { ...(await db.selectNoFrom(database.now(clock).as('us')).executeTakeFirstOrThrow()), askedAt }
  }

  return {
    write: (batch) => database.transaction((trx) => write(trx, database, deps, batch)),

    copy: (events) =>
      database.transaction(async (trx) => {
        const reading = await nowIn(trx)
        for (const part of batches(events, atOnce)) await insertEvents(trx, database, reading, part)
      }),

    async forget({ day, eventAgeMs, now }, signal) {
      const { us } = await nowIn(kysely)
      const nowMs = Math.floor(Math.min(us / 1000, now))
      const usage = portionOf('usage', 'user_id, day', sql`day < ${day} AND user_id <> ${allUsers}`)
      const events = portionOf('audit', 'id', sql`at < ${nowMs - eventAgeMs}`)
      const others = [
        portionOf('batches', 'id', sql`at < ${nowMs - dayMs}`),
        portionOf('walks', 'name', sql`day < ${dayOf(nowMs - keepWalksMs)}`),
        portionOf('sessions', 'id', sql`expires_at < ${nowMs}`),
      ]
      const forgotten = {
        usageDays: await deleteAll(kysely, usage, signal),
        events: await deleteAll(kysely, events, signal),
      }
      for (const each of others) await deleteAll(kysely, each, signal)
      return forgotten
    },

    async newestEventAt() {
      const newest = await kysely.selectFrom('audit').select('at').orderBy('at', 'desc').limit(1).executeTakeFirst()
      return newest?.at ?? null
    },
  }
}

async function write(trx: Kysely<Tables>, database: Database, { clock, newId }: StoreDeps, batch: Batch) {
  const { id, counts, events, keyUses = [], linkUses = [], sessionUses = [], walks = [] } = batch
  const now = clock.now()
  const askedAt = clock.monotonic()
  const isNew = await trx
    .insertInto('batches')
    .values({ id, at: sql`${database.now(clock)} / 1000` })
    .onConflict((on) => on.doNothing())
    .returning(database.now(clock).as('us'))
    .executeTakeFirst()
  if (!isNew) return
  const reading = { ...isNew, askedAt }
  await lockRows(trx, database, 'users', new Set([...counts, ...walks].map(({ userId }) => userId)))
  await addCounts(trx, { rowsOf: database.rowsOf, newId }, counts, now)
  for (const part of batches(keyUses, atOnce)) await addKeyUses(trx, database, part)
  for (const part of batches(linkUses, atOnce)) await addLastUses(trx, database, 'embed_links', part)
  for (const part of batches(sessionUses, atOnce)) await addLastUses(trx, database, 'sessions', part)
  for (const part of batches(walks, atOnce)) {
    await saveWalks(trx, database, part, dayOf(now))
    await nextTurn()
  }
  for (const part of batches(await withTargets(trx, database, events), atOnce)) {
    await insertEvents(trx, database, reading, part)
    await nextTurn()
  }
}

type CountDeps = Pick<Database, 'rowsOf'> & Pick<StoreDeps, 'newId'>

/** Adds to the counters of users, and to those of the days. The users are locked. */
async function addCounts(trx: Kysely<Tables>, deps: CountDeps, counts: readonly CountRow[], now: number) {
  const days = Map.groupBy(counts, ({ day }) => day)
  // In a fixed order: all instances add to the row that sums up a day.
  for (const day of [...days.keys()].sort()) {
    const rows = days.get(day) ?? []
    for (const part of batches(rows, atOnce)) {
      const known = await addToUsers(trx, deps, part, now)
      await addToDays(
        trx,
        deps,
        part.filter(({ userId }) => known.has(userId)),
      )
      await nextTurn()
    }
    // The requests of deleted users count in the sums.
    await addToDays(trx, deps, [sumOf(day, rows)])
  }
}

/** Each row is of a different user. Returns the ids of the users who still exist. */
async function addToUsers(trx: Kysely<Tables>, { rowsOf, newId }: CountDeps, rows: readonly CountRow[], now: number) {
  const list = rows.map(({ userId, auth, admin, images }) => [userId, auth, admin, images, newId()])
  const counted = sql`(SELECT ${text(0)} AS id, ${integer(1)} AS auth, ${integer(2)} AS admin,
    ${integer(3)} AS images, ${text(4)} AS record FROM ${rowsOf(JSON.stringify(list))}) AS counted`
  const updated = await sql<{ id: string }>`UPDATE users SET
    auth = users.auth + counted.auth,
    admin = users.admin + counted.admin,
    images = users.images + counted.images,
    requests_id = coalesce(users.requests_id, counted.record),
    requests_created_at = coalesce(users.requests_created_at, ${now}),
    requests_updated_at = CASE WHEN users.requests_created_at > ${now} THEN users.requests_created_at ELSE ${now} END
    FROM ${counted} WHERE users.id = counted.id RETURNING users.id`.execute(trx)
  return new Set(updated.rows.map(({ id }) => id))
}

async function addToDays(trx: Kysely<Tables>, { rowsOf }: CountDeps, rows: readonly CountRow[]): Promise<void> {
  if (rows.length === 0) return
  const list = rows.map(({ userId, day, auth, admin, images }) => [userId, day, auth, admin, images])
  await sql`INSERT INTO usage (user_id, day, auth, admin, images)
    SELECT ${text(0)}, ${text(1)}, ${integer(2)}, ${integer(3)}, ${integer(4)}
    FROM ${rowsOf(JSON.stringify(list))} WHERE true
    ON CONFLICT (user_id, day) DO UPDATE SET
      auth = usage.auth + excluded.auth,
      admin = usage.admin + excluded.admin,
      images = usage.images + excluded.images`.execute(trx)
}

/** The sum over all users on that day. */
function sumOf(day: string, rows: readonly CountRow[]): CountRow {
  const sum = (counter: 'auth' | 'admin' | 'images') => rows.reduce((all, row) => all + row[counter], 0)
  return { userId: allUsers, day, auth: sum('auth'), admin: sum('admin'), images: sum('images') }
}

/** Deletes some of the rows that are over. */
function portionOf(table: keyof Tables, key: string, isOver: RawBuilder<unknown>): RawBuilder<unknown> {
  const [from, columns] = [sql.table(table), sql.raw(key)]
  return sql`DELETE FROM ${from} WHERE (${columns}) IN
    (SELECT ${columns} FROM ${from} WHERE ${isOver} LIMIT ${atOnce})`
}

/** Returns how many. */
async function deleteAll(kysely: Kysely<Tables>, portion: RawBuilder<unknown>, signal: AbortSignal): Promise<number> {
  let all = 0
  for (let rows = atOnce; rows === atOnce && !signal.aborted; await nextTurn()) {
    rows = Number((await portion.execute(kysely)).numAffectedRows ?? 0)
    all += rows
  }
  return all
}
