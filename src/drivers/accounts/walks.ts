import { type Kysely, sql } from 'kysely'
import type { Position, SavedPositions, SavedWalk } from '../../images/positions.ts'
import { type Database, integer, type Tables, text } from './database.ts'

/** Of one user and all its links: anybody may ask for any filter, and each has a walk of its own. */
const maxOfUser = 1_000

export const createWalks = ({ finder }: Pick<Database, 'finder'>): SavedPositions => ({
  find: finder({ columns: ['round', 'place'], from: 'walks', key: 'name' }, (row: Position) => row),
})

/** The instance that has advanced further wins. Walks of a deleted user or link are dropped. The users are locked. */
export async function saveWalks(
  trx: Kysely<Tables>,
  { rowsOf }: Pick<Database, 'rowsOf'>,
  walks: readonly SavedWalk[],
  day: string,
): Promise<void> {
  const list = walks.map(({ name, userId, linkId, round, place }) => [name, userId, linkId, round, place])
  await sql`INSERT INTO walks (name, user_id, link_id, round, place, day)
    SELECT ${text(0)}, ${text(1)}, ${text(2)}, ${integer(3)}, ${integer(4)}, ${day}
    FROM ${rowsOf(JSON.stringify(list))}
    WHERE EXISTS (SELECT 1 FROM users WHERE users.id = ${text(1)})
      AND (${text(2)} IS NULL OR EXISTS (SELECT 1 FROM embed_links WHERE embed_links.id = ${text(2)}))
    ON CONFLICT (name) DO UPDATE SET round = excluded.round, place = excluded.place, day = excluded.day
    WHERE (excluded.round, excluded.place) > (walks.round, walks.place)`.execute(trx)
  await deleteSurplus(trx, walks)
}

/** Those that rest longest, by day; none of these walks, which are in use. */
async function deleteSurplus(trx: Kysely<Tables>, walks: readonly SavedWalk[]): Promise<void> {
  const userIds = [...new Set(walks.map(({ userId }) => userId))]
  const names = walks.map(({ name }) => name)
  const crowded = trx
    .selectFrom('walks')
    .select('user_id')
    .where('user_id', 'in', userIds)
    .groupBy('user_id')
    .having((of) => of.fn.countAll(), '>', maxOfUser)
  for (const { user_id } of await crowded.execute()) {
    const own = trx.selectFrom('walks').select('name').where('user_id', '=', user_id)
    const newest = own
      .orderBy((of) => of('name', 'in', names), 'desc')
      .orderBy('day', 'desc')
      .orderBy('name')
      .limit(maxOfUser)
    await trx.deleteFrom('walks').where('user_id', '=', user_id).where('name', 'not in', newest).execute()
  }
}
