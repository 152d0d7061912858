import { isId } from '../../lib/ids.ts'
import { changes } from '../../status/changes.ts'
import { errors } from '../../status/errors.ts'
import { recurringOf, recurringTerms } from '../../status/recurring-schemas.ts'
import { maintenanceId } from '../../status/schemas.ts'
import { bodyLimitBytes } from '../../status/terms.ts'
import * as acts from './acts.ts'
import { checked, writeRoute } from './writing.ts'

export const recurringWrites = [
  writeRoute(changes.announceRecurring, {
    path: '/admin/status/maintenance/recurring',
    operationId: 'announceRecurringStatusMaintenance',
    summary: 'Announce maintenance that recurs by a cron expression',
    description:
      'Each occurrence is a maintenance window like any other. The next five are always announced; one of them can be cancelled by itself.',
    body: recurringTerms,
    bodyLimitBytes,
    actOf({ body }) {
      const { cron, durationMs, text, ...terms } = recurringOf(body)
      const sent = { ...terms, schedule: cron.expression, tz: cron.tz, durationSeconds: durationMs / 1000 }
      return acts.announceRecurringMaintenance({ ...sent, ...(text !== null && { text }) })
    },
  }),
  writeRoute(changes.endRecurring, {
    path: '/admin/status/maintenance/recurring/:id',
    params: { id: maintenanceId },
    operationId: 'endRecurringStatusMaintenance',
    summary: 'End recurring maintenance',
    description: 'Cancels the occurrences that have not begun. One in progress lasts until its own end.',
    actOf: (call) => acts.endRecurringMaintenance(checked(call, 'id', isId, errors.unknownMaintenance)),
  }),
]
