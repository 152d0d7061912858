import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CountRow } from '../../accounts/counts.ts'
import type { JournalStore } from '../../accounts/journal.ts'
import { dayMs, dayOf } from '../../lib/timestamps.ts'
import { insertEvents, withTargets } from './audit-rows.ts'
import { allUsers, type Database, integer, type StoreDeps, type Tables, text } from './database.ts'
import { addKeyUses, addLastUses } from './grant-uses.ts'
import { saveWalks } from './walks.ts'

/** Rows per statement: few, so that other requests do not wait long behind it. */
const atOnce = 100

/** A walk that nobody continues is deleted after this time. */
const keepWalksMs = 90 * dayMs

/** Writes counters, positions and events that no response waits for, together. */
export function createJournalStore(database: Database, { clock, newId }: StoreDeps): JournalStore {
  const { kysely, rowsOf, holdRows } = database

  /** Each row is of a different user. Returns the ids of the users who still exist. */
  const addToUsers = async (trx: Kysely<Tables>, rows: readonly CountRow[], now: number) => {
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

  const addToDays = async (trx: Kysely<Tables>, rows: readonly CountRow[]) => {
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

  /** Locks the users in a fixed order, so that two instances cannot deadlock. */
  const hold = async (trx: Kysely<Tables>, rows: readonly { readonly userId: string }[], held: RawBuilder<unknown>) => {
    const ids = JSON.stringify([...new Set(rows.map(({ userId }) => userId))].map((id) => [id]))
    const isCounted = sql<boolean>`id IN (SELECT ${text(0)} FROM ${rowsOf(ids)})`
    await trx.selectFrom('users').select('id').where(isCounted).orderBy('id').modifyEnd(held).execute()
  }

  return {
    write: ({ id, counts, events, keyUses = [], linkUses = [], sessionUses = [], walks = [] }) =>
      database.transaction(async (trx) => {
        const now = clock.now()
        const batch = trx.insertInto('batches').values({ id, at: sql`${database.now(clock)} / 1000` })
        const askedAt = clock.monotonic()
        const isNew = await batch
          .onConflict((on) => on.doNothing())
          .returning(database.now(clock).as('us'))
          .executeTakeFirst()
        if (!isNew) return
        const reading = { ...isNew, askedAt }
        if (holdRows && counts.length + walks.length > 0) await hold(trx, [...counts, ...walks], holdRows)
        const days = Map.groupBy(counts, ({ day }) => day)
        // Also in a fixed order: all instances add to the row that sums up a day.
        for (const day of [...days.keys()].sort()) {
          const rows = days.get(day) ?? []
          for (const part of parts(rows)) {
            const known = await addToUsers(trx, part, now)
            await addToDays(
              trx,
              part.filter(({ userId }) => known.has(userId)),
            )
            await nextTurn()
          }
          // The requests of deleted users count in the sums.
          await addToDays(trx, [sumOf(rows)])
        }
        for (const part of parts(keyUses)) await addKeyUses(trx, database, part)
        for (const part of parts(linkUses)) await addLastUses(trx, database, 'embed_links', part)
        for (const part of parts(sessionUses)) await addLastUses(trx, database, 'sessions', part)
        for (const part of parts(walks)) {
          await saveWalks(trx, database, part, dayOf(now))
          await nextTurn()
        }
        for (const part of parts(await withTargets(trx, database, events))) {
          await insertEvents(trx, database, reading, part)
          await nextTurn()
        }
      }),

    copy: (events) =>
      database.transaction(async (trx) => {
        const askedAt = clock.monotonic()
        const { us } = await trx.selectNoFrom(database.now(clock).as('us')).executeTakeFirstOrThrow()
        for (const part of parts(events)) await insertEvents(trx, database, { us, askedAt }, part)
      }),

    async forget({ day, eventAgeMs, now }, signal) {
      const { nowUs } = await kysely.selectNoFrom(database.now(clock).as('nowUs')).executeTakeFirstOrThrow()
      const nowMs = Math.floor(Math.min(nowUs / 1000, now))
      const usage = sql`DELETE FROM usage WHERE (user_id, day) IN
        (SELECT user_id, day FROM usage WHERE day < ${day} AND user_id <> ${allUsers} LIMIT ${atOnce})`
      const events = sql`DELETE FROM audit WHERE id IN
        (SELECT id FROM audit WHERE at < ${nowMs - eventAgeMs} LIMIT ${atOnce})`
      const batches = sql`DELETE FROM batches WHERE id IN
        (SELECT id FROM batches WHERE at < ${nowMs - dayMs} LIMIT ${atOnce})`
      const walks = sql`DELETE FROM walks WHERE name IN
        (SELECT name FROM walks WHERE day < ${dayOf(nowMs - keepWalksMs)} LIMIT ${atOnce})`
      const sessions = sql`DELETE FROM sessions WHERE id IN
        (SELECT id FROM sessions WHERE expires_at < ${nowMs} LIMIT ${atOnce})`
      const deleted = new Map<typeof usage, number>()
      for (const some of [usage, events, batches, walks, sessions])
        for (let rows = atOnce; rows === atOnce && !signal.aborted; await nextTurn()) {
          rows = Number((await some.execute(kysely)).numAffectedRows ?? 0)
          deleted.set(some, (deleted.get(some) ?? 0) + rows)
        }
      return { events: deleted.get(events) ?? 0, usageDays: deleted.get(usage) ?? 0 }
    },
    async newestEventAt() {
      const newest = await kysely.selectFrom('audit').select('at').orderBy('at', 'desc').limit(1).executeTakeFirst()
      return newest?.at ?? null
    },
  }
}

function* parts<T>(rows: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < rows.length; from += atOnce) yield rows.slice(from, from + atOnce)
}

/** The sum over all users on that day. */
function sumOf(rows: readonly CountRow[]): CountRow {
  const sum = { auth: 0, admin: 0, images: 0 }
  for (const { auth, admin, images } of rows) {
    sum.auth += auth
    sum.admin += admin
    sum.images += images
  }
  return { userId: allUsers, day: rows[0]?.day ?? '', ...sum }
}
