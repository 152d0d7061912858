import { sql } from 'kysely'
import type { Directory } from '../../accounts/directory.ts'
import { type Role, roles } from '../../accounts/roles.ts'
import { bannedAt } from './account-rows.ts'
import { allUsers, type Database, type StoreDeps } from './database.ts'

/** Counts users and their requests. */
export function createUsageReader(
  { longReads: kysely, userCount }: Database,
  { clock }: Pick<StoreDeps, 'clock'>,
): Pick<Directory, 'summary' | 'roles' | 'usage'> {
  return {
    async summary() {
      const count = sql<number>`count(*)`.as('count')
      const [all, banned, requests] = await Promise.all([
        kysely.selectNoFrom(userCount.as('count')).executeTakeFirstOrThrow(),
        kysely
          .selectFrom('users')
          .select(count)
          .where(sql<boolean>`banned = 1`)
          .where(bannedAt(clock.now()))
          .executeTakeFirstOrThrow(),
        kysely
          .selectFrom('usage')
          .select(
            ['auth', 'admin', 'images'].map((name) =>
              sql<number>`CAST(coalesce(sum(${sql.ref(name)}), 0) AS bigint)`.as(name),
            ),
          )
          .where('user_id', '=', allUsers)
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
      // Staff have their own index; for everyone else only the number is needed.
      const query = sql<{ role: Role; count: number }>`
        SELECT role, count(*) AS count FROM users WHERE role <> 'user' GROUP BY role UNION ALL
        SELECT 'user', ${userCount} - (SELECT count(*) FROM users WHERE role <> 'user')`
      const counts = new Map((await query.execute(kysely)).rows.map(({ role, count }) => [role, Number(count)]))
      return Object.fromEntries(roles.map((role) => [role, counts.get(role) ?? 0])) as Record<Role, number>
    },

    async usage({ userId, from, to }) {
      const rows = await kysely
        .selectFrom('usage')
        .select(['day', 'auth', 'admin', 'images', 'keys'])
        .where('user_id', '=', userId ?? allUsers)
        .where('day', '>=', from)
        .where('day', '<=', to)
        .orderBy('day')
        .execute()
      return rows.map(({ keys, ...row }) => ({
        ...row,
        total: row.auth + row.admin + row.images,
        ...(keys > 0 && { keys }),
      }))
    },
  }
}
