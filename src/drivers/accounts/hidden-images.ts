import { type Kysely, sql } from 'kysely'
import type { ImageAct } from '../../images/image-act.ts'
import type { Reports } from '../../images/reports.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { createImageActs } from './image-acts.ts'

/** The names of images that are not served, and their version. */
export function createHiddenImages(
  database: Database,
  deps: StoreDeps,
): Pick<Reports, 'hide' | 'unhide' | 'hiddenVersion' | 'hidden'> {
  const { kysely } = database
  const { acting, record } = createImageActs(database, deps)

  const change = (action: 'hide' | 'unhide', act: ImageAct, name: string) =>
    acting(act, async (trx) => {
      const isChanged = await (action === 'hide' ? hide(trx, name) : show(trx, name))
      if (isChanged) await record(trx, act, [{ action, name }])
      return isChanged
    })

  return {
    hide: (act, name) => change('hide', act, name),
    unhide: (act, name) => change('unhide', act, name),

    async hiddenVersion() {
      return (await kysely.selectFrom('hidden_version').select('version').executeTakeFirstOrThrow()).version
    },

    async hidden() {
      return (await kysely.selectFrom('hidden_images').select('name').execute()).map(({ name }) => name)
    },
  }
}

export const isHidden = async (trx: Kysely<Tables>, name: string): Promise<boolean> =>
  (await trx.selectFrom('hidden_images').select('name').where('name', '=', name).executeTakeFirst()) !== undefined

/** False if the image is already hidden. */
export async function hide(trx: Kysely<Tables>, name: string): Promise<boolean> {
  const insert = trx.insertInto('hidden_images').values({ name })
  const ignoring = insert.onConflict((conflict) => conflict.doNothing())
  return hasChanged(trx, await ignoring.returning('name').execute())
}

/** False if the image is not hidden. */
export async function show(trx: Kysely<Tables>, name: string): Promise<boolean> {
  const shown = trx.deleteFrom('hidden_images').where('name', '=', name).returning('name')
  return hasChanged(trx, await shown.execute())
}

/** By the version, all instances notice that they have to read the names again. */
async function hasChanged(trx: Kysely<Tables>, names: readonly object[]): Promise<boolean> {
  if (names.length === 0) return false
  await trx.updateTable('hidden_version').set({ version: sql`version + 1` }).execute()
  return true
}
