import { choice, fields, type ReadBy, strict } from '../../http/fields.ts'
import { isId } from '../../lib/ids.ts'
import { isoOrNull, isoTime } from '../../lib/timestamps.ts'
import { changes } from '../../status/changes.ts'
import { errors } from '../../status/errors.ts'
import { checkChanges, componentChanges } from '../../status/schedule-terms.ts'
import { maintenanceId } from '../../status/schemas.ts'
import { isTargetName, targetParams } from '../../status/target-schemas.ts'
import {
  announcementOf,
  announcementTerms,
  bodyLimitBytes,
  listOf,
  maintenanceChanges,
  maintenanceOf,
  maintenanceTerms,
} from '../../status/terms.ts'
import { incidentId } from '../../status/written-incident-schemas.ts'
import { openingOf, openingTerms, updateOf, updateTerms } from '../../status/written-incident-terms.ts'
import * as acts from './acts.ts'
import { checked, componentIn, componentParams, writeRoute } from './writing.ts'

const isoOf = ({ from, ...terms }: { readonly from?: number; readonly until: number | null }) => ({
  ...terms,
  ...(from !== undefined && { from: isoTime(from) }),
  until: isoOrNull(terms.until),
})

const changesIn = ({ components, from, until, ...rest }: ReadBy<typeof maintenanceChanges>) => ({
  ...rest,
  ...(components !== undefined && { components: listOf(components) }),
  ...(from !== undefined && { from: isoTime(from) }),
  ...(until !== undefined && { until: isoTime(until) }),
})

export const statusWrites = [
  writeRoute(changes.retire, {
    path: '/admin/status/components/:id',
    params: componentParams,
    operationId: 'retireStatusComponent',
    summary: 'Retire a component of the status worker',
    description:
      'Deletes the component with its status changes, runs and uptime once the status pages have accepted `publish`. Its incidents stay listed for 90 days. The next heartbeat registers it again.',
    query: strict(
      fields({
        publish: choice(['operational', 'maintenance', 'nothing'], errors.badPublish, {
          description: 'What to tell its status pages; `maintenance` by default',
        }),
      }),
    ),
    actOf: (call) => acts.retireComponent(componentIn(call), call.query.publish ?? 'maintenance'),
  }),
  writeRoute(changes.reschedule, {
    path: '/admin/status/components/:id',
    params: componentParams,
    operationId: 'changeStatusComponent',
    summary: 'Change when the heartbeats of a component are due',
    description:
      'What is not given stays as it is. They count from now (of a silent one: from its next heartbeat), a cron expression from its next run. The next heartbeat that sends the same fields changes them again, and `STATUS_TIMEOUTS` overrides both.',
    body: componentChanges,
    actOf(call) {
      const id = componentIn(call)
      checkChanges(call.body)
      return acts.changeComponent(id, call.body)
    },
  }),
  writeRoute(changes.announceMaintenance, {
    path: '/admin/status/maintenance',
    operationId: 'announceStatusMaintenance',
    summary: 'Announce maintenance for components',
    description:
      'From `from` until `until`, the components are published as `maintenance`, whatever they report, and silence opens no incident.',
    body: maintenanceTerms,
    bodyLimitBytes,
    actOf: ({ body }) => acts.announceMaintenance(isoOf(maintenanceOf(body))),
  }),
  writeRoute(changes.changeMaintenance, {
    path: '/admin/status/maintenance/:id',
    params: { id: maintenanceId },
    operationId: 'changeStatusMaintenance',
    summary: 'Change announced maintenance',
    description: 'Absent fields keep their values.',
    body: maintenanceChanges,
    bodyLimitBytes,
    actOf(call) {
      const id = checked(call, 'id', isId, errors.unknownMaintenance)
      return acts.changeMaintenance(id, changesIn(call.body))
    },
  }),
  writeRoute(changes.endMaintenance, {
    path: '/admin/status/maintenance/:id',
    params: { id: maintenanceId },
    operationId: 'endStatusMaintenance',
    summary: 'End maintenance early, or cancel it',
    actOf: (call) => acts.endMaintenance(checked(call, 'id', isId, errors.unknownMaintenance)),
  }),
  writeRoute(changes.announce, {
    path: '/admin/status/announcements',
    operationId: 'announceOnStatusPage',
    summary: 'Publish an announcement on the status page',
    description: 'Everyone can read it there from `from` until `until`, or until it is ended.',
    body: announcementTerms,
    actOf: ({ body }) => acts.announce(isoOf(announcementOf(body))),
  }),
  writeRoute(changes.endAnnouncement, {
    path: '/admin/status/announcements/:id',
    params: { id: maintenanceId },
    operationId: 'endStatusAnnouncement',
    summary: 'End or cancel an announcement',
    actOf: (call) => acts.endAnnouncement(checked(call, 'id', isId, errors.unknownAnnouncement)),
  }),
  writeRoute(changes.openIncident, {
    path: '/admin/status/incidents',
    operationId: 'openStatusIncident',
    summary: 'Open an incident by hand',
    description:
      'Everyone can read it on the status page. It changes nothing else: it publishes nothing, and no heartbeat resolves it. The same request within 10 minutes returns the same incident, unless that has changed meanwhile.',
    body: openingTerms,
    actOf({ body }) {
      const { from, ...terms } = openingOf(body)
      return acts.openIncident({ ...terms, ...(from !== null && { from: isoTime(from) }) })
    },
  }),
  writeRoute(changes.updateIncident, {
    path: '/admin/status/incidents/:id/updates',
    params: { id: incidentId },
    operationId: 'updateStatusIncident',
    summary: 'Write an update of an incident, or its postmortem',
    description:
      '`resolved` resolves an incident that was opened by hand. One by silence is resolved by a heartbeat alone; an update may then say what the reason was.',
    body: updateTerms,
    actOf: (call) => acts.updateIncident(checked(call, 'id', isId, errors.unknownIncident), updateOf(call.body)),
  }),
  writeRoute(changes.deleteIncident, {
    path: '/admin/status/incidents/:id',
    params: { id: incidentId },
    operationId: 'deleteStatusIncident',
    summary: 'Delete what people wrote about an incident',
    description:
      'Gone from the status page, its feed and JSON within 10 s. One that was opened by hand is deleted as a whole; one by silence stays listed, without its updates.',
    actOf: (call) => acts.deleteIncident(checked(call, 'id', isId, errors.unknownIncident)),
  }),
  writeRoute(changes.testTarget, {
    path: '/admin/status/targets/:name/test',
    params: { name: targetParams.target },
    operationId: 'testStatusTarget',
    summary: 'Test a target of the status worker',
    description:
      'Sends a test message to an alert channel or webhook, and a harmless request to any other status page, at most once in 10 s per target. If there is no outcome within a second, it is `sending`, and `GET /admin/status/targets` shows the final one.',
    actOf: (call) => acts.testTarget(checked(call, 'name', isTargetName, errors.unknownTarget)),
  }),
]
