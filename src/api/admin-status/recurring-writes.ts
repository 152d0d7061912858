import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { isId } from '../../lib/ids.ts'
import { errors } from '../../status/errors.ts'
import { recurringMaintenance, recurringOf, recurringTerms } from '../../status/recurring-schemas.ts'
import * as schemas from '../../status/schemas.ts'
import { bodyLimitBytes } from '../../status/terms.ts'
import * as acts from './acts.ts'
import { type AdminStatusDeps, inEnvelope, replyOf } from './parts.ts'
import { writeErrors } from './tell-leader.ts'
import { actAs, checked, writing } from './writing.ts'

export const recurringWrites: readonly ApiRoute<AdminStatusDeps, KeyPassage>[] = [
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/maintenance/recurring',
    operationId: 'announceRecurringStatusMaintenance',
    summary: 'Announce maintenance that recurs by a cron expression',
    description:
      'Each occurrence is a maintenance window like any other. The next five are always announced; one of them can be cancelled by itself.',
    audit: 'announce-maintenance',
    body: recurringTerms,
    bodyLimitBytes,
    reply: replyOf(recurringMaintenance, 201),
    errors: [...acts.refusals.announceRecurring, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      const { cron, durationMs, ...terms } = recurringOf(body)
      const sent = { ...terms, schedule: cron.expression, tz: cron.tz, durationSeconds: durationMs / 1000 }
      const { text, ...others } = sent
      const order = acts.announceRecurringMaintenance({ ...others, ...(text !== null && { text }) })
      return inEnvelope(201, await actAs(deps, actor, order))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'DELETE',
    path: '/admin/status/maintenance/recurring/:id',
    params: { id: schemas.maintenanceId },
    operationId: 'endRecurringStatusMaintenance',
    summary: 'End recurring maintenance',
    description: 'Cancels the occurrences that have not begun. One in progress lasts until its own end.',
    audit: 'end-maintenance',
    reply: replyOf(recurringMaintenance, 200),
    errors: [...acts.refusals.endMaintenance, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownMaintenance, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.endRecurringMaintenance(id)))
    },
  }),
]
