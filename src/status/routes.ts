import { fields, wholeNumber } from '../http/fields.ts'
import { TextResponse } from '../http/responses.ts'
import { defineRoute, notModified, type Route } from '../http/route.ts'
import { acknowledgementRoutes } from './acknowledgement-routes.ts'
import { announcementRoutes } from './announcement-routes.ts'
import { auditRoute } from './audit-route.ts'
import { componentRoutes } from './component-routes.ts'
import { errors } from './errors.ts'
import { heartbeatRoutes } from './heartbeat-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { maintenanceRoutes } from './maintenance-routes.ts'
import { recurringRoutes } from './recurring-routes.ts'
import { openapiType, reading, type StatusDeps } from './route-parts.ts'
import { runRoutes } from './run-routes.ts'
import * as schemas from './schemas.ts'
import { summaryRoute } from './summary-route.ts'
import { targetRoutes } from './target-routes.ts'
import { uptimeRoutes } from './uptime-routes.ts'
import { writtenIncidentRoutes } from './written-incident-routes.ts'

const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

export const statusRoutes: readonly Route<StatusDeps, unknown>[] = [
  ...runRoutes,
  ...heartbeatRoutes,
  ...componentRoutes,
  ...acknowledgementRoutes,
  ...historyRoutes,
  ...writtenIncidentRoutes,
  ...recurringRoutes,
  ...maintenanceRoutes,
  ...announcementRoutes,
  auditRoute,
  summaryRoute,
  ...uptimeRoutes,
  ...targetRoutes,
  defineRoute({
    ...reading,
    path: '/diag',
    operationId: 'getDiagnostics',
    summary: 'Show the configuration, and the result of a live request to the status page',
    description: 'All requests within a second share one result.',
    query: fields({
      waitMs: wholeNumber(errors.badWait, {
        minimum: 100,
        maximum: 5_000,
        description: 'How long to wait for the status page; until its timeout by default',
      }),
    }),
    reply: { status: 200, schema: schemas.diag },
    errors: [],
    handle: ({ query: { waitMs } }, { diag }: StatusDeps) => diag(waitMs),
  }),
  defineRoute({
    ...reading,
    path: '/livez',
    operationId: 'getLiveness',
    summary: 'Check liveness',
    isRoutine: true,
    reply: { status: 200, schema: schemas.alive },
    errors: [],
    handle: () => ({ ok: true }),
  }),
  defineRoute({
    ...reading,
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Get metrics for Prometheus',
    reply: { status: 200, type: metricsType },
    errors: [],
    handle: (_call, { metrics }: StatusDeps) => new TextResponse(200, metricsType, metrics()),
  }),
  defineRoute({
    ...reading,
    path: '/openapi.json',
    operationId: 'getOpenapi',
    summary: 'Get these routes as OpenAPI 3.1',
    reply: [{ status: 200, type: openapiType }, notModified],
    errors: [],
    handle: async (call, { openapi }: StatusDeps) => (await openapi())(call),
  }),
]
