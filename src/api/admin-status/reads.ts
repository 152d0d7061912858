import { onlyAdministrators, onlyRoles } from '../../accounts/access.ts'
import { defaultPageSize } from '../../accounts/admin/limits.ts'
import { limitField } from '../../accounts/admin/page.ts'
import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { permitted } from '../../accounts/roles.ts'
import { choice, fields, strict } from '../../http/fields.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import { mismatch, type Schema, type TypeOf } from '../../http/schema.ts'
import { isId } from '../../lib/ids.ts'
import { readWholeNumber } from '../../lib/read-text.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { announcedStates } from '../../status/announced.ts'
import { errors as workerErrors } from '../../status/errors.ts'
import { isWindowCursor } from '../../status/maintenance-page.ts'
import { recurringMaintenances } from '../../status/recurring-schemas.ts'
import { runs } from '../../status/run-schemas.ts'
import * as schemas from '../../status/schemas.ts'
import { targets } from '../../status/target-schemas.ts'
import { cursorField } from '../../status/terms.ts'
import { writtenIncidents } from '../../status/written-incident-schemas.ts'
import { askWorkers, findLeader, type Unanswered } from '../ask-workers.ts'
import { type AdminStatusDeps, errors, inEnvelope, replyOf } from './parts.ts'
import { componentIn, componentParams } from './writing.ts'

const reading = {
  method: 'GET',
  envelope: 'status',
  limit: null,
  counts: 'admin',
  audit: 'status.read',
  keyScope: 'admin:read',
  errors: [errors.workerAway],
} as const

/** Passes on only the parsed values of the caller's request; the reply is checked and serialised again. */
const read = async (...args: Parameters<typeof request>): Promise<object> => inEnvelope(200, await request(...args))

async function request<T>(
  { statusWorkers }: AdminStatusDeps,
  path: string,
  schema: Schema<T>,
  query: Readonly<Record<string, string | number | undefined>> = {},
  missing: Refusal | null = null,
): Promise<T> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  const reply: unknown = await askWorkers(statusWorkers, search.size > 0 ? `${path}?${search}` : path)
    .then(JSON.parse)
    .catch(({ status }: Unanswered) => (missing && status === 404 ? refuse(missing) : null))
  return mismatch(schema, reply) === null ? (reply as T) : refuse(errors.workerAway)
}

/** A stand-by does not know the component, so only the leader is asked. */
async function readRuns(deps: AdminStatusDeps, id: string): Promise<object> {
  const statusWorkers = [await findLeader(deps.statusWorkers).catch(() => refuse(errors.workerAway))]
  return read({ ...deps, statusWorkers }, `/components/${encodeURIComponent(id)}/runs`, runs, {}, workerErrors.unknown)
}

const pageSize = 100
const timeoutMs = 1_900

/** In pages, since a thousand components with their pushes exceed the limit of a worker's reply. */
async function readComponents(deps: AdminStatusDeps): Promise<object> {
  const components: TypeOf<typeof schemas.components>['components'] = []
  const signal = AbortSignal.timeout(timeoutMs)
  for (let cursor: string | undefined; !signal.aborted; ) {
    const query = { limit: pageSize, cursor }
    const { components: page, next, neverHeard } = await request(deps, '/components', schemas.components, query)
    components.push(...page)
    if (next === null) return { status: 200, components, neverHeard }
    if (page.length > pageSize || next <= (cursor ?? '')) break
    cursor = next
  }
  return refuse(errors.workerAway)
}

const { next: _, ...ofComponents } = schemas.components.properties ?? {}
const allComponents: Schema = { ...schemas.components, properties: ofComponents }

const members = onlyRoles(permitted.readStatus)

/** Browsers never talk to the worker directly. */
export const statusReads: readonly ApiRoute<AdminStatusDeps, KeyPassage>[] = [
  defineApiRoute({
    ...reading,
    path: '/admin/status/components',
    operationId: 'listStatusComponents',
    summary: 'List the components of the status worker',
    access: members,
    isCompressed: true,
    reply: replyOf(allComponents, 200),
    handle: (_call, deps: AdminStatusDeps) =>
      withTimeout(readComponents(deps), timeoutMs, () => refuse(errors.workerAway)),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/components/:id/runs',
    params: componentParams,
    operationId: 'listStatusRuns',
    summary: 'List the last 20 runs of a component, newest first',
    access: onlyAdministrators,
    isCompressed: true,
    reply: replyOf(runs, 200),
    errors: [workerErrors.unknown, errors.workerAway],
    handle: (call, deps: AdminStatusDeps) =>
      withTimeout(readRuns(deps, componentIn(call)), timeoutMs, () => refuse(errors.workerAway)),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/incidents',
    operationId: 'listStatusIncidents',
    summary: 'List the incidents of the status worker, newest first',
    access: members,
    query: strict(
      fields({
        open: choice(['true', 'false'], errors.badOpen, {
          description: '`true`: only open incidents; `false`: only resolved ones',
        }),
        limit: limitField,
        cursor: cursorField(readWholeNumber(1, Number.MAX_SAFE_INTEGER), errors.badCursor),
      }),
    ),
    isCompressed: true,
    reply: replyOf(schemas.incidents, 200),
    handle: ({ query: { limit = defaultPageSize, ...query } }, deps: AdminStatusDeps) =>
      read(deps, '/incidents', schemas.incidents, { ...query, limit }),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/incidents/written',
    operationId: 'listWrittenStatusIncidents',
    summary: 'List the incidents that people wrote about, newest first',
    description: 'Those that were opened by hand, and those by silence that have updates. A page has at least one.',
    access: members,
    query: strict(
      fields({
        cursor: cursorField((text) => (isId(text) ? text : undefined), errors.badCursor),
      }),
    ),
    isCompressed: true,
    reply: replyOf(writtenIncidents, 200),
    handle: ({ query }, deps: AdminStatusDeps) => read(deps, '/incidents/written', writtenIncidents, query),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/maintenance',
    operationId: 'listStatusMaintenance',
    summary: 'List the maintenance windows of the status worker, latest first',
    access: members,
    query: strict(
      fields({
        state: choice(announcedStates, workerErrors.badState),
        limit: limitField,
        cursor: cursorField((text) => (isWindowCursor(text) ? text : undefined), errors.badCursor),
      }),
    ),
    isCompressed: true,
    reply: replyOf(schemas.maintenances, 200),
    handle: ({ query: { limit = defaultPageSize, ...query } }, deps: AdminStatusDeps) =>
      read(deps, '/maintenance', schemas.maintenances, { ...query, limit }),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/maintenance/recurring',
    operationId: 'listRecurringStatusMaintenance',
    summary: 'List the recurring maintenance of the status worker, newest first',
    access: members,
    isCompressed: true,
    reply: replyOf(recurringMaintenances, 200),
    handle: (_call, deps: AdminStatusDeps) => read(deps, '/maintenance/recurring', recurringMaintenances),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/announcements',
    operationId: 'listStatusAnnouncements',
    summary: 'List the announcements of the status worker, latest first',
    access: members,
    query: strict(fields({ state: choice(announcedStates, workerErrors.badState) })),
    isCompressed: true,
    reply: replyOf(schemas.announcements, 200),
    handle: ({ query }, deps: AdminStatusDeps) => read(deps, '/announcements', schemas.announcements, query),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/targets',
    operationId: 'listStatusTargets',
    summary: 'List the targets of the status worker, with their last pushes and test',
    access: onlyAdministrators,
    reply: replyOf(targets, 200),
    handle: (_call, deps: AdminStatusDeps) => read(deps, '/targets', targets),
  }),
  defineApiRoute({
    ...reading,
    path: '/admin/status/diag',
    operationId: 'getStatusDiagnostics',
    summary: "Show the status worker's configuration, and the result of a live request to its status page",
    access: onlyAdministrators,
    reply: replyOf(schemas.diag, 200),
    handle: (_call, deps: AdminStatusDeps) => read(deps, '/diag', schemas.diag, { waitMs: 1_000 }),
  }),
]
