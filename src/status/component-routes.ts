import { choice, fields, optional, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { shownAcknowledgement, shownMute } from './acknowledgement-routes.ts'
import { changes } from './changes.ts'
import type { Component } from './component.ts'
import { errors } from './errors.ts'
import { pushState } from './publication.ts'
import { changing, componentOf, leaderErrors, maxLimit, reading, type StatusDeps } from './route-parts.ts'
import { maxRunMs } from './runs.ts'
import type { Schedule } from './schedule.ts'
import { changesOf, componentChanges } from './schedule-terms.ts'
import * as schemas from './schemas.ts'
import { isDown } from './statuses.ts'
import { cursorField } from './terms.ts'
import { statusOf } from './wanted.ts'
import type { Worker } from './worker.ts'

const snapshotOf = (worker: Worker, component: Component) => ({
  componentId: component.id,
  lastHeartbeatAt: isoTime(component.lastHeartbeatAt),
  secondsSinceLastHeartbeat: Math.floor(worker.silentMs(component) / 1000),
  lastReportedStatus: component.lastReportedStatus,
  publishedStatus: worker.publishedStatus(component),
  activeIncidentId: component.incident?.id ?? null,
})

function detailsOf(worker: Worker, component: Component) {
  const { publishedStatus: _, ...snapshot } = snapshotOf(worker, component)
  const { cron, deadlineAt, timeouts, targets, ...details } = worker.details(component)
  return {
    ...snapshot,
    message: component.message,
    exitCode: component.exitCode,
    maintenanceId: component.maintenanceId,
    downSince: isDown(statusOf(component)) ? isoTime(component.downAt) : null,
    acknowledgement: shownAcknowledgement(component),
    mute: shownMute(component),
    instances: component.instances
      .map(({ instance, status, reportedAt }) => ({ instance, status, lastHeartbeatAt: isoTime(reportedAt) }))
      .sort((a, b) => (a.instance < b.instance ? -1 : 1)),
    ...details,
    timeoutSeconds: Math.ceil(timeouts.timeoutMs / 1000),
    graceSeconds: timeouts.graceMs / 1000,
    timeoutFrom: timeouts.from,
    schedule: cron?.expression ?? null,
    tz: cron?.tz ?? null,
    nextRunAt: isoOrNull(cron?.nextRunAt ?? null),
    maxRunSeconds: maxRunMs(component.schedule) / 1000,
    running: component.runs.length,
    deadlineAt: isoTime(deadlineAt),
    targets: targets.map(({ target, isAlert, publication, retryAt, lastPushes }) => ({
      target,
      isAlert,
      isMapped: (publication?.page ?? null) !== null,
      publishedStatus: publication?.publishedStatus ?? null,
      push: publication ? pushState(publication, isAlert) : ('idle' as const),
      retryAt: isoOrNull(retryAt),
      lastPushes: lastPushes.map((push) => ({ ...push, at: isoTime(push.at) })),
    })),
  }
}

export const componentRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/health',
    operationId: 'listComponentHealth',
    summary: 'List components',
    reply: { status: 200, schema: schemas.snapshots },
    errors: leaderErrors,
    handle(_call, { leader }: StatusDeps) {
      const { worker } = leader()
      return { ok: true, components: worker.components().map((component) => snapshotOf(worker, component)) }
    },
  }),
  defineRoute({
    ...reading,
    path: '/health/:componentId',
    params: schemas.params,
    operationId: 'getComponentHealth',
    summary: 'Show a component',
    reply: { status: 200, schema: schemas.snapshot },
    errors: [errors.unknown, errors.standingBy],
    handle: (call, deps: StatusDeps) => ({ ok: true, ...snapshotOf(deps.leader().worker, componentOf(deps, call)) }),
  }),
  defineRoute({
    ...reading,
    path: '/components',
    operationId: 'listComponents',
    summary: 'List components with timeouts and pushes',
    description: '`lastPushes` starts empty when the worker becomes the leader.',
    query: fields({
      componentId: optional({ description: 'Only these components, separated by commas', examples: ['api,database'] }),
      limit: wholeNumber(errors.badLimit, { minimum: 1, maximum: maxLimit, description: 'All by default' }),
      cursor: cursorField((id) => (schemas.isComponentId(id) ? id : undefined), errors.badCursor),
    }),
    reply: { status: 200, schema: schemas.components },
    errors: leaderErrors,
    handle({ query: { componentId, limit = Infinity, cursor = '' } }, { leader }: StatusDeps) {
      const { worker, neverHeard } = leader()
      const ids = componentId?.split(',')
      const found = worker.components().filter(({ id }) => id > cursor && (ids?.includes(id) ?? true))
      const components = found.slice(0, limit)
      return {
        ok: true,
        components: components.map((component) => detailsOf(worker, component)),
        neverHeard: neverHeard(),
        next: found.length > limit ? (components.at(-1)?.id ?? null) : null,
      }
    },
  }),
  defineRoute({
    ...changing(changes.reschedule),
    path: '/components/:componentId',
    params: schemas.params,
    operationId: 'changeComponent',
    summary: 'Change when the heartbeats of a component are due',
    description:
      'The same fields as with a heartbeat, which may change them again. What is not given stays as it is. They count from now (of a silent one: from its next heartbeat), a cron expression from its next run.',
    body: componentChanges,
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { worker } = deps.leader()
      const termsFor = ({ cron }: Schedule) => changesOf(call.body, cron)
      return { ok: true, component: detailsOf(worker, await worker.acts.reschedule(id, termsFor, call)) }
    },
  }),
  defineRoute({
    ...changing(changes.retire),
    path: '/components/:componentId',
    params: schemas.params,
    operationId: 'retireComponent',
    summary: 'Retire a component',
    description:
      'The component is deleted with its status changes, runs and uptime once the status pages have accepted `publish`; until then it is hidden. An open incident is resolved; incidents stay listed for 90 days. The next heartbeat registers it again.',
    query: fields({
      publish: choice(['operational', 'maintenance', 'nothing'], errors.badPublish, {
        description: 'What to tell its status pages; `maintenance` by default',
      }),
    }),
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { publish = 'maintenance' } = call.query
      await deps.leader().worker.retire(id, publish === 'nothing' ? null : publish, call)
      return { ok: true, componentId: id }
    },
  }),
]
