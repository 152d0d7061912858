import type { Call } from '../http/call.ts'
import { choice, fields, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { announcedState, announcedStates, inIso } from './announced.ts'
import { changes } from './changes.ts'
import { errors } from './errors.ts'
import type { Maintenance } from './maintenance.ts'
import { isWindowCursor, pageOfWindows } from './maintenance-page.ts'
import { changing, leaderErrors, maxLimit, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import { bodyLimitBytes, cursorField, listOf, maintenanceChanges, maintenanceOf, maintenanceTerms } from './terms.ts'

const path = '/maintenance/:maintenanceId'
const params = { maintenanceId: schemas.maintenanceId }
const idOf = ({ params }: Call) => params.maintenanceId as string

const shown = ({ changedAt: _, revision: __, recurringId: ___, ...window }: Maintenance, now: number) => ({
  ...inIso(window),
  state: announcedState(window, now),
})

export const maintenanceRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/maintenance',
    operationId: 'listMaintenance',
    summary: 'List the newest 1,000 announced maintenance windows, latest first',
    query: fields({
      state: choice(announcedStates, errors.badState),
      limit: wholeNumber(errors.badLimit, {
        minimum: 1,
        maximum: maxLimit,
        description: 'All by default. A page has fewer windows if they name many components',
      }),
      cursor: cursorField((text) => (isWindowCursor(text) ? text : undefined), errors.badCursor),
    }),
    reply: { status: 200, schema: schemas.maintenances },
    errors: leaderErrors,
    handle({ query: { state, limit, cursor } }, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const found = worker.calendar
        .list()
        .filter((each) => state === undefined || announcedState(each, now()) === state)
      const { page, next } = pageOfWindows(found, limit, cursor)
      return { ok: true, maintenance: page.map((each) => shown(each, now())), next }
    },
  }),
  defineRoute({
    ...changing(changes.announceMaintenance),
    path: '/maintenance',
    operationId: 'announceMaintenance',
    summary: 'Announce maintenance',
    description:
      'From `from` until `until`, the components are published as `maintenance`, whatever they report, and silence opens no incident. Their timeouts restart when it ends.',
    body: maintenanceTerms,
    bodyLimitBytes,
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const { from = now(), ...terms } = maintenanceOf(call.body)
      const window = await worker.calendar.announce({ ...terms, from }, call)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
  defineRoute({
    ...changing(changes.changeMaintenance),
    path,
    params,
    operationId: 'changeMaintenance',
    summary: 'Change announced maintenance',
    description: 'Absent fields keep their values.',
    body: maintenanceChanges,
    bodyLimitBytes,
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const { components, ...terms } = call.body
      const changes = { ...terms, components: components && listOf(components) }
      const window = await worker.calendar.change(idOf(call), changes, call)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
  defineRoute({
    ...changing(changes.endMaintenance),
    path,
    params,
    operationId: 'endMaintenance',
    summary: 'End maintenance early, or cancel it',
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const window = await worker.calendar.end(idOf(call), call)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
]
