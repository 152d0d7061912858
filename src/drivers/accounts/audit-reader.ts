import { sql } from 'kysely'
import type { Directory, PagePosition } from '../../accounts/directory.ts'
import { isUsername } from '../../accounts/username.ts'
import { eventOf } from './audit-rows.ts'
import type { AuditTable, Database } from './database.ts'
import { isBeyond } from './keyset.ts'

/** Reads the audit: pages of events, and the names that only events still know. */
export function createAuditReader({ longReads: kysely, nameIn }: Database): Pick<Directory, 'events' | 'formerly'> {
  return {
    async formerly(username) {
      if (!isUsername(username)) return []
      const having = (column: 'before' | 'after') =>
        sql`SELECT target FROM audit WHERE lower(${nameIn(column)}) = ${username.toLowerCase()} AND ${nameIn(column)} IS NOT NULL`
      const query = sql<{ target: string | null }>`${having('before')} UNION ${having('after')}`
      return (await query.execute(kysely)).rows.flatMap(({ target }) => target ?? [])
    },

    /** One actor and one target at a time: for several at once, PostgreSQL may scan the whole audit instead. */
    async events({ id, actor, target, action, outcome, from, to, before, limit }) {
      const read = (actor: string | undefined, target: string | undefined) =>
        kysely
          .selectFrom('audit')
          .selectAll()
          .$if(id !== undefined, (found) => found.where('id', '=', id ?? ''))
          .$if(actor !== undefined, (found) => found.where('actor', '=', actor ?? ''))
          .$if(target !== undefined, (found) => found.where('target', '=', target ?? ''))
          .$if(action !== undefined, (found) => found.where('action', '=', action ?? ''))
          // It goes on with the message of the response.
          .$if(outcome !== undefined, (found) => found.where('outcome', 'like', `${outcome}%`))
          .$if(from !== undefined, (found) => found.where('at', '>=', from ?? 0))
          .$if(to !== undefined, (found) => found.where('at', '<=', to ?? 0))
          .$if(before !== null, (found) => found.where(isBeyond(sql.ref, 'at', before as PagePosition, true)))
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
