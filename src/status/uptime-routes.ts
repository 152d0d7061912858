import { setImmediate } from 'node:timers/promises'
import { fields, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { dayMs, dayOf } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { componentOf, leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import type { UptimeRange } from './state-store.ts'
import { uptimeStates } from './statuses.ts'
import { sumOfTimes, type Times, type UptimeRow, uptimePercent } from './uptime.ts'

const defaultDays = 90
const maxDays = 400

const query = fields({
  days: wholeNumber(errors.badDays, {
    minimum: 1,
    maximum: maxDays,
    default: defaultDays,
    description: 'Days in UTC, up to today',
  }),
})

const description =
  '`operational` and `degraded` are up; `partial`, `outage` and `silent` are down; `maintenance` and `unknown` (no worker was the leader) are neither.'

/** Few enough that a query on SQLite does not block the event loop for long. */
const componentsPerQuery = 25

/** UTC days up to today, and how much of them has passed. */
export function windowOf(now: number, days: number) {
  const startsAt = now - (now % dayMs) - (days - 1) * dayMs
  return { fromDay: dayOf(startsAt), untilDay: dayOf(now), ms: now - startsAt }
}

/** Saved and unsaved rows: one sum per component from `first` to `last`, or one per day. */
export async function rowsOf({ leader }: StatusDeps, range: UptimeRange): Promise<readonly UptimeRow[]> {
  const { store, worker } = leader()
  const unsaved = await worker.uptime.unsaved()
  // Requested in the same turn, before any unsaved row can be saved.
  const saved = await store.uptime(range)
  const isWanted = ({ componentId, day }: UptimeRow) =>
    componentId >= range.first && componentId <= range.last && day >= range.fromDay && day <= range.untilDay
  return [...saved, ...unsaved.filter(isWanted)]
}

function sumsOf(rows: readonly UptimeRow[], windowMs: number) {
  const times = sumOfTimes(rows)
  const known = uptimeStates.map((state) => [state, Math.round(times[state] / 1000)] as const)
  const unknown = Math.max(0, Math.round(windowMs / 1000) - known.reduce((sum, [, seconds]) => sum + seconds, 0))
  return { uptimePercent: uptimePercent(times), seconds: { ...(Object.fromEntries(known) as Times), unknown } }
}

export const uptimeRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/uptime',
    operationId: 'listUptime',
    summary: 'Get the uptime of all components',
    description,
    query,
    reply: { status: 200, schema: schemas.uptimes },
    errors: leaderErrors,
    async handle({ query: { days = defaultDays } }, deps: StatusDeps) {
      const { worker, now } = deps.leader()
      const { ms, ...window } = windowOf(now(), days)
      const ids = worker.components().map(({ id }) => id)
      const components = []
      for (let from = 0; from < ids.length; from += componentsPerQuery) {
        const some = ids.slice(from, from + componentsPerQuery)
        const range = { first: some[0] ?? '', last: some.at(-1) ?? '', ...window, isDaily: false }
        const rows = Map.groupBy(await rowsOf(deps, range), ({ componentId }) => componentId)
        components.push(...some.map((componentId) => ({ componentId, ...sumsOf(rows.get(componentId) ?? [], ms) })))
        await setImmediate()
      }
      return { ok: true, days, components }
    },
  }),
  defineRoute({
    ...reading,
    path: '/uptime/:componentId',
    params: schemas.params,
    operationId: 'getUptime',
    summary: 'Get the uptime of a component by day, newest first',
    description,
    query,
    reply: { status: 200, schema: schemas.uptime },
    errors: [errors.unknown, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { days = defaultDays } = call.query
      const now = deps.leader().now()
      const { ms, ...window } = windowOf(now, days)
      const rows = await rowsOf(deps, { first: id, last: id, ...window, isDaily: true })
      const byDay = [...Map.groupBy(rows, ({ day }) => day)].sort(([a], [b]) => (a < b ? 1 : -1))
      const daily = byDay.map(([day, all]) => ({ day, ...sumsOf(all, Math.min(dayMs, now - Date.parse(day))) }))
      return { ok: true, componentId: id, days, ...sumsOf(rows, ms), daily }
    },
  }),
]
