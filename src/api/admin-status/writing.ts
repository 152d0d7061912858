import { onlyAdministrators } from '../../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { Actor } from '../../accounts/guard.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import type { Call } from '../../http/call.ts'
import { type Refusal, refuse } from '../../http/refusal.ts'
import type { RouteSpec } from '../../http/route.ts'
import type { Change } from '../../status/changes.ts'
import { errors } from '../../status/errors.ts'
import * as schemas from '../../status/schemas.ts'
import { carryOut, type StatusAct } from './acts.ts'
import { type AdminStatusDeps, inEnvelope, replyOf } from './parts.ts'
import { tellLeader, writeErrors } from './tell-leader.ts'

type Described = 'path' | 'params' | 'operationId' | 'summary' | 'description' | 'body' | 'bodyLimitBytes' | 'query'

interface WriteSpec<Body, Query> extends Pick<RouteSpec<Actor, Body, Query>, Described> {
  actOf(call: Call<Actor, Body, Query>): StatusAct
}

/** A route that has the leading worker make the change. */
export const writeRoute = <Body = null, Query = null>(
  { action, method, status = 200, schema, refusals }: Change,
  { actOf, ...described }: WriteSpec<Body, Query>,
): ApiRoute<AdminStatusDeps, KeyPassage> =>
  defineApiRoute({
    ...described,
    method,
    access: onlyAdministrators,
    envelope: 'status',
    limit: null,
    counts: 'admin',
    audit: action,
    keyScope: null,
    reply: replyOf(schema, status),
    errors: [...refusals, ...writeErrors],
    async handle(call, { statusWorkers, records }: AdminStatusDeps) {
      const tell = (act: StatusAct) => tellLeader(statusWorkers, act)
      return inEnvelope(status, await carryOut({ records, tell }, call.actor, actOf(call)))
    },
  })

/** Refuses before any worker is asked. */
export function checked(
  { actor, params }: Pick<Call<Actor>, 'actor' | 'params'>,
  name: string,
  isValid: (text: string) => boolean,
  refusal: Refusal,
): string {
  const value = params[name] as string
  if (!isValid(value)) refuse(refusal)
  actor.noteTarget(value)
  return value
}

export const componentParams = { id: schemas.params.componentId }
export const componentIn = (call: Pick<Call<Actor>, 'actor' | 'params'>): string =>
  checked(call, 'id', schemas.isComponentId, errors.unknown)
