import type { Action, Details, Origin } from '../../accounts/audit.ts'
import type { Journal } from '../../accounts/journal.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { Schema, TypeOf } from '../../http/schema.ts'
import { isId } from '../../lib/ids.ts'
import { acknowledged, muted } from '../../status/acknowledgement-schemas.ts'
import { details } from '../../status/audit.ts'
import { errors } from '../../status/errors.ts'
import { recurringMaintenance } from '../../status/recurring-schemas.ts'
import type { ScheduleFields } from '../../status/schedule-terms.ts'
import * as schemas from '../../status/schemas.ts'
import { targetTest } from '../../status/target-schemas.ts'
import { writtenIncident } from '../../status/written-incident-schemas.ts'

/** A change at the status worker, and what the audit says of it. */
export interface StatusAct<S extends Schema = Schema> {
  readonly action: Action
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
  /** Schema of the worker's success reply. */
  readonly schema: S
  /** The worker's possible refusals. */
  readonly refusals: readonly Refusal[]
  done(reply: TypeOf<S>): { readonly target: string; readonly after: Details | null }
}

interface ActDeps {
  readonly records: Pick<Journal, 'done'>
  /** Sends it to the leading worker, and returns its valid reply; throws otherwise. */
  tell(act: StatusAct): Promise<Told>
}

interface Told {
  readonly reply: unknown
  /** The worker's id of the request, and of its own record of the change. */
  readonly requestId: string | null
}

/** Carries out an act of an administrator or of the command line, and audits its success before anyone hears of it. */
export async function carryOut<S extends Schema>(
  { records, tell }: ActDeps,
  by: Origin,
  act: StatusAct<S>,
): Promise<TypeOf<S>> {
  const told = await tell(act)
  const reply = told.reply as TypeOf<S>
  const workersId = told.requestId !== null && isId(told.requestId) ? told.requestId : null
  await records.done(by, { action: act.action, ...act.done(reply), workersId })
  return reply
}

/** What the worker may refuse, for each act. */
export const refusals = {
  retire: [errors.unknown, errors.notSaved],
  change: [errors.unknown, errors.notSaved],
  announceMaintenance: [errors.badWindow, errors.tooManyWindows, errors.notSaved],
  endMaintenance: [errors.unknownMaintenance, errors.maintenanceOver, errors.notSaved],
  announceRecurring: [errors.badSchedule, errors.badDuration, errors.tooManyWindows, errors.notSaved],
  announce: [errors.badPeriod, errors.tooManyAnnouncements, errors.notSaved],
  endAnnouncement: [errors.unknownAnnouncement, errors.announcementOver, errors.notSaved],
  openIncident: [errors.badStart, errors.badOpening, errors.tooManyIncidents, errors.notSaved],
  updateIncident: [
    ...[errors.unknownIncident, errors.notByHand, errors.incidentOpen, errors.incidentResolved],
    ...[errors.onlyHeartbeatResolves, errors.tooManyUpdates, errors.notSaved],
  ],
  test: [errors.unknownTarget, errors.testedLately],
  acknowledge: [errors.unknown, errors.notDown, errors.acknowledgedBefore, errors.notSaved],
  acknowledgeByLink: [errors.unknownLink, errors.notDown, errors.acknowledgedBefore, errors.notSaved],
  mute: [errors.unknown, errors.badMute, errors.notSaved],
  unmute: [errors.unknown, errors.notMuted, errors.notSaved],
} as const

const act = <S extends Schema>(spec: StatusAct<S>) => spec

export const retireComponent = (id: string, publish: string) =>
  act({
    action: 'retire-component',
    method: 'DELETE',
    path: `/components/${encodeURIComponent(id)}?publish=${publish}`,
    schema: schemas.retired,
    refusals: refusals.retire,
    done: () => ({ target: id, after: details.retired(publish) }),
  })

/** What is not given stays as it is. */
export const changeComponent = (id: string, terms: ScheduleFields) =>
  act({
    action: 'change-component',
    method: 'PATCH',
    path: `/components/${encodeURIComponent(id)}`,
    body: terms,
    schema: schemas.component,
    refusals: refusals.change,
    done: () => ({ target: id, after: { ...terms } as Details }),
  })

export const acknowledgeOutage = (id: string, by: string) =>
  act({
    action: 'acknowledge',
    method: 'POST',
    path: `/components/${encodeURIComponent(id)}/acknowledge`,
    body: { by },
    schema: acknowledged,
    refusals: refusals.acknowledge,
    done: ({ acknowledgement }) => ({ target: id, after: details.acknowledged(acknowledgement.by) }),
  })

/** `hash`: of the token of a link in an alert. */
export const acknowledgeByLink = (hash: string) =>
  act({
    action: 'acknowledge',
    method: 'POST',
    path: `/links/${hash}`,
    schema: acknowledged,
    refusals: refusals.acknowledgeByLink,
    done: ({ componentId, acknowledgement }) => ({
      target: componentId,
      after: details.acknowledged(acknowledgement.by),
    }),
  })

export const muteComponent = (id: string, until: string, by: string) =>
  act({
    action: 'mute',
    method: 'PUT',
    path: `/components/${encodeURIComponent(id)}/mute`,
    body: { until, by },
    schema: muted,
    refusals: refusals.mute,
    done: () => ({ target: id, after: details.muted({ until, by }) }),
  })

export const unmuteComponent = (id: string) =>
  act({
    action: 'unmute',
    method: 'DELETE',
    path: `/components/${encodeURIComponent(id)}/mute`,
    schema: muted,
    refusals: refusals.unmute,
    done: () => ({ target: id, after: null }),
  })

export const announceMaintenance = (body: object) =>
  act({
    action: 'announce-maintenance',
    method: 'POST',
    path: '/maintenance',
    body,
    schema: schemas.maintenance,
    refusals: refusals.announceMaintenance,
    done: ({ maintenance }) => ({ target: maintenance.id, after: details.maintenance(maintenance) }),
  })

export const endMaintenance = (id: string) =>
  act({
    action: 'end-maintenance',
    method: 'DELETE',
    path: `/maintenance/${encodeURIComponent(id)}`,
    schema: schemas.maintenance,
    refusals: refusals.endMaintenance,
    done: ({ maintenance }) => ({ target: id, after: details.endedMaintenance(maintenance) }),
  })

export const announceRecurringMaintenance = (body: object) =>
  act({
    action: 'announce-maintenance',
    method: 'POST',
    path: '/maintenance/recurring',
    body,
    schema: recurringMaintenance,
    refusals: refusals.announceRecurring,
    done: ({ recurring }) => ({ target: recurring.id, after: details.recurringMaintenance(recurring) }),
  })

export const endRecurringMaintenance = (id: string) =>
  act({
    action: 'end-maintenance',
    method: 'DELETE',
    path: `/maintenance/recurring/${encodeURIComponent(id)}`,
    schema: recurringMaintenance,
    refusals: refusals.endMaintenance,
    done: ({ recurring }) => ({ target: id, after: details.recurringMaintenance(recurring) }),
  })

export const announce = (body: object) =>
  act({
    action: 'announce',
    method: 'POST',
    path: '/announcements',
    body,
    schema: schemas.announcement,
    refusals: refusals.announce,
    done: ({ announcement }) => ({ target: announcement.id, after: details.announcement(announcement) }),
  })

export const endAnnouncement = (id: string) =>
  act({
    action: 'end-announcement',
    method: 'DELETE',
    path: `/announcements/${encodeURIComponent(id)}`,
    schema: schemas.announcement,
    refusals: refusals.endAnnouncement,
    done: ({ announcement }) => ({ target: id, after: details.endedAnnouncement(announcement) }),
  })

export const openIncident = (body: object) =>
  act({
    action: 'open-incident',
    method: 'POST',
    path: '/incidents',
    body,
    schema: writtenIncident,
    refusals: refusals.openIncident,
    done: ({ incident }) => ({ target: incident.id, after: details.incident(incident) }),
  })

export const updateIncident = (id: string, body: object) =>
  act({
    action: 'update-incident',
    method: 'POST',
    path: `/incidents/${encodeURIComponent(id)}/updates`,
    body,
    schema: writtenIncident,
    refusals: refusals.updateIncident,
    done: ({ incident }) => ({ target: id, after: details.incident(incident) }),
  })

export const testTarget = (name: string) =>
  act({
    action: 'test-target',
    method: 'POST',
    path: `/targets/${encodeURIComponent(name)}/test`,
    schema: targetTest,
    refusals: refusals.test,
    done: ({ test }) => ({ target: name, after: details.test(test) }),
  })
