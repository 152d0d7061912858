import type { Call } from '../http/call.ts'
import { fields, type ReadBy, requiredChoice } from '../http/fields.ts'
import { refuse, refusedFor } from '../http/refusal.ts'
import { type Access, defineRoute, type Route, type RouteSpec } from '../http/route.ts'
import { number, oneOf, string } from '../http/schema.ts'
import { dayMs } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { allowed, idOf, type StatusDeps } from './route-parts.ts'
import { lastLine, readRunBody, rid, runBody } from './run-body.ts'
import type { RunEnd } from './runs.ts'
import { type ScheduleFields, scheduleOf, termErrors, termsAsText, termsInJson } from './schedule-terms.ts'
import * as schemas from './schemas.ts'
import { componentIdPattern, type Status, statuses } from './statuses.ts'
import { shortText, strictField } from './terms.ts'

const statusOrCode = `^(${statuses.join('|')}|0|[1-9]\\d{0,2})$`
const bodyLimitBytes = 16_384

interface Terms extends ScheduleFields {
  readonly message?: string | undefined
  readonly instance?: string | undefined
  readonly durationMs?: number | undefined
}

/** 0 to 255, as the shell has it: no leading zeros. */
const isExitCode = (text: string) => /^(0|[1-9]\d{0,2})$/.test(text) && Number(text) <= 255
const isStatus = (text: string | undefined): text is Status => statuses.includes(text as Status)

/** Checks the path before the body is read. */
export const named: Access<null, StatusDeps> = {
  ...allowed,
  admit({ params: { componentId = '', status } }) {
    if (!schemas.isComponentId(componentId)) refuse(errors.badId)
    return status === undefined || isStatus(status) ? null : refuse(errors.badStatus)
  },
}

const namedWithCode: Access<null, StatusDeps> = {
  ...named,
  admit(call, deps, passage) {
    const { componentId = '', status = '' } = call.params
    return isExitCode(status) && schemas.isComponentId(componentId) ? null : named.admit(call, deps, passage)
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

export const message = shortText(errors.badMessage, {
  description: 'Shown in `/components`, `/incidents` and `/history`',
  examples: ['exit code 1'],
})

export const instance = strictField<string>(
  string({
    pattern: componentIdPattern,
    description: 'The name of one of several senders that report the same component',
    examples: ['web1-3000'],
  }),
  errors.badInstance,
)

const duration = strictField<number>(
  number({
    minimum: 0,
    maximum: dayMs,
    examples: [123.4],
    description: 'How long the component took to respond; the status page shows the mean of each day',
  }),
  errors.badResponseTime,
)
const isDuration = (text: string) => /^\d{1,8}(\.\d+)?$/.test(text) && Number(text) <= dayMs
const durationAsText = { ...duration, read: (text: string) => (isDuration(text) ? Number(text) : undefined) }

export function send(
  call: Call,
  status: Status,
  terms: Terms & { readonly end?: RunEnd },
  { worker, onHeartbeat }: StatusDeps,
) {
  const componentId = idOf(call)
  const { message, instance, durationMs, end } = terms
  const reply = () => {
    onHeartbeat(call.address)
    return { ok: true, componentId, status }
  }
  const heartbeat = { status, ...scheduleOf(terms), message, instance, durationMs, end }
  const saved = worker().heartbeat(componentId, heartbeat)
  return saved ? saved.then(reply) : reply()
}

/** The last line of the body is the message, unless the query has one. */
export async function sendEnd(call: Call<null, unknown, RunQuery>, exitCode: number | null, deps: StatusDeps) {
  const { rid = null, message, ...terms } = call.query
  const body = await readRunBody(call)
  const end = { rid, exitCode, body }
  return send(
    call,
    exitCode === 0 ? 'operational' : 'outage',
    { ...terms, message: message ?? lastLine(body), end },
    deps,
  )
}

const common = { envelope: 'ok', isRoutine: true, reply: { status: 200, schema: schemas.heartbeat } } as const

const asText = { ...termsAsText, message, instance, durationMs: durationAsText }
export const runQuery = fields({ ...asText, rid })
type RunQuery = ReadBy<typeof runQuery>
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
      durationMs: duration,
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
    params: { ...schemas.params, status: string({ pattern: statusOrCode, examples: ['operational'] }) },
    query: runQuery,
    upload: runBody,
    operationId: 'sendHeartbeatWithoutBody',
    summary: 'Send a heartbeat without JSON, or the exit code of a run',
    description:
      'The same as above with a status in the path; a body is then ignored. An exit code from 0 to 255 in its place ends a run: 0 is `operational`, any other `outage`.',
    access: namedWithCode,
    errors: [errors.badId, errors.badStatus, ...termErrors, errors.tooMany, errors.notSaved, errors.standingBy],
    handle(call, deps: StatusDeps) {
      const { status = '' } = call.params
      return isStatus(status) ? send(call, status, call.query, deps) : sendEnd(call, Number(status), deps)
    },
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
