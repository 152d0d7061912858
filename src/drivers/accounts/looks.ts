import { sql } from 'kysely'
import type { Looks } from '../../images/sizes/looks.ts'
import { type Database, isAmong } from './database.ts'

export function createLooks(database: Pick<Database, 'kysely' | 'rowsOf'>): Looks {
  const { kysely } = database
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
    },
    async names(after, limit) {
      const query = kysely.selectFrom('image_looks').select('name').where('name', '>', after)
      return (await query.orderBy('name').limit(limit).execute()).map(({ name }) => name)
    },
    async remove(names) {
      await kysely
        .deleteFrom('image_looks')
        .where(isAmong(database, 'name', names))
        .execute()
    },
  }
}
