import type { Action, Details, Origin } from '../../accounts/audit.ts'
import type { Journal } from '../../accounts/journal.ts'
import type { Refusal } from '../../http/refusal.ts'
import type { Schema, TypeOf } from '../../http/schema.ts'
import { errors } from '../../status/errors.ts'
import * as schemas from '../../status/schemas.ts'
import { targetTest } from '../../status/target-schemas.ts'

/** A change at the status worker, and what the audit says of it. */
export interface StatusAct<S extends Schema = Schema> {
  readonly action: Action
  readonly method: 'POST' | 'DELETE'
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
  tell(act: StatusAct): Promise<unknown>
}

/** Carries out an act of an administrator or of the command line, and audits its success before anyone hears of it. */
export async function carryOut<S extends Schema>(
  { records, tell }: ActDeps,
  by: Origin,
  act: StatusAct<S>,
): Promise<TypeOf<S>> {
  const reply = (await tell(act)) as TypeOf<S>
  await records.done(by, { action: act.action, ...act.done(reply) })
  return reply
}

const maxShown = 500
const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)

/** What the worker may refuse, for each act. */
export const refusals = {
  retire: [errors.unknown, errors.notSaved],
  announceMaintenance: [errors.badWindow, errors.tooManyWindows, errors.notSaved],
  endMaintenance: [errors.unknownMaintenance, errors.maintenanceOver, errors.notSaved],
  announce: [errors.badPeriod, errors.tooManyAnnouncements, errors.notSaved],
  endAnnouncement: [errors.unknownAnnouncement, errors.announcementOver, errors.notSaved],
  test: [errors.unknownTarget, errors.testedLately],
} as const

const act = <S extends Schema>(spec: StatusAct<S>) => spec

export const retireComponent = (id: string, publish: string) =>
  act({
    action: 'retire-component',
    method: 'DELETE',
    path: `/components/${encodeURIComponent(id)}?publish=${publish}`,
    schema: schemas.retired,
    refusals: refusals.retire,
    done: () => ({ target: id, after: { publish } }),
  })

export const announceMaintenance = (body: object) =>
  act({
    action: 'announce-maintenance',
    method: 'POST',
    path: '/maintenance',
    body,
    schema: schemas.maintenance,
    refusals: refusals.announceMaintenance,
    done: ({ maintenance: { id, components, from, until, text } }) => ({
      target: id,
      after: { components: shortened(components.join(', ')), from, until, text },
    }),
  })

export const endMaintenance = (id: string) =>
  act({
    action: 'end-maintenance',
    method: 'DELETE',
    path: `/maintenance/${encodeURIComponent(id)}`,
    schema: schemas.maintenance,
    refusals: refusals.endMaintenance,
    done: ({ maintenance: { components, endedAt } }) => ({
      target: id,
      after: { components: shortened(components.join(', ')), endedAt },
    }),
  })

export const announce = (body: object) =>
  act({
    action: 'announce',
    method: 'POST',
    path: '/announcements',
    body,
    schema: schemas.announcement,
    refusals: refusals.announce,
    done: ({ announcement: { id, text, from, until } }) => ({ target: id, after: { text, from, until } }),
  })

export const endAnnouncement = (id: string) =>
  act({
    action: 'end-announcement',
    method: 'DELETE',
    path: `/announcements/${encodeURIComponent(id)}`,
    schema: schemas.announcement,
    refusals: refusals.endAnnouncement,
    done: ({ announcement: { text, endedAt } }) => ({ target: id, after: { text, endedAt } }),
  })

export const testTarget = (name: string) =>
  act({
    action: 'test-target',
    method: 'POST',
    path: `/targets/${encodeURIComponent(name)}/test`,
    schema: targetTest,
    refusals: refusals.test,
    done: ({ test: { outcome, reason } }) => ({ target: name, after: { outcome, reason } }),
  })
