import type { Kysely, Selectable } from 'kysely'
import { newEvent } from '../../accounts/audit.ts'
import type { EmbedLink, EmbedLinks, LinkInUse } from '../../accounts/embed-links.ts'
import { isId } from '../../lib/ids.ts'
import { accountOf, isBanned, isWho, type PrincipalRow } from './account-rows.ts'
import { insertEvents } from './audit-rows.ts'
import type { Database, EmbedLinksTable, StoreDeps, Tables } from './database.ts'
import { hasSession } from './session-rows.ts'
import { lockUsers } from './transactions.ts'

export function createEmbedLinks(database: Database, deps: StoreDeps): EmbedLinks {
  const { kysely } = database
  const { clock } = deps

  return {
    find: createReader(database, deps),

    list: (userId) => linksOf(kysely, userId, clock.now()),

    async ownerOf(id) {
      // No other text can be a link, and PostgreSQL rejects some.
      if (!isId(id)) return null
      const query = kysely.selectFrom('embed_links').select('user_id').where('id', '=', id)
      return (await query.executeTakeFirst())?.user_id ?? null
    },

    insert: (link, { action, by, after }, check) =>
      database.transaction(async (trx) => {
        const now = clock.now()
        const { userId } = link
        const [user] = await lockUsers(database, trx, isWho({ id: userId }))
        await trx.deleteFrom('embed_links').where('user_id', '=', userId).where('expires_at', '<=', now).execute()
        const links = await trx.selectFrom('embed_links').select('id').where('user_id', '=', userId).execute()
        const isThere = by.sessionId ? { hasSession: await hasSession(trx, by.sessionId, now) } : {}
        const target = user ? accountOf(user, now) : null
        check({ target, actor: target, ...isThere }, links.length)
        const query = trx.insertInto('embed_links').values(rowOf(link)).returning(database.now(clock).as('nowUs'))
        const { nowUs } = await query.executeTakeFirstOrThrow()
        const event = { ...newEvent(deps, by), action, target: userId, after }
        await insertEvents(trx, database, { us: nowUs, askedAt: event.happenedAt }, [event])
      }),
  }
}

/** The live links of a user, oldest first. */
export async function linksOf(database: Kysely<Tables>, userId: string, now: number): Promise<EmbedLink[]> {
  const query = database.selectFrom('embed_links').selectAll().where('user_id', '=', userId)
  return (await query.where('expires_at', '>', now).orderBy('id').execute()).map(linkOf)
}

type LinkRow = Selectable<EmbedLinksTable>
type InUseRow = Omit<LinkRow, 'last_used_at'>

const inUseOf = (row: InUseRow): LinkInUse => ({
  id: row.id,
  userId: row.user_id,
  kinds: row.kinds.split(','),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  isRepeating: row.is_repeating === 1,
  orientation: row.orientation,
  period: row.per && { per: row.per, zone: row.time_zone ?? 'UTC' },
  tags: row.tags?.split(',') ?? [],
  without: row.without_tags?.split(',') ?? [],
})

const linkOf = (row: LinkRow): EmbedLink => ({ ...inUseOf(row), lastUsedAt: row.last_used_at })

const rowOf = (link: EmbedLink): LinkRow => ({
  id: link.id,
  user_id: link.userId,
  kinds: link.kinds.join(','),
  created_at: link.createdAt,
  expires_at: link.expiresAt,
  is_repeating: Number(link.isRepeating),
  orientation: link.orientation,
  per: link.period?.per ?? null,
  time_zone: link.period?.zone ?? null,
  tags: link.tags.join(',') || null,
  without_tags: link.without.join(',') || null,
  last_used_at: link.lastUsedAt,
})

type FoundRow = InUseRow & Pick<PrincipalRow, 'banned' | 'banned_until'>

/** One statement, so that link and user are consistent. */
const query = {
  columns: [
    ...['id', 'user_id', 'kinds', 'created_at', 'expires_at', 'is_repeating', 'orientation', 'per', 'time_zone'].map(
      (name) => `embed_links.${name}`,
    ),
    ...['tags', 'without_tags'].map((name) => `embed_links.${name}`),
    ...['banned', 'banned_until'].map((name) => `users.${name}`),
  ],
  from: 'embed_links JOIN users ON users.id = embed_links.user_id',
  key: 'embed_links.id',
}

/** Every request with a link reads it. */
function createReader({ finder }: Database, { clock }: StoreDeps): EmbedLinks['find'] {
  return finder(query, (row: FoundRow) => {
    const now = clock.now()
    return row.expires_at > now && !isBanned(row, now) ? inUseOf(row) : null
  })
}
