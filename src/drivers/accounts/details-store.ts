import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { Details } from '../../accounts/audit.ts'
import {
  changedNames,
  type DetailName,
  detailNames,
  type ImageDetails,
  noDetails,
} from '../../images/details/details.ts'
import type { DetailsStore } from '../../images/details/details-store.ts'
import {
  type Database,
  type ImageDetailsTable,
  integer,
  isAmong,
  type StoreDeps,
  type Tables,
  text,
} from './database.ts'
import { createImageActs } from './image-acts.ts'
import { RolledBack } from './transactions.ts'

type Row = Pick<Selectable<ImageDetailsTable>, 'name' | DetailName>

const columns = ['name', ...detailNames] as const
const hasDetails = sql<boolean>`(tags <> '' OR coalesce(alt, title, artist, source, license) IS NOT NULL)`

/** SQLite has no booleans. */
const asNumber = (condition: RawBuilder<unknown>) => sql<number>`CASE WHEN ${condition} THEN 1 ELSE 0 END`

export function createDetailsStore(database: Database, deps: StoreDeps): DetailsStore {
  const { kysely, rowsOf } = database
  const { acting, record } = createImageActs(database, deps)

  const find = async (from: Kysely<Tables>, names: readonly string[]) => {
    const rows = await from
      .selectFrom('image_details')
      .select(columns)
      .where(isAmong(database, 'name', names))
      .where(hasDetails)
      .execute()
    return new Map(rows.map((row) => [row.name, detailsOf(row)]))
  }

  return {
    change: (act, changes) =>
      acting(act, async (trx) => {
        const version = await nextVersion(trx)
        const known = await find(
          trx,
          changes.map(({ name }) => name),
        )
        const all = changes.map(({ name, values }) => {
          const before = known.get(name) ?? noDetails
          const details = { ...before, ...values }
          return { name, before, details, isChanged: changedNames(before, details).length > 0 }
        })
        const changed = all.filter(({ isChanged }) => isChanged)
        if (changed.length === 0) throw new RolledBack(all)
        const rows = changed.map(({ name, details: { tags, ...texts } }) => [
          ...[name, texts.alt, texts.title, texts.artist, texts.source, texts.license],
          ...[tags.join(), version, deps.clock.now()],
        ])
        await sql`INSERT INTO image_details (name, alt, title, artist, source, license, tags, version, changed_at)
          SELECT ${sql.join([0, 1, 2, 3, 4, 5, 6].map(text))}, ${integer(7)}, ${integer(8)}
          FROM ${rowsOf(JSON.stringify(rows))} WHERE true
          ON CONFLICT (name) DO UPDATE SET alt = excluded.alt, title = excluded.title, artist = excluded.artist,
            source = excluded.source, license = excluded.license, tags = excluded.tags, version = excluded.version,
            changed_at = excluded.changed_at, absent_since = NULL`.execute(trx)
        await record(
          trx,
          act,
          changed.map(({ name, before, details }) => ({ action: 'describe', name, ...difference(before, details) })),
        )
        return all
      }),

    find: (names) => find(kysely, names),

    async page(after, limit) {
      const query = kysely.selectFrom('image_details').select(columns).where('name', '>', after).where(hasDetails)
      const rows = await query.orderBy('name').limit(limit).execute()
      return rows.map((row) => ({ name: row.name, details: detailsOf(row) }))
    },

    async end(names, absentSince) {
      if (absentSince === undefined)
        await kysely
          .deleteFrom('image_looks')
          .where(isAmong(database, 'name', names))
          .execute()
      if ((await find(kysely, names)).size === 0) return 0
      return database.transaction(async (trx) => {
        const values = { ...noDetails, tags: '', version: await nextVersion(trx), changed_at: deps.clock.now() }
        const ended = await trx
          .updateTable('image_details')
          .set({ ...values, absent_since: null })
          .where(isAmong(database, 'name', names))
          .where(hasDetails)
          .$if(absentSince !== undefined, (query) => query.where('absent_since', '<=', absentSince as number))
          .returning('name')
          .execute()
        return ended.length
      })
    },

    async absent() {
      const rows = await kysely
        .selectFrom('image_details')
        .select(['name', 'absent_since'])
        .where('absent_since', 'is not', null)
        .execute()
      return new Map(rows.map(({ name, absent_since }) => [name, absent_since as number]))
    },

    async noteAbsent(names, since) {
      await kysely
        .updateTable('image_details')
        .set({ absent_since: since })
        .where(isAmong(database, 'name', names))
        .where('absent_since', since === null ? 'is not' : 'is', null)
        .$if(since !== null, (query) => query.where(hasDetails))
        .execute()
    },

    async forget(before) {
      const isOver = sql<boolean>`NOT ${hasDetails} AND changed_at < ${before}`
      const found = kysely
        .selectFrom('image_details')
        .select((eb) => eb.fn.max('version').as('last'))
        .where(isOver)
      const { last } = await found.executeTakeFirstOrThrow()
      if (last === null) return
      await database.transaction(async (trx) => {
        await trx.updateTable('image_details_version').set({ forgotten: last }).where('forgotten', '<', last).execute()
        await trx.deleteFrom('image_details').where(isOver).where('version', '<=', last).execute()
      })
    },

    versions: () =>
      kysely.selectFrom('image_details_version').select(['version', 'forgotten']).executeTakeFirstOrThrow(),

    async changes(after, limit) {
      const rows = await kysely
        .selectFrom('image_details')
        .select(['version', 'name', 'tags', asNumber(sql`source IS NOT NULL`).as('has_source')])
        .select(asNumber(hasDetails).as('has_details'))
        .where(sql<boolean>`(version, name) > (${after.version}, ${after.name})`)
        .orderBy('version')
        .orderBy('name')
        .limit(limit)
        .execute()
      return rows.map(({ version, name, tags, has_source, has_details }) => {
        return { version, name, marks: has_details === 1 ? { tags: tagsOf(tags), hasSource: has_source === 1 } : null }
      })
    },
  }
}

/** Held until the transaction ends: changes follow each other, in the order of their versions. */
async function nextVersion(trx: Kysely<Tables>): Promise<number> {
  const next = trx.updateTable('image_details_version').set({ version: sql`version + 1` }).returning('version')
  return (await next.executeTakeFirstOrThrow()).version
}

const tagsOf = (tags: string) => (tags === '' ? [] : tags.split(','))

const detailsOf = ({ name: _, tags, ...texts }: Row): ImageDetails => ({ ...texts, tags: tagsOf(tags) })

/** What changed, for the audit. */
function difference(before: ImageDetails, after: ImageDetails): { before: Details; after: Details } {
  const of = (details: ImageDetails) =>
    Object.fromEntries(
      changedNames(before, after).map((name) => [name, name === 'tags' ? details.tags.join() : details[name]]),
    )
  return { before: of(before), after: of(after) }
}
