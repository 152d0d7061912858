import { defineRoute, type Route } from '../http/route.ts'
import { isoOrNull } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { named, runQuery, sendEnd } from './heartbeat-routes.ts'
import { componentOf, idOf, reading, type StatusDeps } from './route-parts.ts'
import { readRunBody, runBody } from './run-body.ts'
import * as runSchemas from './run-schemas.ts'
import { maxRunMs, type RanRun } from './runs.ts'
import { scheduleOf, termErrors } from './schedule-terms.ts'
import * as schemas from './schemas.ts'

function shown({ startedAt, endedAt, outcome, ...run }: RanRun, now: number) {
  const until = outcome === 'running' ? now : endedAt
  const hasDuration = startedAt !== null && until !== null
  return {
    ...run,
    outcome,
    startedAt: isoOrNull(startedAt),
    endedAt: isoOrNull(endedAt),
    durationSeconds: hasDuration ? Math.max(0, Math.round((until - startedAt) / 1000)) : null,
  }
}

const run = {
  method: 'POST',
  params: schemas.params,
  query: runQuery,
  upload: runBody,
  access: named,
  envelope: 'ok',
  isRoutine: true,
  errors: [errors.badId, ...termErrors, errors.tooMany, errors.notSaved, errors.standingBy],
} as const

/** Before the heartbeats, whose paths match too. */
export const runRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...run,
    path: '/heartbeat/:componentId/start',
    operationId: 'startRun',
    summary: 'Say that a run has started',
    description:
      'Fulfils the schedule, and reports no status: it resolves no incident. If the run does not end within `maxRunSeconds`, an incident opens. Registers a new component as `operational`.',
    reply: { status: 200, schema: runSchemas.started },
    async handle(call, { worker, onHeartbeat }: StatusDeps) {
      const { rid = null, message: _, instance: __, ...terms } = call.query
      const start = { ...scheduleOf(terms), rid, body: await readRunBody(call) }
      const running = await worker().startRun(idOf(call), start)
      onHeartbeat(call.address)
      return { ok: true, componentId: idOf(call), running }
    },
  }),
  defineRoute({
    ...run,
    path: '/heartbeat/:componentId/fail',
    operationId: 'failRun',
    summary: 'Say that a run has failed',
    description: 'The same as an exit code other than 0, for senders that have none: reports `outage`.',
    reply: { status: 200, schema: schemas.heartbeat },
    handle: (call, deps: StatusDeps) => sendEnd(call, null, deps),
  }),
  defineRoute({
    ...reading,
    path: '/components/:componentId/runs',
    params: schemas.params,
    operationId: 'listRuns',
    summary: 'List the last 20 runs of a component, newest first',
    reply: { status: 200, schema: runSchemas.runs },
    errors: [errors.unknown, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { store, now } = deps.leader()
      const { id, schedule } = componentOf(deps, call)
      const runs = (await store.runs(id)).map((each) => shown(each, now()))
      return { ok: true, componentId: id, maxRunSeconds: maxRunMs(schedule) / 1000, runs }
    },
  }),
]
