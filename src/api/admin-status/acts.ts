import type { Details, Origin } from '../../accounts/audit.ts'
import type { Journal } from '../../accounts/journal.ts'
import type { Schema, TypeOf } from '../../http/schema.ts'
import { isId } from '../../lib/ids.ts'
import { details } from '../../status/audit.ts'
import { type Change, changes } from '../../status/changes.ts'
import type { ScheduleFields } from '../../status/schedule-terms.ts'

/** A change at the status worker, and what the audit says of it. */
export interface StatusAct<S extends Schema = Schema> extends Change<S> {
  readonly path: string
  readonly body?: object
  done(reply: TypeOf<S>): { readonly target: string; readonly before?: Details; readonly after: Details | null }
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

const act = <S extends Schema>(
  change: Change<S>,
  sent: Pick<StatusAct<S>, 'path' | 'body' | 'done'>,
): StatusAct<S> => ({ ...change, ...sent })

const pathTo = (collection: string, id: string) => `/${collection}/${encodeURIComponent(id)}`

export const retireComponent = (id: string, publish: string) =>
  act(changes.retire, {
    path: `${pathTo('components', id)}?publish=${publish}`,
    done: () => ({ target: id, after: details.retired(publish) }),
  })

/** What is not given stays as it is. */
export const changeComponent = (id: string, terms: ScheduleFields) =>
  act(changes.reschedule, {
    path: pathTo('components', id),
    body: terms,
    done: () => ({ target: id, after: { ...terms } as Details }),
  })

export const acknowledgeOutage = (id: string, by: string) =>
  act(changes.acknowledge, {
    path: `${pathTo('components', id)}/acknowledge`,
    body: { by },
    done: ({ acknowledgement }) => ({ target: id, after: details.acknowledged(acknowledgement.by) }),
  })

/** `hash`: of the token of a link in an alert. */
export const acknowledgeByLink = (hash: string) =>
  act(changes.acknowledgeByLink, {
    path: `/links/${hash}`,
    done: ({ componentId, acknowledgement }) => ({
      target: componentId,
      after: details.acknowledged(acknowledgement.by),
    }),
  })

export const muteComponent = (id: string, until: string, by: string) =>
  act(changes.mute, {
    path: `${pathTo('components', id)}/mute`,
    body: { until, by },
    done: () => ({ target: id, after: details.muted({ until, by }) }),
  })

export const unmuteComponent = (id: string) =>
  act(changes.unmute, {
    path: `${pathTo('components', id)}/mute`,
    done: () => ({ target: id, after: null }),
  })

export const announceMaintenance = (body: object) =>
  act(changes.announceMaintenance, {
    path: '/maintenance',
    body,
    done: ({ maintenance }) => ({ target: maintenance.id, after: details.maintenance(maintenance) }),
  })

/** What is not given stays as it is. */
export const changeMaintenance = (id: string, body: object) =>
  act(changes.changeMaintenance, {
    path: pathTo('maintenance', id),
    body,
    done: ({ maintenance }) => ({ target: id, after: details.maintenance(maintenance) }),
  })

export const endMaintenance = (id: string) =>
  act(changes.endMaintenance, {
    path: pathTo('maintenance', id),
    done: ({ maintenance }) => ({ target: id, after: details.endedMaintenance(maintenance) }),
  })

export const announceRecurringMaintenance = (body: object) =>
  act(changes.announceRecurring, {
    path: '/maintenance/recurring',
    body,
    done: ({ recurring }) => ({ target: recurring.id, after: details.recurringMaintenance(recurring) }),
  })

export const endRecurringMaintenance = (id: string) =>
  act(changes.endRecurring, {
    path: pathTo('maintenance/recurring', id),
    done: ({ recurring }) => ({ target: id, after: details.recurringMaintenance(recurring) }),
  })

export const announce = (body: object) =>
  act(changes.announce, {
    path: '/announcements',
    body,
    done: ({ announcement }) => ({ target: announcement.id, after: details.announcement(announcement) }),
  })

export const endAnnouncement = (id: string) =>
  act(changes.endAnnouncement, {
    path: pathTo('announcements', id),
    done: ({ announcement }) => ({ target: id, after: details.endedAnnouncement(announcement) }),
  })

export const openIncident = (body: object) =>
  act(changes.openIncident, {
    path: '/incidents',
    body,
    done: ({ incident }) => ({ target: incident.id, after: details.incident(incident) }),
  })

export const updateIncident = (id: string, body: object) =>
  act(changes.updateIncident, {
    path: `${pathTo('incidents', id)}/updates`,
    body,
    done: ({ incident }) => ({ target: id, after: details.incident(incident) }),
  })

export const deleteIncident = (id: string) =>
  act(changes.deleteIncident, {
    path: pathTo('incidents', id),
    done: ({ incident }) => ({ target: id, before: details.incident(incident), after: null }),
  })

export const testTarget = (name: string) =>
  act(changes.testTarget, {
    path: `${pathTo('targets', name)}/test`,
    done: ({ test }) => ({ target: name, after: details.test(test) }),
  })
