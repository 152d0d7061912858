import type { Call } from '../http/call.ts'
import { type Field, fields, requiredChoice } from '../http/fields.ts'
import { refuse, refusedFor } from '../http/refusal.ts'
import { type Access, defineRoute, type Route, type RouteSpec } from '../http/route.ts'
import { oneOf, string } from '../http/schema.ts'
import { errors } from './errors.ts'
import { allowed, idOf, type StatusDeps } from './route-parts.ts'
import { type ScheduleFields, scheduleOf, termErrors, termsAsText, termsInJson } from './schedule-terms.ts'
import * as schemas from './schemas.ts'
import { componentIdPattern, type Status, statuses } from './statuses.ts'
import { shortText } from './terms.ts'

const bodyLimitBytes = 16_384

interface Terms extends ScheduleFields {
  readonly message?: string | undefined
  readonly instance?: string | undefined
}

const isStatus = (text: string | undefined): text is Status => statuses.includes(text as Status)

/** Checks the path before the body is read. */
const named: Access<null, StatusDeps> = {
  ...allowed,
  admit({ params: { componentId = '', status } }) {
    if (!schemas.isComponentId(componentId)) refuse(errors.badId)
    return status === undefined || isStatus(status) ? null : refuse(errors.badStatus)
  },
}

const isBrowserHeader = (name: string) => /^(origin|referer|accept-language|sec-fetch-.*)$/.test(name)

/** An image or link in a web page must not send a heartbeat. */
const notFromPages: Access<null, StatusDeps> = {
  ...named,
  admit(call, deps) {
    if (!deps.getHeartbeats || call.req.method === 'HEAD') refuse(errors.notFound)
    const header = Object.keys(call.req.headers).find(isBrowserHeader)
    if (header !== undefined) throw refusedFor(errors.forbidden, `${header}: a web page may not send heartbeats`)
    named.admit(call, deps, null)
    return deps.mayKnow(idOf(call)) ? null : refuse(errors.unknown)
  },
}

const message = shortText(errors.badMessage, {
  description: 'Shown in `/components`, `/incidents` and `/history`',
  examples: ['exit code 1'],
})

const instance: Field<string | undefined> = {
  schema: string({
    pattern: componentIdPattern,
    description: 'The name of one of several senders that report the same component',
    examples: ['web1-3000'],
  }),
  invalid: errors.badInstance,
  empty: errors.badInstance,
  isStrict: true,
}

function send(call: Call, status: Status, terms: Terms, { heartbeat, onHeartbeat }: StatusDeps) {
  const componentId = idOf(call)
  const { message, instance } = terms
  const reply = () => {
    onHeartbeat()
    return { ok: true, componentId, status }
  }
  const saved = heartbeat(componentId, { status, ...scheduleOf(terms), message, instance })
  return saved ? saved.then(reply) : reply()
}

const common = { envelope: 'ok', isRoutine: true, reply: { status: 200, schema: schemas.heartbeat } } as const

const asText = { ...termsAsText, message, instance }
const status = requiredChoice(statuses, errors.badStatus, errors.badStatus, { title: 'ComponentStatus' })

const inPath = {
  ...common,
  path: '/heartbeat/:componentId/:status',
  params: { ...schemas.params, status: oneOf(statuses, { examples: ['operational'] }) },
  query: fields(asText),
  samples: [{ query: { expectWithinSeconds: '93600' }, isOnlyCurl: true }],
} as const satisfies Partial<RouteSpec<null, unknown, Terms>>

export const heartbeatRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/heartbeat/:componentId',
    params: schemas.params,
    operationId: 'sendHeartbeat',
    samples: [{ body: { status: 'operational', expectWithinSeconds: 93600 } }],
    summary: 'Send a heartbeat',
    description:
      'Registers a new component, resolves its open incident, and pushes a changed status to the status page. A body of type `application/x-www-form-urlencoded` has the same fields; if it begins with `{`, it is read as JSON.',
    access: named,
    body: fields({
      status,
      ...termsInJson,
      message,
      instance,
    }),
    bodyLimitBytes,
    badJson: errors.badJson,
    form: fields({ status, ...asText }),
    errors: [errors.badId, ...termErrors, errors.tooMany, errors.notSaved, errors.standingBy],
    handle: (call, deps: StatusDeps) => send(call, call.body.status, call.body, deps),
  }),
  defineRoute({
    ...inPath,
    method: 'POST',
    operationId: 'sendHeartbeatWithoutBody',
    summary: 'Send a heartbeat without a body',
    description: 'The same, for senders that cannot send JSON. A body is ignored.',
    access: named,
    errors: [errors.badId, errors.badStatus, ...termErrors, errors.tooMany, errors.notSaved, errors.standingBy],
    handle: (call, deps: StatusDeps) => send(call, call.params.status as Status, call.query, deps),
  }),
  defineRoute({
    ...inPath,
    method: 'GET',
    operationId: 'sendHeartbeatByGet',
    summary: 'Send a heartbeat by opening a URL',
    description:
      '404 unless `STATUS_GET_HEARTBEATS=true`; HEAD is always 404. Only for registered components. Requests with headers that browsers send are refused, so that a web page cannot report an outage.',
    access: notFromPages,
    errors: [
      errors.notFound,
      errors.forbidden,
      errors.badId,
      errors.badStatus,
      ...termErrors,
      errors.unknown,
      errors.notSaved,
      errors.standingBy,
    ],
    handle: (call, deps: StatusDeps) => send(call, call.params.status as Status, call.query, deps),
  }),
]
