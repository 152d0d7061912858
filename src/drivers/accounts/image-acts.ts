import type { Kysely } from 'kysely'
import { type Action, type Details, newEvent } from '../../accounts/audit.ts'
import type { ImageAct } from '../../images/image-act.ts'
import { isId } from '../../lib/ids.ts'
import { accountOf, isWho } from './account-rows.ts'
import { insertEvents } from './audit-rows.ts'
import type { Database, StoreDeps, Tables } from './database.ts'
import { lockUsers, orRolledBack } from './transactions.ts'

export interface ImageEvent {
  readonly action: Action
  /** Of the image. */
  readonly name: string
  readonly before?: Details
  readonly after?: Details
}

/** What acts on reports and details of images have in common. */
export function createImageActs(database: Database, deps: StoreDeps) {
  const { clock } = deps
  return {
    /** Locks the actor first, as every act does. */
    acting: <T>(act: ImageAct, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> =>
      orRolledBack(() =>
        database.transaction(async (trx) => {
          const { actor } = act.by
          const [row] = actor !== null && isId(actor) ? await lockUsers(database, trx, isWho({ id: actor })) : []
          act.check(row ? accountOf(row, clock.now()) : null)
          return work(trx)
        }),
      ),

    async record(trx: Kysely<Tables>, act: ImageAct, events: readonly ImageEvent[]): Promise<void> {
      const { us } = await trx.selectNoFrom(database.now(clock).as('us')).executeTakeFirstOrThrow()
      const pending = events.map(({ name, ...event }) => ({
        ...newEvent(deps, act.by),
        ...event,
        target: act.targetOf(name),
      }))
      await insertEvents(trx, database, { us, askedAt: clock.monotonic() }, pending)
    },
  }
}
