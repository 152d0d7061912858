import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ImageAct } from '../../images/image-act.ts'
import type { Report, ReportAction, ReportReason, Reports } from '../../images/reports.ts'
import { isId } from '../../lib/ids.ts'
import type { Database, ReportsTable, StoreDeps, Tables } from './database.ts'
import { createImageActs } from './image-acts.ts'
import { RolledBack } from './transactions.ts'

/** Max reasons per report in a list. */
const maxReasons = 10

type Row = Selectable<ReportsTable> & { readonly is_hidden: number }

export function createReportStore(database: Database, deps: StoreDeps): Reports {
  const { kysely, holdRows } = database
  const { clock, newId } = deps
  const { acting, record } = createImageActs(database, deps)

  const recordResolved = (trx: Kysely<Tables>, act: ImageAct, { id, name }: Pick<Row, 'id' | 'name'>, action: string) =>
    record(trx, act, [{ action: 'resolve-report', name, before: null, after: { report: id, action } }])

  const rows = (from: Kysely<Tables>) =>
    from
      .selectFrom('reports')
      .selectAll('reports')
      .select(sql<number>`(SELECT count(*) FROM hidden_images WHERE name = reports.name)`.as('is_hidden'))

  const hide = async (trx: Kysely<Tables>, name: string): Promise<boolean> => {
    const insert = trx.insertInto('hidden_images').values({ name })
    const hidden = await insert
      .onConflict((conflict) => conflict.doNothing())
      .returning('name')
      .execute()
    if (hidden.length > 0) await nextVersion(trx)
    return hidden.length > 0
  }

  const show = async (trx: Kysely<Tables>, name: string): Promise<boolean> => {
    const shown = await trx.deleteFrom('hidden_images').where('name', '=', name).returning('name').execute()
    if (shown.length > 0) await nextVersion(trx)
    return shown.length > 0
  }

  return {
    add: (act, { name, etag }, reason) =>
      acting<'added' | 'repeated' | 'hidden'>(act, async (trx) => {
        const isHidden = trx.selectFrom('hidden_images').select('name').where('name', '=', name)
        if (await isHidden.executeTakeFirst()) return 'hidden'
        const now = clock.now()
        const times = { created_at: now, updated_at: now, closed_at: null, action: null, closed_by: null }
        const { id } = await trx
          .insertInto('reports')
          .values({ id: newId(), name, etag, count: 1, ...times })
          .onConflict((conflict) =>
            conflict
              .column('name')
              .where('closed_at', 'is', null)
              .doUpdateSet({ count: sql`reports.count + 1`, updated_at: now }),
          )
          .returning('id')
          .executeTakeFirstOrThrow()
        const isNew = await trx
          .insertInto('report_reasons')
          .values({ report_id: id, user_id: act.by.actor as string, reason, at: now })
          .onConflict((conflict) => conflict.doNothing())
          .returning('report_id')
          .executeTakeFirst()
        if (!isNew) throw new RolledBack('repeated')
        await record(trx, act, [{ action: 'report', name, before: null, after: { report: id } }])
        return 'added'
      }),

    async page({ isOpen, after, limit }) {
      const [column, direction, sign] = isOpen
        ? (['created_at', 'asc', sql`>`] as const)
        : (['closed_at', 'desc', sql`<`] as const)
      const found = await rows(kysely)
        .where('closed_at', isOpen ? 'is' : 'is not', null)
        .$if(after !== null, (query) =>
          query.where(sql<boolean>`(${sql.ref(column)}, id) ${sign} (${after?.value}, ${after?.id})`),
        )
        .orderBy(column, direction)
        .orderBy('id', direction)
        .limit(limit)
        .execute()
      return withReasons(kysely, found)
    },

    async find(id) {
      if (!isId(id)) return null
      return (await withReasons(kysely, await rows(kysely).where('id', '=', id).execute()))[0] ?? null
    },

    resolve: (act, id, action) =>
      acting(act, async (trx) => {
        const found = isId(id)
          ? await rows(trx)
              .where('id', '=', id)
              .$if(holdRows !== null, (query) => query.modifyEnd(holdRows as RawBuilder<unknown>))
              .execute()
          : []
        const [report = null] = await withReasons(trx, found)
        if (report === null || report.resolution) return report
        const values = { action, closed_at: clock.now(), closed_by: act.by.actor }
        await trx.updateTable('reports').set(values).where('id', '=', id).execute()
        if (action !== 'keep') await hide(trx, report.name)
        if (action !== 'delete') await recordResolved(trx, act, report, action)
        return report
      }),

    settle: (act, id, isDeleted) =>
      database.transaction(async (trx) => {
        const report = await trx.selectFrom('reports').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
        await show(trx, report.name)
        if (isDeleted) return recordResolved(trx, act, report, 'delete')
        const open = { action: null, closed_at: null, closed_by: null }
        await trx.updateTable('reports').set(open).where('id', '=', id).execute()
      }),

    hide: (act, name) =>
      acting(act, async (trx) => {
        const isHidden = await hide(trx, name)
        if (isHidden) await record(trx, act, [{ action: 'hide', name, before: null, after: null }])
        return isHidden
      }),

    unhide: (act, name) =>
      acting(act, async (trx) => {
        const isShown = await show(trx, name)
        if (isShown) await record(trx, act, [{ action: 'unhide', name, before: null, after: null }])
        return isShown
      }),

    move: (act, from, to) =>
      acting(act, async (trx) => {
        const open = trx.selectFrom('reports').select('name').where('name', '=', to).where('closed_at', 'is', null)
        const hasOpen = (await open.executeTakeFirst()) !== undefined
        await trx
          .updateTable('reports')
          .set({ name: to })
          .where('name', '=', from)
          .$if(hasOpen, (query) => query.where('closed_at', 'is not', null))
          .execute()
        await record(trx, act, [{ action: 'move', name: from, before: null, after: { to } }])
      }),

    async hiddenVersion() {
      return (await kysely.selectFrom('hidden_version').select('version').executeTakeFirstOrThrow()).version
    },

    async hidden() {
      return (await kysely.selectFrom('hidden_images').select('name').execute()).map(({ name }) => name)
    },
  }
}

const nextVersion = (trx: Kysely<Tables>) =>
  trx.updateTable('hidden_version').set({ version: sql`version + 1` }).execute()

/** Reads the reasons of all these reports with one query. */
async function withReasons(database: Kysely<Tables>, reports: readonly Row[]): Promise<Report[]> {
  if (reports.length === 0) return []
  const ids = reports.map(({ id }) => id)
  const place = sql<number>`row_number() OVER (PARTITION BY report_id ORDER BY at DESC, user_id)`
  const placed = database
    .selectFrom('report_reasons')
    .innerJoin('users', 'users.id', 'user_id')
    .select(['report_id as report', 'user_id as userId', 'username', 'reason', 'at', place.as('place')])
    .where('report_id', 'in', ids)
  const query = database.selectFrom(placed.as('placed')).selectAll().where('place', '<=', maxReasons).orderBy('place')
  const reasons = Map.groupBy(await query.execute(), ({ report }) => report)
  return reports.map((row) => reportOf(row, reasons.get(row.id) ?? []))
}

const reportOf = (row: Row, reasons: readonly ReportReason[]): Report => ({
  id: row.id,
  name: row.name,
  etag: row.etag,
  count: row.count,
  reasons: reasons.map(({ userId, username, reason, at }) => ({ userId, username, reason, at })),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  resolution:
    row.closed_at === null ? null : { action: row.action as ReportAction, at: row.closed_at, by: row.closed_by },
  isHidden: row.is_hidden > 0,
})
