import type { Call } from '../http/call.ts'
import { choice, type Field, fields } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { array } from '../http/schema.ts'
import { isoTime } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { type Maintenance, maintenanceState, maintenanceStates } from './maintenance.ts'
import { allowed, leaderErrors, type StatusDeps, shortText, timeField } from './route-parts.ts'
import * as schemas from './schemas.ts'

const path = '/maintenance/:maintenanceId'
const params = { maintenanceId: schemas.maintenanceId }
const maxComponents = 1_000
const bodyLimitBytes = 131_072

const components: Field<readonly string[] | undefined> = {
  schema: array(schemas.params.componentId, { examples: [['backup', 'database']] }),
  invalid: errors.badComponents,
  empty: errors.badComponents,
  isStrict: true,
}
const text = shortText(errors.badText, { examples: ['Moving to the new disks'] })
const from = timeField('Now by default')
const until = timeField('At most 31 days after `from`')

const idOf = ({ params }: Call) => params.maintenanceId as string

function listOf(ids: readonly string[]): readonly string[] {
  const unique = [...new Set(ids)]
  return unique.length > 0 && unique.length <= maxComponents ? unique : refuse(errors.badComponents)
}

const shown = ({ from, until, endedAt, ...window }: Maintenance, now: number) => ({
  ...window,
  from: isoTime(from),
  until: isoTime(until),
  endedAt: endedAt === null ? null : isoTime(endedAt),
  state: maintenanceState({ from, until, endedAt, ...window }, now),
})

export const maintenanceRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    method: 'GET',
    path: '/maintenance',
    operationId: 'listMaintenance',
    summary: 'List the newest 1,000 announced maintenance windows, latest first',
    access: allowed,
    envelope: 'ok',
    query: fields({ state: choice(maintenanceStates, errors.badState) }),
    reply: { status: 200, schema: schemas.maintenances },
    errors: leaderErrors,
    handle({ query: { state } }, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const all = worker.calendar.list().map((each) => shown(each, now()))
      return { ok: true, maintenance: all.filter((each) => state === undefined || each.state === state) }
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/maintenance',
    operationId: 'announceMaintenance',
    summary: 'Announce maintenance',
    description:
      'From `from` until `until` the components are published as `maintenance`, whatever they report, and silence opens no incident. Their timeouts restart when it ends.',
    access: allowed,
    envelope: 'ok',
    body: fields({
      components: { ...components, absent: errors.badComponents },
      from,
      until: { ...until, absent: errors.badTime },
      text,
    }),
    bodyLimitBytes,
    badJson: errors.badJson,
    reply: { status: 201, schema: schemas.maintenance },
    errors: [errors.badWindow, errors.tooManyWindows, errors.notSaved, errors.standingBy],
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const { components, from = now(), until, text = null } = call.body
      const terms = { components: listOf(components ?? []), from, until: until ?? refuse(errors.badTime), text }
      const window = await worker.calendar.announce(terms, call.address)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
  defineRoute({
    method: 'PUT',
    path,
    params,
    operationId: 'changeMaintenance',
    summary: 'Change announced maintenance',
    description: 'Absent fields keep their values.',
    access: allowed,
    envelope: 'ok',
    body: fields({ components, from, until, text }),
    bodyLimitBytes,
    badJson: errors.badJson,
    reply: { status: 200, schema: schemas.maintenance },
    errors: [errors.unknownMaintenance, errors.maintenanceOver, errors.badWindow, errors.notSaved, errors.standingBy],
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const { components, ...terms } = call.body
      const changes = { ...terms, components: components && listOf(components) }
      const window = await worker.calendar.change(idOf(call), changes, call.address)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
  defineRoute({
    method: 'DELETE',
    path,
    params,
    operationId: 'endMaintenance',
    summary: 'End maintenance early, or cancel it',
    access: allowed,
    envelope: 'ok',
    reply: { status: 200, schema: schemas.maintenance },
    errors: [errors.unknownMaintenance, errors.maintenanceOver, errors.notSaved, errors.standingBy],
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const window = await worker.calendar.end(idOf(call), call.address)
      await worker.checkMaintenance()
      return { ok: true, maintenance: shown(window, now()) }
    },
  }),
]
