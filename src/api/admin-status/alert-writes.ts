import { refuse } from '../../http/refusal.ts'
import { isoTime } from '../../lib/timestamps.ts'
import { untilTerms } from '../../status/acknowledgement-schemas.ts'
import { changes } from '../../status/changes.ts'
import { errors } from '../../status/errors.ts'
import * as acts from './acts.ts'
import { componentIn, componentParams as params, writeRoute } from './writing.ts'

/** What administrators do about the alerts of a component. */
export const alertWrites = [
  writeRoute(changes.acknowledge, {
    path: '/admin/status/components/:id/acknowledge',
    params,
    operationId: 'acknowledgeStatusOutage',
    summary: 'Acknowledge the outage of a component',
    description: 'Nobody is reminded of it any more, and its alert channels are told who takes care of it.',
    actOf: (call) => acts.acknowledgeOutage(componentIn(call), call.actor.user.username),
  }),
  writeRoute(changes.mute, {
    path: '/admin/status/components/:id/mute',
    params,
    operationId: 'muteStatusComponent',
    summary: 'Send no alerts of a component until a time',
    description: 'Status pages and the webhook are not affected. What still holds then is sent, with its time.',
    body: untilTerms,
    actOf(call) {
      const id = componentIn(call)
      const until = isoTime(call.body.until ?? refuse(errors.badMute))
      return acts.muteComponent(id, until, call.actor.user.username)
    },
  }),
  writeRoute(changes.unmute, {
    path: '/admin/status/components/:id/mute',
    params,
    operationId: 'unmuteStatusComponent',
    summary: 'Send alerts of a component again',
    actOf: (call) => acts.unmuteComponent(componentIn(call)),
  }),
]
