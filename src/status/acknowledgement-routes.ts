import type { Call } from '../http/call.ts'
import { refuse } from '../http/refusal.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { dayMs, isoTime } from '../lib/timestamps.ts'
import { acknowledgementOf } from './acknowledgement.ts'
import * as schemas from './acknowledgement-schemas.ts'
import { changes } from './changes.ts'
import type { Component } from './component.ts'
import { errors } from './errors.ts'
import { linkSentTo } from './links.ts'
import { changing, componentOf, reading, type StatusDeps } from './route-parts.ts'
import { params } from './schemas.ts'

export const shownAcknowledgement = (component: Component) => {
  const found = acknowledgementOf(component)
  return found && { by: found.by, at: isoTime(found.at) }
}
export const shownMute = ({ mute = null }: Component) => mute && { until: isoTime(mute.until), by: mute.by }

const acknowledgedReply = (component: Component) => ({
  ok: true,
  componentId: component.id,
  acknowledgement: shownAcknowledgement(component),
})
const mutedReply = (component: Component) => ({ ok: true, componentId: component.id, mute: shownMute(component) })

const maxMuteMs = 31 * dayMs

function untilOf(until: number | undefined, now: number): number {
  return until === undefined || until <= now || until > now + maxMuteMs ? refuse(errors.badMute) : until
}

async function outageOf(call: Call, { leader }: StatusDeps) {
  const found = await leader().links.outageOf(call.params.hash as string)
  return found ?? refuse(errors.unknownLink)
}

export const acknowledgementRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...changing(changes.acknowledge),
    path: '/components/:componentId/acknowledge',
    params,
    operationId: 'acknowledgeOutage',
    summary: 'Acknowledge the outage of a component',
    description: 'Nobody is reminded of it any more, and its alert channels are told who takes care of it.',
    body: schemas.byTerms,
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { by = '' } = call.body
      return acknowledgedReply(await deps.leader().worker.acts.acknowledge(id, by, call))
    },
  }),
  defineRoute({
    ...changing(changes.mute),
    path: '/components/:componentId/mute',
    params,
    operationId: 'muteComponent',
    summary: 'Send no alerts of a component until a time',
    description: 'Status pages and the webhook are not affected. What still holds then is sent, with its time.',
    body: schemas.muteTerms,
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { worker, now } = deps.leader()
      const { until, by = '' } = call.body
      return mutedReply(await worker.acts.mute(id, untilOf(until, now()), by, call))
    },
  }),
  defineRoute({
    ...changing(changes.unmute),
    path: '/components/:componentId/mute',
    params,
    operationId: 'unmuteComponent',
    summary: 'Send alerts of a component again',
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      return mutedReply(await deps.leader().worker.acts.unmute(id, call))
    },
  }),
  defineRoute({
    ...reading,
    path: '/links/:hash',
    params: schemas.linkParams,
    operationId: 'getOutageOfLink',
    summary: 'Show the outage that a link in an alert acknowledges',
    reply: { status: 200, schema: schemas.outage },
    errors: [errors.unknownLink, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { component, target } = await outageOf(call, deps)
      return {
        ok: true,
        componentId: component.id,
        status: component.incident ? 'outage' : component.lastReportedStatus,
        since: isoTime(component.downAt),
        target,
        acknowledgement: shownAcknowledgement(component),
      }
    },
  }),
  defineRoute({
    ...changing(changes.acknowledgeByLink),
    path: '/links/:hash',
    params: schemas.linkParams,
    operationId: 'acknowledgeByLink',
    summary: 'Acknowledge an outage by a link in an alert',
    description: 'A link is good for one outage until it ends, for 7 days at most.',
    async handle(call, deps: StatusDeps) {
      const { component, target } = await outageOf(call, deps)
      const { acts } = deps.leader().worker
      return acknowledgedReply(await acts.acknowledge(component.id, linkSentTo(target), call, component.downAt))
    },
  }),
]
