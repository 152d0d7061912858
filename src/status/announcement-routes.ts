import { choice, fields } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { announcedState, announcedStates, inIso } from './announced.ts'
import type { Announcement } from './announcements.ts'
import { changes } from './changes.ts'
import { errors } from './errors.ts'
import { changing, leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import { announcementOf, announcementTerms } from './terms.ts'

const shown = (announcement: Announcement, now: number) => ({
  ...inIso(announcement),
  state: announcedState(announcement, now),
})

export const announcementRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/announcements',
    operationId: 'listAnnouncements',
    summary: 'List the newest 500 announcements, latest first',
    query: fields({ state: choice(announcedStates, errors.badState) }),
    reply: { status: 200, schema: schemas.announcements },
    errors: leaderErrors,
    handle({ query: { state } }, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const all = worker.announcements.list().map((each) => shown(each, now()))
      return { ok: true, announcements: all.filter((each) => state === undefined || each.state === state) }
    },
  }),
  defineRoute({
    ...changing(changes.announce),
    path: '/announcements',
    operationId: 'announce',
    summary: 'Publish an announcement on the status page of the API',
    description:
      'Everyone can read it there from `from` until `until`, or until it is ended. It is deleted 90 days after its end.',
    body: announcementTerms,
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const { from = now(), ...terms } = announcementOf(call.body)
      const made = await worker.announcements.announce({ ...terms, from }, call)
      return { ok: true, announcement: shown(made, now()) }
    },
  }),
  defineRoute({
    ...changing(changes.endAnnouncement),
    path: '/announcements/:announcementId',
    params: { announcementId: schemas.maintenanceId },
    operationId: 'endAnnouncement',
    summary: 'End or cancel an announcement',
    async handle(call, { leader }: StatusDeps) {
      const { worker, now } = leader()
      const ended = await worker.announcements.end(call.params.announcementId as string, call)
      return { ok: true, announcement: shown(ended, now()) }
    },
  }),
]
