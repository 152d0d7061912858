import type { Kysely, Selectable } from 'kysely'
import type { PeriodImage, SavedPeriodImages } from '../../images/positions.ts'
import type { Database, PeriodImagesTable, Tables } from './database.ts'

/** Every user can ask for any filter and time zone. */
const maxKept = 1_000

const columns = ['name', 'period', 'kind', 'filename', 'positions', 'chosen_at', 'user_id'] as const

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
        if (known === null) await deleteSurplus(trx, name)
        return next
      }),
  }
}

/** Whoever asks for many displaces its own, not what others see. The newest stays. */
async function deleteSurplus(trx: Kysely<Tables>, newest: string): Promise<void> {
  const others = trx.selectFrom('period_images').where('name', '!=', newest)
  const { count } = await others.select((of) => of.fn.countAll().as('count')).executeTakeFirstOrThrow()
  const surplus = Number(count) + 1 - maxKept
  if (surplus <= 0) return
  const most = others
    .select('user_id')
    .groupBy('user_id')
    .orderBy((of) => of.fn.countAll(), 'desc')
    .orderBy('user_id')
  const { user_id } = await most.limit(1).executeTakeFirstOrThrow()
  const oldest = others.select('name').where('user_id', 'is not distinct from', user_id).orderBy('chosen_at')
  await trx.deleteFrom('period_images').where('name', 'in', oldest.orderBy('name').limit(surplus)).execute()
}

type Row = Selectable<PeriodImagesTable>

const imageOf = ({ name, period, kind, filename, positions, chosen_at, user_id }: Row): PeriodImage => ({
  name,
  period,
  kind,
  filename,
  positions: JSON.parse(positions),
  chosenAt: chosen_at,
  userId: user_id,
})

const rowOf = ({ positions, chosenAt, userId, ...image }: PeriodImage): Row => ({
  ...image,
  positions: JSON.stringify(positions),
  chosen_at: chosenAt,
  user_id: userId,
})
