import { fields, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { allowed, componentOf, leaderErrors, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import { type UptimeRow, uptimePercent, uptimeStates } from './uptime.ts'

const [defaultDays, maxDays] = [90, 400]

const query = fields({
  days: wholeNumber(errors.badDays, {
    minimum: 1,
    maximum: maxDays,
    default: defaultDays,
    description: 'Days in UTC, up to today',
  }),
})

const description =
  '`operational` and `degraded` are up; `partial`, `outage` and `silent` are down; `maintenance` and the time when no worker led are neither.'

/** Saved and unsaved rows of the last days. */
async function rowsOf({ leader }: StatusDeps, componentId: string | null, days: number): Promise<readonly UptimeRow[]> {
  const { store, worker, now } = leader()
  const fromDay = dayOf(now() - (days - 1) * dayMs)
  const unsaved = await worker.uptime.unsaved()
  const saved = await store.uptime({ componentId, fromDay })
  const isWanted = (row: UptimeRow) => row.day >= fromDay && (componentId === null || row.componentId === componentId)
  return [...saved, ...unsaved.filter(isWanted)]
}

function sumsOf(rows: readonly UptimeRow[]) {
  const secondsIn = (state: string) => rows.reduce((sum, row) => (row.state === state ? sum + row.ms : sum), 0) / 1000
  const seconds = Object.fromEntries(uptimeStates.map((state) => [state, Math.round(secondsIn(state))]))
  return { uptimePercent: uptimePercent(rows), seconds: seconds as Record<(typeof uptimeStates)[number], number> }
}

export const uptimeRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    method: 'GET',
    path: '/uptime',
    summary: 'Uptime of all components',
    description,
    access: allowed,
    envelope: 'ok',
    query,
    reply: { status: 200, schema: schemas.uptimes },
    errors: leaderErrors,
    async handle({ query: { days = defaultDays } }, deps: StatusDeps) {
      const rows = Map.groupBy(await rowsOf(deps, null, days), ({ componentId }) => componentId)
      const components = deps.leader().worker.components()
      return {
        ok: true,
        days,
        components: components.map(({ id }) => ({ componentId: id, ...sumsOf(rows.get(id) ?? []) })),
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/uptime/:componentId',
    params: schemas.params,
    summary: 'Uptime of a component by day, newest first',
    description,
    access: allowed,
    envelope: 'ok',
    query,
    reply: { status: 200, schema: schemas.uptime },
    errors: [errors.unknown, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { days = defaultDays } = call.query
      const rows = await rowsOf(deps, id, days)
      const byDay = [...Map.groupBy(rows, ({ day }) => day)].sort(([a], [b]) => (a < b ? 1 : -1))
      const daily = byDay.map(([day, all]) => ({ day, ...sumsOf(all) }))
      return { ok: true, componentId: id, days, ...sumsOf(rows), daily }
    },
  }),
]
