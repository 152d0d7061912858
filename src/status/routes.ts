import { choice, fields, optional, wholeNumber } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { TextResponse } from '../http/responses.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Component } from './component.ts'
import { errors } from './errors.ts'
import { heartbeatRoutes } from './heartbeat-routes.ts'
import { allowed, componentOf, leaderErrors, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import type { Worker } from './worker.ts'

const [defaultLimit, maxLimit] = [100, 500]
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

const openField = choice(['true', 'false'], errors.badOpen, {
  description: '`true`: only open incidents; `false`: only resolved ones',
})
const limitField = wholeNumber(errors.badLimit, { minimum: 1, maximum: maxLimit, default: defaultLimit })

const snapshotOf = (worker: Worker, component: Component) => ({
  componentId: component.id,
  lastHeartbeatAt: isoTime(component.lastHeartbeatAt),
  secondsSinceLastHeartbeat: Math.floor(worker.silentMs(component) / 1000),
  lastReportedStatus: component.lastReportedStatus,
  publishedStatus: component.publication.publishedStatus,
  activeIncidentId: component.incident?.id ?? null,
})
export const statusRoutes: readonly Route<StatusDeps, unknown>[] = [
  ...heartbeatRoutes,
  defineRoute({
    method: 'GET',
    path: '/health',
    summary: 'All components',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, schema: schemas.snapshots },
    errors: leaderErrors,
    handle(_call, { leader }: StatusDeps) {
      const { worker } = leader()
      return { ok: true, components: worker.components().map((component) => snapshotOf(worker, component)) }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/health/:componentId',
    params: schemas.params,
    summary: 'One component',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, schema: schemas.snapshot },
    errors: [errors.unknown, errors.standingBy],
    handle: (call, deps: StatusDeps) => ({ ok: true, ...snapshotOf(deps.leader().worker, componentOf(deps, call)) }),
  }),
  defineRoute({
    method: 'GET',
    path: '/incidents',
    summary: 'Incidents, newest first',
    access: allowed,
    envelope: 'ok',
    query: fields({
      componentId: optional({ description: 'Only incidents of this component' }),
      open: openField,
      limit: limitField,
    }),
    reply: { status: 200, schema: schemas.incidents },
    errors: leaderErrors,
    async handle({ query: { componentId = null, open: isOpen, limit = defaultLimit } }, { leader }: StatusDeps) {
      if (componentId !== null && !schemas.isComponentId(componentId)) return { ok: true, incidents: [] }
      const which = { componentId, isOpen: isOpen === undefined ? null : isOpen === 'true', limit }
      const found = await leader().store.incidents(which)
      return {
        ok: true,
        incidents: found.map((incident) => ({
          id: incident.id,
          componentId: incident.componentId,
          startedAt: isoTime(incident.startedAt),
          detectedAt: isoTime(incident.detectedAt),
          resolvedAt: incident.resolvedAt === null ? null : isoTime(incident.resolvedAt),
          lastReportedStatus: incident.lastReportedStatus,
        })),
      }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/history/:componentId',
    params: schemas.params,
    summary: 'Status changes of a component, newest first',
    access: allowed,
    envelope: 'ok',
    query: fields({ limit: limitField }),
    reply: { status: 200, schema: schemas.history },
    errors: [errors.unknown, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const found = await deps.leader().store.transitions(id, call.query.limit ?? defaultLimit)
      const transitions = found.map(({ at, from, to, cause }) => ({ at: isoTime(at), from, to, cause }))
      return { ok: true, componentId: id, transitions }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/components/:componentId',
    params: schemas.params,
    summary: 'Retire a component',
    description: 'Deletes it and its history; an open incident is resolved. Another heartbeat registers it anew.',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, schema: schemas.retired },
    errors: [errors.unknown, errors.notSaved, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      if (!(await deps.leader().worker.retire(id))) refuse(errors.unknown)
      return { ok: true, componentId: id }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/diag',
    summary: 'Configuration, and a live request to the status page',
    description: 'The result of the live request is shared for a second.',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, schema: schemas.diag },
    errors: [],
    handle: (_call, { diag }: StatusDeps) => diag(),
  }),
  defineRoute({
    method: 'GET',
    path: '/livez',
    summary: 'Liveness',
    access: allowed,
    envelope: 'ok',
    isRoutine: true,
    reply: { status: 200, schema: schemas.alive },
    errors: [],
    handle: () => ({ ok: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, type: metricsType },
    errors: [],
    handle: (_call, { metrics }: StatusDeps) => new TextResponse(200, metricsType, metrics()),
  }),
]
