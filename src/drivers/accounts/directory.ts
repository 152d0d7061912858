import { type SelectQueryBuilder, sql } from 'kysely'
import type { Directory, PagePosition, SortKey, UserFilter } from '../../accounts/directory.ts'
import { type Role, roles } from '../../accounts/roles.ts'
import { isUsername, isUsernamePart } from '../../accounts/username.ts'
import { bannedAt, canBe, isWho, listedOf, principalColumns } from './account-rows.ts'
import { eventOf } from './audit-rows.ts'
import { type AuditTable, type Database, everybody, type StoreDeps, type Tables } from './database.ts'

const columns = [
  ...principalColumns,
  'ban_reason',
  'banned_at',
  'banned_by',
  'created_at',
  'updated_at',
  'requests_id',
  'auth',
  'admin',
  'images',
  'total',
  'requests_created_at',
  'requests_updated_at',
] as const

const sortColumns = { createdAt: 'created_at', username: 'username_key', total: 'total' } as const satisfies Record<
  SortKey,
  string
>

/** Of so many, each is found by its name; of more, a page is found in order. */
const maxNames = 500

/** Keyset pagination, never by offset: the last page costs what the first does. */
export function createDirectory(
  { kysely, planAnew, nameIn }: Database,
  { clock }: Pick<StoreDeps, 'clock'>,
): Directory {
  const users = () => kysely.selectFrom('users').select(columns)

  /**
   * The names that contain a part too short for the trigram index, unless they are many: the index of names alone is the
   * smallest. Staff and banned users are few.
   */
  const namesWith = async ({ role = 'user', banned, part }: UserFilter): Promise<string[] | null> => {
    if (part === undefined || part.length > 2 || banned || role !== 'user') return null
    const rows = await kysely
      .selectFrom('users')
      .select('username_key')
      .where(contains(part))
      .limit(maxNames + 1)
      .modifyEnd(planAnew)
      .execute()
    return rows.length > maxNames ? null : rows.map((row) => row.username_key)
  }

  const matching = ({ role, banned, part }: UserFilter, names: string[] | null) => {
    const isBanned = bannedAt(clock.now())
    return kysely
      .selectFrom('users')
      .select('id')
      .$if(role !== undefined, (found) => found.where('role', '=', role ?? ''))
      .$if(banned === true, (found) => found.where('banned', '=', 1).where(isBanned))
      .$if(banned === false, (found) => found.where(sql<boolean>`NOT ${isBanned}`))
      .$if(part !== undefined, (found) =>
        names ? found.where('username_key', 'in', names) : found.where(contains(part ?? '')),
      )
  }

  return {
    async find(who) {
      if (!canBe(who)) return null
      const row = await users().where(isWho(who)).executeTakeFirst()
      return row ? listedOf(row, clock.now()) : null
    },

    async page({ filter, order, after, limit }) {
      const names = await namesWith(filter)
      if (names?.length === 0) return []
      const column = sortColumns[order.by]
      const direction = order.descending ? 'desc' : 'asc'
      // Names differ; the others may be the same for many.
      const columnsOfOrder = order.by === 'username' ? [column] : [column, 'id' as const]
      const sorted = <Q extends SelectQueryBuilder<Tables, 'users', object>>(query: Q) =>
        columnsOfOrder.reduce((found, name) => found.orderBy(name, direction) as Q, query)
      // Who it is is found in the index alone; only those rows are read.
      const found = sorted(
        matching(filter, names)
          .$if(after !== null, (query) => query.where(isBeyond(column, after as PagePosition, order.descending)))
          .limit(limit),
      )
      const rows = await sorted(users().where('id', 'in', found))
        .modifyEnd(planAnew)
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

    async summary() {
      const count = sql<number>`count(*)`.as('count')
      const [all, banned, requests] = await Promise.all([
        kysely.selectFrom('users').select(count).executeTakeFirstOrThrow(),
        kysely
          .selectFrom('users')
          .select(count)
          .where('banned', '=', 1)
          .where(bannedAt(clock.now()))
          .executeTakeFirstOrThrow(),
        kysely
          .selectFrom('usage')
          .select(
            ['auth', 'admin', 'images'].map((name) =>
              sql<number>`CAST(coalesce(sum(${sql.ref(name)}), 0) AS bigint)`.as(name),
            ),
          )
          .where('user_id', '=', everybody)
          .executeTakeFirstOrThrow() as Promise<{ auth: number; admin: number; images: number }>,
      ])
      const { auth, admin, images } = requests
      return {
        totalUsers: all.count,
        bannedUsers: banned.count,
        totalRequests: auth + admin + images,
        adminRequests: admin,
        authRequests: auth,
        imageRequests: images,
      }
    },

    async roles() {
      // Staff has an index of its own; of all others only the number is needed.
      const query = sql<{ role: Role; count: number }>`
        SELECT role, count(*) AS count FROM users WHERE role <> 'user' GROUP BY role UNION ALL
        SELECT 'user', (SELECT count(*) FROM users) - (SELECT count(*) FROM users WHERE role <> 'user')`
      const counts = new Map((await query.execute(kysely)).rows.map(({ role, count }) => [role, Number(count)]))
      return Object.fromEntries(roles.map((role) => [role, counts.get(role) ?? 0])) as Record<Role, number>
    },

    async usage({ userId, from, to }) {
      const rows = await kysely
        .selectFrom('usage')
        .select(['day', 'auth', 'admin', 'images', 'keys'])
        .where('user_id', '=', userId ?? everybody)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .execute()
      return rows.map(({ keys, ...row }) => ({
        ...{ ...row, total: row.auth + row.admin + row.images },
        ...(keys > 0 && { keys }),
      }))
    },

    async formerly(username) {
      if (!isUsername(username)) return []
      const having = (column: 'before' | 'after') =>
        sql`SELECT target FROM audit WHERE lower(${nameIn(column)}) = ${username.toLowerCase()} AND ${nameIn(column)} IS NOT NULL`
      const query = sql<{ target: string | null }>`${having('before')} UNION ${having('after')}`
      return (await query.execute(kysely)).rows.flatMap(({ target }) => target ?? [])
    },

    /** One actor and one target at a time: of several at once PostgreSQL may look through the whole audit instead. */
    async events({ id, actor, target, action, from, to, before, limit }) {
      const read = (actor: string | undefined, target: string | undefined) =>
        kysely
          .selectFrom('audit')
          .selectAll()
          .$if(id !== undefined, (found) => found.where('id', '=', id ?? ''))
          .$if(actor !== undefined, (found) => found.where('actor', '=', actor ?? ''))
          .$if(target !== undefined, (found) => found.where('target', '=', target ?? ''))
          .$if(action !== undefined, (found) => found.where('action', '=', action ?? ''))
          .$if(from !== undefined, (found) => found.where('at', '>=', from ?? 0))
          .$if(to !== undefined, (found) => found.where('at', '<=', to ?? 0))
          .$if(before !== null, (found) => found.where(isBeyond('at', before as PagePosition, true)))
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .execute()
      const pages = []
      for (const one of new Set([actor].flat())) {
        for (const other of new Set([target].flat())) pages.push(await read(one, other))
      }
      const [only = []] = pages
      const rows = pages.length === 1 ? only : pages.flat().sort(newestFirst).slice(0, limit)
      return rows.map(eventOf)
    },
  }
}

type Placed = Pick<AuditTable, 'at' | 'id'>
const newestFirst = (left: Placed, right: Placed) => right.at - left.at || (left.id < right.id ? 1 : -1)

function isBeyond(column: string, { value, id }: PagePosition, descending: boolean) {
  const sign = sql.raw(descending ? '<' : '>')
  const by = sql.ref(column)
  return column === 'username_key'
    ? sql<boolean>`${by} ${sign} ${value}`
    : sql<boolean>`(${by}, id) ${sign} (${value}, ${id})`
}

/** LIKE with its own signs escaped, on names in lower case; where no name can have it, no name is looked at. */
function contains(part: string) {
  if (!isUsernamePart(part)) return sql<boolean>`false`
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`username_key LIKE ${pattern} ESCAPE '\\'`
}
