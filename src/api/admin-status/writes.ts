import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { choice, fields, strict } from '../../http/fields.ts'
import { isId } from '../../lib/ids.ts'
import { isoOrNull, isoTime } from '../../lib/timestamps.ts'
import { errors } from '../../status/errors.ts'
import { componentChanges, scheduleOf, termErrors } from '../../status/schedule-terms.ts'
import * as schemas from '../../status/schemas.ts'
import { isTargetName, targetParams, targetTest } from '../../status/target-schemas.ts'
import {
  announcementOf,
  announcementTerms,
  bodyLimitBytes,
  maintenanceOf,
  maintenanceTerms,
} from '../../status/terms.ts'
import { incidentId, writtenIncident } from '../../status/written-incident-schemas.ts'
import { openingOf, openingTerms, updateOf, updateTerms } from '../../status/written-incident-terms.ts'
import * as acts from './acts.ts'
import { type AdminStatusDeps, inEnvelope, replyOf } from './parts.ts'
import { writeErrors } from './tell-leader.ts'
import { actAs, checked, writing } from './writing.ts'

const isoOf = ({ from, ...terms }: { readonly from?: number; readonly until: number | null }) => ({
  ...terms,
  ...(from !== undefined && { from: isoTime(from) }),
  until: isoOrNull(terms.until),
})

export const statusWrites: readonly ApiRoute<AdminStatusDeps, KeyPassage>[] = [
  defineApiRoute({
    ...writing,
    method: 'DELETE',
    path: '/admin/status/components/:id',
    params: { id: schemas.params.componentId },
    operationId: 'retireStatusComponent',
    summary: 'Retire a component of the status worker',
    description:
      'Deletes the component and its history once the status pages have accepted `publish`. The next heartbeat registers it again.',
    audit: 'retire-component',
    query: strict(
      fields({
        publish: choice(['operational', 'maintenance', 'nothing'], errors.badPublish, {
          description: 'What to tell its status pages; `maintenance` by default',
        }),
      }),
    ),
    reply: replyOf(schemas.retired, 200),
    errors: [...acts.refusals.retire, ...writeErrors],
    async handle({ actor, params, query: { publish = 'maintenance' } }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.retireComponent(id, publish)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'PATCH',
    path: '/admin/status/components/:id',
    params: { id: schemas.params.componentId },
    operationId: 'changeStatusComponent',
    summary: 'Change when the heartbeats of a component are due',
    description:
      'What is not given stays as it is. They count from now: a cron expression from its next run on. The next heartbeat that sends the same fields changes them again, and `STATUS_TIMEOUTS` overrides both.',
    audit: 'change-component',
    body: componentChanges,
    reply: replyOf(schemas.component, 200),
    errors: [...acts.refusals.change, ...termErrors, ...writeErrors],
    async handle({ actor, params, body }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      scheduleOf(body)
      return inEnvelope(200, await actAs(deps, actor, acts.changeComponent(id, body)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/maintenance',
    operationId: 'announceStatusMaintenance',
    summary: 'Announce maintenance for components',
    description:
      'From `from` until `until`, the components are published as `maintenance`, whatever they report, and silence opens no incident.',
    audit: 'announce-maintenance',
    body: maintenanceTerms,
    bodyLimitBytes,
    reply: replyOf(schemas.maintenance, 201),
    errors: [...acts.refusals.announceMaintenance, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      return inEnvelope(201, await actAs(deps, actor, acts.announceMaintenance(isoOf(maintenanceOf(body)))))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'DELETE',
    path: '/admin/status/maintenance/:id',
    params: { id: schemas.maintenanceId },
    operationId: 'endStatusMaintenance',
    summary: 'End maintenance early, or cancel it',
    audit: 'end-maintenance',
    reply: replyOf(schemas.maintenance, 200),
    errors: [...acts.refusals.endMaintenance, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownMaintenance, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.endMaintenance(id)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/announcements',
    operationId: 'announceOnStatusPage',
    summary: 'Publish an announcement on the status page',
    description: 'Everyone can read it there from `from` until `until`, or until it is ended.',
    audit: 'announce',
    body: announcementTerms,
    reply: replyOf(schemas.announcement, 201),
    errors: [...acts.refusals.announce, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      return inEnvelope(201, await actAs(deps, actor, acts.announce(isoOf(announcementOf(body)))))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'DELETE',
    path: '/admin/status/announcements/:id',
    params: { id: schemas.maintenanceId },
    operationId: 'endStatusAnnouncement',
    summary: 'End or cancel an announcement',
    audit: 'end-announcement',
    reply: replyOf(schemas.announcement, 200),
    errors: [...acts.refusals.endAnnouncement, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownAnnouncement, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.endAnnouncement(id)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/incidents',
    operationId: 'openStatusIncident',
    summary: 'Open an incident by hand',
    description:
      'Everyone can read it on the status page. It changes nothing else: it publishes nothing, and no heartbeat resolves it.',
    audit: 'open-incident',
    body: openingTerms,
    reply: replyOf(writtenIncident, 201),
    errors: [...acts.refusals.openIncident, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      const { from, ...terms } = openingOf(body)
      const sent = { ...terms, ...(from !== null && { from: isoTime(from) }) }
      return inEnvelope(201, await actAs(deps, actor, acts.openIncident(sent)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/incidents/:id/updates',
    params: { id: incidentId },
    operationId: 'updateStatusIncident',
    summary: 'Write an update of an incident, or its postmortem',
    description:
      '`resolved` resolves an incident that was opened by hand. One by silence is resolved by a heartbeat alone; an update may then say what the reason was.',
    audit: 'update-incident',
    body: updateTerms,
    reply: replyOf(writtenIncident, 201),
    errors: [...acts.refusals.updateIncident, ...writeErrors],
    async handle({ actor, body, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownIncident, actor)
      return inEnvelope(201, await actAs(deps, actor, acts.updateIncident(id, updateOf(body))))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/targets/:name/test',
    params: { name: targetParams.target },
    operationId: 'testStatusTarget',
    summary: 'Test a target of the status worker',
    description:
      'Sends a test message to an alert channel or webhook, and a harmless request to any other status page, at most once in 10 s per target. If there is no outcome within a second, it is `sending`, and `GET /admin/status/targets` shows the final one.',
    audit: 'test-target',
    reply: replyOf(targetTest, 200),
    errors: [...acts.refusals.test, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const name = checked(params.name as string, isTargetName, errors.unknownTarget, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.testTarget(name)))
    },
  }),
]
