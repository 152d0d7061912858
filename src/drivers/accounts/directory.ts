import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import type { Directory, PagePosition, SortKey, UserFilter } from '../../accounts/directory.ts'
import { isUsernamePart } from '../../accounts/username.ts'
import { bannedAt, canBe, isWho, listedOf } from './account-rows.ts'
import { createAuditReader } from './audit-reader.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { isBeyond } from './keyset.ts'
import { createUsageReader } from './usage-reader.ts'

const sortColumns = { createdAt: 'created_at', username: 'username_key', total: 'total' } as const satisfies Record<
  SortKey,
  string
>

/** Keyset pagination, never by offset: the last page costs as much as the first. */
export function createDirectory(database: Database, deps: Pick<StoreDeps, 'clock'>): Directory {
  const { longReads, replan, fewUsers } = database
  const { clock } = deps
  const users = () => longReads.selectFrom('users').selectAll()

  return {
    async find(who) {
      if (!canBe(who)) return null
      const row = await users().where(isWho(who)).executeTakeFirst()
      return row ? listedOf(row, clock.now()) : null
    },

    async page({ filter, order, after, limit }) {
      const column = sortColumns[order.by]
      const direction = order.descending ? 'desc' : 'asc'
      const few = await fewUsers(filter)
      // A plus keeps SQLite from reading all users in this order.
      const by = (name: string) => (few === null ? sql.ref(name) : sql`+${sql.ref(name)}`)
      // Names are unique; other columns need a tie-breaker.
      const columnsOfOrder = order.by === 'username' ? [by(column)] : [by(column), by('id')]
      const sorted = <Q extends SelectQueryBuilder<Tables, 'users', object>>(query: Q) =>
        columnsOfOrder.reduce((found, name) => found.orderBy(name, direction) as Q, query)
      // Finds the ids in the index alone, then reads only those rows.
      const found = sorted(
        matching(database, filter, clock.now())
          .$if(few !== null, (query) => query.where(few as RawBuilder<boolean>))
          .$if(after !== null, (query) => query.where(isBeyond(by, column, after as PagePosition, order.descending)))
          .limit(limit),
      )
      const rows = await sorted(users().where('id', 'in', found))
        .modifyEnd(replan)
        .execute()
      return rows.map((row) => listedOf(row, clock.now()))
    },

    async chunk(afterId, limit) {
      const rows = await users()
        .$if(afterId !== null, (found) => found.where('id', '>', afterId ?? ''))
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => listedOf(row, clock.now()))
    },

    ...createUsageReader(database, deps),
    ...createAuditReader(database),
  }
}

function matching({ longReads, hasPart }: Database, { ids, role, banned, part }: UserFilter, now: number) {
  const isBanned = bannedAt(now)
  return longReads
    .selectFrom('users')
    .select('id')
    .$if(ids !== undefined, (found) => found.where('id', 'in', ids ?? []))
    .$if(role !== undefined, (found) => found.where('role', '=', role ?? ''))
    .$if(banned === true, (found) => found.where(sql<boolean>`banned = 1`).where(isBanned))
    .$if(banned === false, (found) => found.where(sql<boolean>`NOT ${isBanned}`))
    .$if(part !== undefined, (found) =>
      // If no name can contain the part, no name is examined.
      found.where(isUsernamePart(part ?? '') ? hasPart((part ?? '').toLowerCase()) : sql<boolean>`false`),
    )
}
