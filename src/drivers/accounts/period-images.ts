import type { Selectable } from 'kysely'
import type { PeriodImage, SavedPeriodImages } from '../../images/positions.ts'
import type { Database, PeriodImagesTable } from './database.ts'

/** Everybody who may choose images can ask for any filter and time zone. */
const maxKept = 1_000

const columns = ['name', 'period', 'kind', 'filename', 'positions', 'chosen_at'] as const

export function createPeriodImages(database: Database): SavedPeriodImages {
  return {
    find: database.finder({ columns, from: 'period_images', key: 'name' }, imageOf),

    save: (next, known) =>
      database.transaction(async (trx) => {
        const { name } = next
        const values = rowOf(next)
        const insert = trx.insertInto('period_images').values(values).returning('name')
        const write =
          known === null
            ? insert.onConflict((conflict) => conflict.column('name').doNothing())
            : insert.onConflict((conflict) =>
                conflict
                  .column('name')
                  .doUpdateSet(values)
                  .where('period_images.period', '=', known.period)
                  .where('period_images.kind', '=', known.kind)
                  .where('period_images.filename', '=', known.filename),
              )
        if (!(await write.executeTakeFirst())) {
          const first = await trx
            .selectFrom('period_images')
            .select(columns)
            .where('name', '=', name)
            .executeTakeFirst()
          return first ? imageOf(first) : null
        }
        if (known !== null) return next
        const others = trx.selectFrom('period_images').select('name').where('name', '!=', name)
        const kept = others
          .orderBy('chosen_at', 'desc')
          .orderBy('name')
          .limit(maxKept - 1)
        await trx.deleteFrom('period_images').where('name', '!=', name).where('name', 'not in', kept).execute()
        return next
      }),
  }
}

type Row = Selectable<PeriodImagesTable>

const imageOf = ({ name, period, kind, filename, positions, chosen_at }: Row): PeriodImage => ({
  name,
  period,
  kind,
  filename,
  positions: JSON.parse(positions),
  chosenAt: chosen_at,
})

const rowOf = ({ positions, chosenAt, ...image }: PeriodImage): Row => ({
  ...image,
  positions: JSON.stringify(positions),
  chosen_at: chosenAt,
})
