import { administrators, type Guarded, onlyAdministrators, onlyRoles } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { choice, fields, parsed } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { literal, mismatch, object, type Schema } from '../http/schema.ts'
import { readWholeNumber } from '../lib/read-text.ts'
import * as schemas from '../status/schemas.ts'
import { askWorkers } from './ask-workers.ts'

export interface AdminStatusDeps extends Guarded {
  /** STATUS_WORKER_URL */
  readonly statusWorkers: readonly string[]
}

const errors = {
  workerAway: {
    status: 503,
    message: 'Status worker is unavailable',
    headers: { 'Retry-After': '2' },
    when: 'no status worker of this version responds within 1.5 s, or `STATUS_WORKER_URL` is not set',
  },
  badOpen: { status: 400, message: 'open must be one of true, false' },
  badCursor: { status: 400, message: 'cursor must be the `next` value of a previous response' },
} as const satisfies Record<string, Refusal>

const reading = {
  method: 'GET',
  envelope: 'status',
  limit: null,
  counts: 'admin',
  audit: 'status.read',
  keyScope: 'admin:read',
} as const

/** The worker's reply in the envelope of administration. */
function replyOf({ properties = {}, title = '' }: Schema): Schema {
  const { ok: _, ...own } = properties
  return object({ status: literal(200), ...own }, { title: `Admin${title}` })
}

/** Of the caller's request nothing is passed on but what was parsed; the reply is checked, and serialised anew. */
async function read({ statusWorkers }: AdminStatusDeps, path: string, schema: Schema): Promise<object> {
  const reply: unknown = await askWorkers(statusWorkers, path)
    .then(JSON.parse)
    .catch(() => null)
  if (mismatch(schema, reply) !== null) refuse(errors.workerAway)
  const { ok: _, ...own } = reply as { readonly ok: true }
  return { status: 200, ...own }
}

const members = onlyRoles('support', 'moderator', ...administrators)

/** The browser never asks the worker itself. */
export const adminStatusRoutes: readonly ApiRoute<AdminStatusDeps, KeyPassage>[] = [
  defineApiRoute({
    ...reading,
    path: '/admin/status/components',
    operationId: 'listStatusComponents',
    summary: 'List the components of the status worker',
    access: members,
    isCompressed: true,
    reply: { status: 200, schema: replyOf(schemas.components) },
    errors: [errors.workerAway],
    handle: (_call, deps: AdminStatusDeps) => read(deps, '/components', schemas.components),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/incidents',
    operationId: 'listStatusIncidents',
    summary: 'List the incidents of the status worker, newest first',
    access: members,
    query: fields({
      open: choice(['true', 'false'], errors.badOpen, {
        description: '`true`: only open incidents; `false`: only resolved ones',
      }),
      cursor: parsed(readWholeNumber(1, Number.MAX_SAFE_INTEGER), {
        invalid: errors.badCursor,
        description: 'The `next` of the previous page',
      }),
    }),
    isCompressed: true,
    reply: { status: 200, schema: replyOf(schemas.incidents) },
    errors: [errors.workerAway],
    handle({ query: { open, cursor } }, deps: AdminStatusDeps) {
      const query = new URLSearchParams({
        ...(open !== undefined && { open }),
        ...(cursor !== undefined && { cursor: String(cursor) }),
      })
      return read(deps, `/incidents?${query}`, schemas.incidents)
    },
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/diag',
    operationId: 'getStatusDiagnostics',
    summary: "Show the status worker's configuration, and a live request to its status page",
    access: onlyAdministrators,
    reply: { status: 200, schema: replyOf(schemas.diag) },
    errors: [errors.workerAway],
    handle: (_call, deps: AdminStatusDeps) => read(deps, '/diag', schemas.diag),
  }),
]
