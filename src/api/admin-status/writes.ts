import { onlyAdministrators } from '../../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { Action, Details } from '../../accounts/audit.ts'
import type { Caller } from '../../accounts/caller.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { choice, fields, strict } from '../../http/fields.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import type { Schema, TypeOf } from '../../http/schema.ts'
import { isId } from '../../lib/ids.ts'
import { isoOrNull, isoTime } from '../../lib/timestamps.ts'
import { errors } from '../../status/errors.ts'
import * as schemas from '../../status/schemas.ts'
import { isTargetName, targetParams, targetTest } from '../../status/target-schemas.ts'
import {
  announcementOf,
  announcementTerms,
  bodyLimitBytes,
  maintenanceOf,
  maintenanceTerms,
} from '../../status/terms.ts'
import { type AdminStatusDeps, inEnvelope, replyOf } from './parts.ts'
import { type Order, tellLeader, writeErrors } from './tell-leader.ts'

const writing = {
  access: onlyAdministrators,
  envelope: 'status',
  limit: null,
  counts: 'admin',
  keyScope: null,
} as const

interface Act<S extends Schema> extends Omit<Order, 'schema'> {
  readonly schema: S
  readonly action: Action
  /** For the audit. */
  done(reply: TypeOf<S>): { readonly target: string; readonly after: Details | null }
}

/** Audits a success before the reply; the service audits refusals and unknown outcomes. */
async function act<S extends Schema>(
  { statusWorkers, records }: AdminStatusDeps,
  by: Caller,
  { action, done, ...order }: Act<S>,
): Promise<TypeOf<S>> {
  const reply = (await tellLeader(statusWorkers, order)) as TypeOf<S>
  await records.done(by, { action, ...done(reply) })
  return reply
}

const isoOf = ({ from, ...terms }: { readonly from?: number; readonly until: number | null }) => ({
  ...terms,
  ...(from !== undefined && { from: isoTime(from) }),
  until: isoOrNull(terms.until),
})

const maxShown = 500
const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)

/** Refuses before any worker is asked. */
function checked(id: string, isValid: (id: string) => boolean, refusal: Refusal, by: Caller): string {
  if (!isValid(id)) refuse(refusal)
  by.noteTarget(id)
  return id
}

const saving = [errors.notSaved]
const retiring = [errors.unknown, ...saving]
const announcingMaintenance = [errors.badWindow, errors.tooManyWindows, ...saving]
const endingMaintenance = [errors.unknownMaintenance, errors.maintenanceOver, ...saving]
const announcing = [errors.badPeriod, errors.tooManyAnnouncements, ...saving]
const endingAnnouncement = [errors.unknownAnnouncement, errors.announcementOver, ...saving]
const testing = [errors.unknownTarget, errors.testedLately]

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
    errors: [...retiring, ...writeErrors],
    async handle({ actor, params, query: { publish = 'maintenance' } }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      const reply = await act(deps, actor, {
        action: 'retire-component',
        method: 'DELETE',
        path: `/components/${id}?publish=${publish}`,
        ...{ schema: schemas.retired, refusals: retiring },
        done: () => ({ target: id, after: { publish } }),
      })
      return inEnvelope(200, reply)
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
    errors: [...announcingMaintenance, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      const reply = await act(deps, actor, {
        action: 'announce-maintenance',
        method: 'POST',
        path: '/maintenance',
        body: isoOf(maintenanceOf(body)),
        ...{ schema: schemas.maintenance, refusals: announcingMaintenance },
        done: ({ maintenance: { id, components, from, until, text } }) => ({
          target: id,
          after: { components: shortened(components.join(', ')), from, until, text },
        }),
      })
      return inEnvelope(201, reply)
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
    errors: [...endingMaintenance, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownMaintenance, actor)
      const reply = await act(deps, actor, {
        action: 'end-maintenance',
        method: 'DELETE',
        path: `/maintenance/${id}`,
        ...{ schema: schemas.maintenance, refusals: endingMaintenance },
        done: ({ maintenance: { components, endedAt } }) => ({
          target: id,
          after: { components: shortened(components.join(', ')), endedAt },
        }),
      })
      return inEnvelope(200, reply)
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
    errors: [...announcing, ...writeErrors],
    async handle({ actor, body }, deps: AdminStatusDeps) {
      const reply = await act(deps, actor, {
        action: 'announce',
        method: 'POST',
        path: '/announcements',
        body: isoOf(announcementOf(body)),
        ...{ schema: schemas.announcement, refusals: announcing },
        done: ({ announcement: { id, text, from, until } }) => ({ target: id, after: { text, from, until } }),
      })
      return inEnvelope(201, reply)
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
    errors: [...endingAnnouncement, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, isId, errors.unknownAnnouncement, actor)
      const reply = await act(deps, actor, {
        action: 'end-announcement',
        method: 'DELETE',
        path: `/announcements/${id}`,
        ...{ schema: schemas.announcement, refusals: endingAnnouncement },
        done: ({ announcement: { text, endedAt } }) => ({ target: id, after: { text, endedAt } }),
      })
      return inEnvelope(200, reply)
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
    errors: [...testing, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const name = checked(params.name as string, isTargetName, errors.unknownTarget, actor)
      const reply = await act(deps, actor, {
        action: 'test-target',
        method: 'POST',
        path: `/targets/${name}/test`,
        ...{ schema: targetTest, refusals: testing },
        done: ({ test: { outcome, reason } }) => ({ target: name, after: { outcome, reason } }),
      })
      return inEnvelope(200, reply)
    },
  }),
]
