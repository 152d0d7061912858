import { sql } from 'kysely'
import type { Looks } from '../../images/sizes/looks.ts'
import { type Database, isAmong } from './database.ts'

export function createLooks(database: Pick<Database, 'kysely' | 'rowsOf'>): Looks {
  const { kysely } = database
  const remove = async (table: 'image_looks' | 'undecodable_images', names: readonly string[]) => {
    await kysely
      .deleteFrom(table)
      .where(isAmong(database, 'name', names))
      .execute()
  }
  return {
    async find(names) {
      const rows = await kysely
        .selectFrom('image_looks')
        .selectAll()
        .where(isAmong(database, 'name', names))
        .execute()
      return new Map(rows.map(({ name, ...look }) => [name, look]))
    },
    async save(name, look) {
      const insert = kysely.insertInto('image_looks').values({ name, ...look })
      const isOther = sql<boolean>`image_looks.etag <> ${look.etag}`
      await insert.onConflict((conflict) => conflict.column('name').doUpdateSet(look).where(isOther)).execute()
      await kysely.deleteFrom('undecodable_images').where('name', '=', name).where('etag', '=', look.etag).execute()
    },
    async names(after, limit) {
      const query = kysely.selectFrom('image_looks').select('name').where('name', '>', after)
      return (await query.orderBy('name').limit(limit).execute()).map(({ name }) => name)
    },
    remove: (names) => remove('image_looks', names),
    removeUndecodable: (names) => remove('undecodable_images', names),
    undecodable: (limit) => kysely.selectFrom('undecodable_images').selectAll().orderBy('name').limit(limit).execute(),
    async saveUndecodable({ name, etag }) {
      const insert = kysely.insertInto('undecodable_images').values({ name, etag })
      await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ etag })).execute()
    },
  }
}
