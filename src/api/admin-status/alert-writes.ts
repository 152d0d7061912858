import { type ApiRoute, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { refuse } from '../../http/refusal.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { acknowledged, muted, untilTerms } from '../../status/acknowledgement-schemas.ts'
import { errors } from '../../status/errors.ts'
import * as schemas from '../../status/schemas.ts'
import * as acts from './acts.ts'
import { type AdminStatusDeps, inEnvelope, replyOf } from './parts.ts'
import { writeErrors } from './tell-leader.ts'
import { actAs, checked, writing } from './writing.ts'

const params = { id: schemas.params.componentId }

/** What administrators do about the alerts of a component. */
export const alertWrites: readonly ApiRoute<AdminStatusDeps, KeyPassage>[] = [
  defineApiRoute({
    ...writing,
    method: 'POST',
    path: '/admin/status/components/:id/acknowledge',
    params,
    operationId: 'acknowledgeStatusOutage',
    summary: 'Acknowledge the outage of a component',
    description: 'Nobody is reminded of it any more, and its alert channels are told who takes care of it.',
    audit: 'acknowledge',
    reply: replyOf(acknowledged, 200),
    errors: [...acts.refusals.acknowledge, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.acknowledgeOutage(id, actor.user.username)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'PUT',
    path: '/admin/status/components/:id/mute',
    params,
    operationId: 'muteStatusComponent',
    summary: 'Send no alerts of a component until a time',
    description: 'Status pages and the webhook are not affected. What still holds then is sent, with its time.',
    audit: 'mute',
    body: untilTerms,
    reply: replyOf(muted, 200),
    errors: [...acts.refusals.mute, ...writeErrors],
    async handle({ actor, params, body }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      const until = isoTime(body.until ?? refuse(errors.badMute))
      return inEnvelope(200, await actAs(deps, actor, acts.muteComponent(id, until, actor.user.username)))
    },
  }),
  defineApiRoute({
    ...writing,
    method: 'DELETE',
    path: '/admin/status/components/:id/mute',
    params,
    operationId: 'unmuteStatusComponent',
    summary: 'Send alerts of a component again',
    audit: 'unmute',
    reply: replyOf(muted, 200),
    errors: [...acts.refusals.unmute, ...writeErrors],
    async handle({ actor, params }, deps: AdminStatusDeps) {
      const id = checked(params.id as string, schemas.isComponentId, errors.unknown, actor)
      return inEnvelope(200, await actAs(deps, actor, acts.unmuteComponent(id)))
    },
  }),
]
