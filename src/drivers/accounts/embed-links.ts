import { type Selectable, sql } from 'kysely'
import type { EmbedLink, EmbedLinks } from '../../accounts/embed-links.ts'
import { createLru } from '../../lib/lru.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { accountOf, isBanned, isWho, type PrincipalRow } from './account-rows.ts'
import { eventNow, insertEvents } from './audit-rows.ts'
import type { Database, EmbedLinksTable, StoreDeps } from './database.ts'
import { lockUsers } from './transactions.ts'

export function createEmbedLinks(database: Database, deps: StoreDeps): EmbedLinks {
  const { kysely } = database
  const { clock } = deps
  const detailsOf = (link: EmbedLink) => ({
    link: link.id,
    kinds: link.kinds.join(','),
    expiresAt: isoTime(link.expiresAt),
  })

  return {
    find: createReader(database, deps),

    async list(userId) {
      const query = kysely.selectFrom('embed_links').selectAll().where('user_id', '=', userId)
      const rows = await query.where('expires_at', '>', clock.now()).orderBy('id').execute()
      return rows.map(linkOf)
    },

    insert: (link, { action, by }, judge) =>
      database.transaction(async (trx) => {
        const now = clock.now()
        const { userId } = link
        const [user] = await lockUsers(database, trx, isWho({ id: userId }))
        await trx.deleteFrom('embed_links').where('user_id', '=', userId).where('expires_at', '<=', now).execute()
        const links = await trx.selectFrom('embed_links').select('id').where('user_id', '=', userId).execute()
        judge(user ? accountOf(user, now) : null, links.length)
        const query = trx.insertInto('embed_links').values(rowOf(link)).returning(database.now(clock).as('nowUs'))
        const { nowUs } = await query.executeTakeFirstOrThrow()
        const event = { ...eventNow(deps, by), action, target: userId, before: null, after: detailsOf(link) }
        await insertEvents(trx, database, { us: nowUs, askedAt: event.happenedAt }, [event])
      }),

    remove: (userId, id, { action, by }) =>
      database.transaction(async (trx) => {
        const query = trx.deleteFrom('embed_links').where('user_id', '=', userId).where('id', '=', id).returningAll()
        const row = await query.returning(database.now(clock).as('nowUs')).executeTakeFirst()
        if (!row) return false
        const event = { ...eventNow(deps, by), action, target: userId, before: detailsOf(linkOf(row)), after: null }
        await insertEvents(trx, database, { us: row.nowUs, askedAt: event.happenedAt }, [event])
        return true
      }),
  }
}

type LinkRow = Selectable<EmbedLinksTable>

const linkOf = (row: LinkRow): EmbedLink => ({
  id: row.id,
  userId: row.user_id,
  kinds: row.kinds.split(','),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

const rowOf = (link: EmbedLink): LinkRow => ({
  id: link.id,
  user_id: link.userId,
  kinds: link.kinds.join(','),
  created_at: link.createdAt,
  expires_at: link.expiresAt,
})

type FoundRow = LinkRow & Pick<PrincipalRow, 'banned' | 'banned_until'>

interface Found {
  readonly link: EmbedLink
  readonly row: FoundRow
}

const foundOf = (row: FoundRow | undefined): Found | null => (row ? { link: linkOf(row), row } : null)

const alive = (found: Found | null, now: number): EmbedLink | null =>
  found && found.link.expiresAt > now && !isBanned(found.row, now) ? found.link : null

/** One statement, so that link and user are of one moment. */
const query = (id: string) =>
  sql<FoundRow>`SELECT embed_links.id, user_id, kinds, embed_links.created_at, expires_at, banned, banned_until
    FROM embed_links JOIN users ON users.id = user_id WHERE embed_links.id = ${id}`
const maxKept = 10_000

/** With SQLite a row is cached while the database proves that nothing was written since; PostgreSQL is queried each time. */
function createReader({ kysely, instant }: Database, { clock }: StoreDeps): EmbedLinks['find'] {
  if (!instant) return async (id) => alive(foundOf((await query(id).execute(kysely)).rows[0]), clock.now())
  const text = query('').compile(kysely).sql
  const kept = createLru<{ readonly mark: number; readonly found: Found | null }>(maxKept)
  return (id) => {
    const mark = instant.mark()
    let known = kept.get(id)
    if (known?.mark !== mark) {
      known = { mark, found: foundOf(instant.get(text, id) as FoundRow | undefined) }
      kept.set(id, known)
    }
    return alive(known.found, clock.now())
  }
}
