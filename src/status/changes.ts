import type { Refusal } from '../http/refusal.ts'
import type { Schema } from '../http/schema.ts'
import { acknowledged, muted } from './acknowledgement-schemas.ts'
import type { ChangeAction } from './audit.ts'
import { errors } from './errors.ts'
import { recurringMaintenance } from './recurring-schemas.ts'
import { termErrors } from './schedule-terms.ts'
import * as schemas from './schemas.ts'
import { targetTest } from './target-schemas.ts'
import { writtenIncident } from './written-incident-schemas.ts'

/** What routes of the worker and those of the API that relay to them have in common. */
export interface Change<S extends Schema = Schema> {
  readonly action: ChangeAction
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Of the success: 200 if unset. */
  readonly status?: 200 | 201
  /** Of the worker's success reply. */
  readonly schema: S
  /** Of the worker, besides those of fields. */
  readonly refusals: readonly Refusal[]
}

/** Every change but a heartbeat. */
export const changes = {
  retire: {
    action: 'retire-component',
    method: 'DELETE',
    schema: schemas.retired,
    refusals: [errors.unknown, errors.notSaved],
  },
  reschedule: {
    action: 'change-component',
    method: 'PATCH',
    schema: schemas.component,
    refusals: [errors.unknown, ...termErrors, errors.badTz, errors.notSaved],
  },
  acknowledge: {
    action: 'acknowledge',
    method: 'POST',
    schema: acknowledged,
    refusals: [errors.unknown, errors.notDown, errors.acknowledgedBefore, errors.notSaved],
  },
  acknowledgeByLink: {
    action: 'acknowledge',
    method: 'POST',
    schema: acknowledged,
    refusals: [errors.unknownLink, errors.notDown, errors.acknowledgedBefore, errors.notSaved],
  },
  mute: {
    action: 'mute',
    method: 'PUT',
    schema: muted,
    refusals: [errors.unknown, errors.badMute, errors.notSaved],
  },
  unmute: {
    action: 'unmute',
    method: 'DELETE',
    schema: muted,
    refusals: [errors.unknown, errors.notMuted, errors.notSaved],
  },
  announceMaintenance: {
    action: 'announce-maintenance',
    method: 'POST',
    status: 201,
    schema: schemas.maintenance,
    refusals: [errors.badWindow, errors.tooManyWindows, errors.notSaved],
  },
  changeMaintenance: {
    action: 'change-maintenance',
    method: 'PUT',
    schema: schemas.maintenance,
    refusals: [errors.unknownMaintenance, errors.maintenanceOver, errors.badWindow, errors.notSaved],
  },
  endMaintenance: {
    action: 'end-maintenance',
    method: 'DELETE',
    schema: schemas.maintenance,
    refusals: [errors.unknownMaintenance, errors.maintenanceOver, errors.notSaved],
  },
  announceRecurring: {
    action: 'announce-maintenance',
    method: 'POST',
    status: 201,
    schema: recurringMaintenance,
    refusals: [errors.badSchedule, errors.badDuration, errors.tooManyWindows, errors.notSaved],
  },
  endRecurring: {
    action: 'end-maintenance',
    method: 'DELETE',
    schema: recurringMaintenance,
    refusals: [errors.unknownMaintenance, errors.maintenanceOver, errors.notSaved],
  },
  announce: {
    action: 'announce',
    method: 'POST',
    status: 201,
    schema: schemas.announcement,
    refusals: [errors.badPeriod, errors.tooManyAnnouncements, errors.notSaved],
  },
  endAnnouncement: {
    action: 'end-announcement',
    method: 'DELETE',
    schema: schemas.announcement,
    refusals: [errors.unknownAnnouncement, errors.announcementOver, errors.notSaved],
  },
  openIncident: {
    action: 'open-incident',
    method: 'POST',
    status: 201,
    schema: writtenIncident,
    refusals: [errors.badStart, errors.badOpening, errors.tooManyIncidents, errors.notSaved],
  },
  updateIncident: {
    action: 'update-incident',
    method: 'POST',
    status: 201,
    schema: writtenIncident,
    refusals: [
      ...[errors.unknownIncident, errors.notByHand, errors.incidentOpen, errors.incidentResolved],
      ...[errors.onlyHeartbeatResolves, errors.tooManyUpdates, errors.notSaved],
    ],
  },
  deleteIncident: {
    action: 'delete-incident',
    method: 'DELETE',
    schema: writtenIncident,
    refusals: [errors.unknownIncident, errors.notSaved],
  },
  testTarget: {
    action: 'test-target',
    method: 'POST',
    schema: targetTest,
    refusals: [errors.unknownTarget, errors.testedRecently],
  },
} as const satisfies Record<string, Change>
