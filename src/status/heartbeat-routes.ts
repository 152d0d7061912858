import { type Field, fields, requiredChoice } from '../http/fields.ts'
import { type Refusal, refuse } from '../http/refusal.ts'
import { type Access, defineRoute, type Route } from '../http/route.ts'
import { integer } from '../http/schema.ts'
import { errors } from './errors.ts'
import { allowed, idOf, type StatusDeps } from './route-parts.ts'
import { maxTimeoutSeconds, minTimeoutSeconds } from './schedule.ts'
import * as schemas from './schemas.ts'
import { statuses } from './statuses.ts'

const bodyLimitBytes = 16_384

/** Checks the id before the body is read. */
const named: Access<null> = {
  ...allowed,
  admit: (call) => (schemas.isComponentId(idOf(call)) ? null : refuse(errors.badId)),
}

const seconds = (minimum: number, invalid: Refusal, description: string): Field<number | undefined> => ({
  schema: integer({ minimum, maximum: maxTimeoutSeconds, description, examples: [3600] }),
  invalid,
  isStrict: true,
})

export const heartbeatRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    method: 'POST',
    path: '/heartbeat/:componentId',
    params: schemas.params,
    summary: 'Send a heartbeat',
    description:
      'Registers a new component. Resolves its open incident, and pushes a changed status to the status page.',
    access: named,
    envelope: 'ok',
    isRoutine: true,
    body: fields({
      status: requiredChoice(statuses, errors.badStatus, errors.badStatus),
      expectWithinSeconds: seconds(
        minTimeoutSeconds,
        errors.badExpectWithin,
        'When the next heartbeat is due. Kept until a heartbeat names another value; with `maintenance`, for maintenance alone. `STATUS_TIMEOUTS` overrides it.',
      ),
      graceSeconds: seconds(
        0,
        errors.badGrace,
        'How long a heartbeat may be late before an incident opens. Kept likewise.',
      ),
    }),
    bodyLimitBytes,
    badJson: errors.badJson,
    reply: { status: 200, schema: schemas.heartbeat },
    errors: [errors.badId, errors.tooMany, errors.notSaved, errors.standingBy],
    handle(call, { heartbeat, onHeartbeat }: StatusDeps) {
      const componentId = idOf(call)
      const { status, expectWithinSeconds, graceSeconds } = call.body
      const reply = () => {
        onHeartbeat()
        return { ok: true, componentId, status }
      }
      const saved = heartbeat(componentId, {
        status,
        expectWithinMs: expectWithinSeconds && expectWithinSeconds * 1000,
        graceMs: graceSeconds === undefined ? undefined : graceSeconds * 1000,
      })
      return saved ? saved.then(reply) : reply()
    },
  }),
]
