import { defineRoute, type Route } from '../http/route.ts'
import { isoTime } from '../lib/timestamps.ts'
import { announcedState } from './announced.ts'
import { changes } from './changes.ts'
import { type RecurringMaintenance, recurringInIso } from './recurring-maintenance.ts'
import * as schemas from './recurring-schemas.ts'
import { changing, leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import { maintenanceId } from './schemas.ts'
import { bodyLimitBytes } from './terms.ts'

function shownBy({ leader }: StatusDeps, one: RecurringMaintenance) {
  const { worker, now } = leader()
  const windows = worker.recurring.windowsOf(one.id).map((window) => ({
    id: window.id,
    from: isoTime(window.from),
    until: isoTime(window.until),
    state: announcedState(window, now()),
  }))
  return { ...recurringInIso(one), windows }
}

export const recurringRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/maintenance/recurring',
    operationId: 'listRecurringMaintenance',
    summary: 'List recurring maintenance, newest first',
    reply: { status: 200, schema: schemas.recurringMaintenances },
    errors: leaderErrors,
    handle: (_call, deps: StatusDeps) => ({
      ok: true,
      recurring: deps
        .leader()
        .worker.recurring.list()
        .map((one) => shownBy(deps, one)),
    }),
  }),
  defineRoute({
    ...changing(changes.announceRecurring),
    path: '/maintenance/recurring',
    operationId: 'announceRecurringMaintenance',
    summary: 'Announce maintenance that recurs by a cron expression',
    description:
      'Each occurrence is a maintenance window like any other. The next five are always announced; one of them can be changed or cancelled by itself.',
    body: schemas.recurringTerms,
    bodyLimitBytes,
    async handle(call, deps: StatusDeps) {
      const { worker } = deps.leader()
      const announced = await worker.recurring.announce(schemas.recurringOf(call.body), call)
      await worker.checkMaintenance()
      return { ok: true, recurring: shownBy(deps, announced) }
    },
  }),
  defineRoute({
    ...changing(changes.endRecurring),
    path: '/maintenance/recurring/:recurringId',
    params: { recurringId: maintenanceId },
    operationId: 'endRecurringMaintenance',
    summary: 'End recurring maintenance',
    description: 'Cancels the occurrences that have not begun. One in progress lasts until its own end.',
    async handle(call, deps: StatusDeps) {
      const { worker } = deps.leader()
      const ended = await worker.recurring.end(call.params.recurringId as string, call)
      await worker.checkMaintenance()
      return { ok: true, recurring: shownBy(deps, ended) }
    },
  }),
]
