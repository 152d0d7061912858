import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely'
import type { ImageAct } from '../../images/image-act.ts'
import type { Report, ReportAction, ReportPage, ReportReason, Reports } from '../../images/reports.ts'
import { isId } from '../../lib/ids.ts'
import type { Database, ReportsTable, StoreDeps, Tables } from './database.ts'
import { createHiddenImages, hide, isHidden, show } from './hidden-images.ts'
import { createImageActs } from './image-acts.ts'
import { RolledBack } from './transactions.ts'

/** Max reasons per report in a list. */
const maxReasons = 10

type Row = Selectable<ReportsTable> & { readonly is_hidden: number }

const open = { action: null, closed_at: null, closed_by: null } as const

export function createReportStore(database: Database, deps: StoreDeps): Reports {
  const { kysely, holdRows } = database
  const { clock } = deps
  const { acting, record } = createImageActs(database, deps)

  const recordResolved = (trx: Kysely<Tables>, act: ImageAct, { id, name }: Pick<Row, 'id' | 'name'>, action: string) =>
    record(trx, act, [{ action: 'resolve-report', name, after: { report: id, action } }])

  return {
    ...createHiddenImages(database, deps),

    add: (act, { name, etag }, reason) =>
      acting<'added' | 'repeated' | 'hidden'>(act, async (trx) => {
        if (await isHidden(trx, name)) return 'hidden'
        const id = await openReport(trx, deps, { name, etag })
        const values = { report_id: id, user_id: act.by.actor as string, reason, at: clock.now() }
        const isNew = await trx
          .insertInto('report_reasons')
          .values(values)
          .onConflict((conflict) => conflict.doNothing())
          .returning('report_id')
          .executeTakeFirst()
        if (!isNew) throw new RolledBack('repeated')
        await record(trx, act, [{ action: 'report', name, after: { report: id } }])
        return 'added'
      }),

    page: async (page) => withReasons(kysely, await rowsOfPage(kysely, page)),

    find: (id) => reportBy(kysely, id),

    resolve: (act, id, action) =>
      acting(act, async (trx) => {
        const report = await reportBy(trx, id, holdRows)
        if (report === null || report.resolution) return report
        const values = { action, closed_at: clock.now(), closed_by: act.by.actor }
        await trx.updateTable('reports').set(values).where('id', '=', id).execute()
        if (action !== 'keep') await hide(trx, report.name)
        if (action !== 'delete') await recordResolved(trx, act, report, action)
        return report
      }),

    settle: (act, before, isDeleted) =>
      database.transaction(async (trx) => {
        if (!before.isHidden) await show(trx, before.name)
        if (isDeleted) return recordResolved(trx, act, before, 'delete')
        await trx.updateTable('reports').set(open).where('id', '=', before.id).execute()
      }),

    move: (act, from, to) =>
      acting(act, async (trx) => {
        await rename(trx, from, to)
        if (await isHidden(trx, from)) await hide(trx, to)
        await record(trx, act, [{ action: 'move', name: from, after: { to } }])
      }),

    follow: (from, to) =>
      database.transaction(async (trx) => {
        await rename(trx, from, to)
        if (await show(trx, from)) await hide(trx, to)
      }),
  }
}

/** Adds to the open report of the image, or opens one. Returns its id. */
async function openReport(
  trx: Kysely<Tables>,
  { clock, newId }: StoreDeps,
  image: { readonly name: string; readonly etag: string },
): Promise<string> {
  const now = clock.now()
  const { id } = await trx
    .insertInto('reports')
    .values({ id: newId(), ...image, count: 1, created_at: now, updated_at: now, ...open })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .where('closed_at', 'is', null)
        .doUpdateSet({ count: sql`reports.count + 1`, updated_at: now }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

const rows = (from: Kysely<Tables>) =>
  from
    .selectFrom('reports')
    .selectAll('reports')
    .select(sql<number>`(SELECT count(*) FROM hidden_images WHERE name = reports.name)`.as('is_hidden'))

async function reportBy(
  from: Kysely<Tables>,
  id: string,
  holdRows: RawBuilder<unknown> | null = null,
): Promise<Report | null> {
  if (!isId(id)) return null
  const found = rows(from)
    .where('id', '=', id)
    .$if(holdRows !== null, (query) => query.modifyEnd(holdRows as RawBuilder<unknown>))
  const [report = null] = await withReasons(from, await found.execute())
  return report
}

function rowsOfPage(kysely: Kysely<Tables>, { isOpen, after, limit }: ReportPage): Promise<Row[]> {
  const [column, direction, sign] = isOpen
    ? (['created_at', 'asc', sql`>`] as const)
    : (['closed_at', 'desc', sql`<`] as const)
  return rows(kysely)
    .where('closed_at', isOpen ? 'is' : 'is not', null)
    .$if(after !== null, (query) =>
      query.where(sql<boolean>`(${sql.ref(column)}, id) ${sign} (${after?.value}, ${after?.id})`),
    )
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute()
}

async function rename(trx: Kysely<Tables>, from: string, to: string): Promise<void> {
  const known = trx.selectFrom('reports').select('name').where('name', '=', to).where('closed_at', 'is', null)
  const hasOpen = (await known.executeTakeFirst()) !== undefined
  await trx
    .updateTable('reports')
    .set({ name: to })
    .where('name', '=', from)
    .$if(hasOpen, (query) => query.where('closed_at', 'is not', null))
    .execute()
}

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
