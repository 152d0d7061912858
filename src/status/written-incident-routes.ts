import { fields } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { isId } from '../lib/ids.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { changes } from './changes.ts'
import { errors } from './errors.ts'
import { changing, leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import { cursorField } from './terms.ts'
import * as schemas from './written-incident-schemas.ts'
import { openingOf, openingTerms, updateOf, updateTerms } from './written-incident-terms.ts'
import type { WrittenIncident } from './written-incidents.ts'

/** Max characters on a page: less than the API reads from a worker. */
const maxCharacters = 200_000

export const shown = ({ byHand, updates, ...incident }: WrittenIncident) => ({
  ...incident,
  byHand: byHand && { ...byHand, startedAt: isoTime(byHand.startedAt), resolvedAt: isoOrNull(byHand.resolvedAt) },
  updates: updates.map((update) => ({ ...update, at: isoTime(update.at) })),
})

export const charactersOf = ({ updates, components }: WrittenIncident): number =>
  updates.reduce((sum, { text }) => sum + text.length, components.length * 64)

/** At least one, and as many more as fit. */
function pageOf(all: readonly WrittenIncident[], cursor: string | undefined) {
  const rest = cursor === undefined ? all : all.filter(({ id }) => id < cursor)
  let count = 0
  for (let sum = 0; count < rest.length && sum < maxCharacters; count++)
    sum += charactersOf(rest[count] as WrittenIncident)
  return { page: rest.slice(0, count), next: count < rest.length ? (rest[count - 1]?.id ?? null) : null }
}

export const writtenIncidentRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/incidents/written',
    operationId: 'listWrittenIncidents',
    summary: 'List the incidents that people wrote about, newest first',
    description: 'Those that were opened by hand, and those by silence that have updates: at most 500.',
    query: fields({
      cursor: cursorField((text) => (isId(text) ? text : undefined), errors.badCursor),
    }),
    reply: { status: 200, schema: schemas.writtenIncidents },
    errors: leaderErrors,
    handle({ query: { cursor } }, { leader }: StatusDeps) {
      const { page, next } = pageOf(leader().worker.writtenIncidents.list(), cursor)
      return { ok: true, incidents: page.map(shown), next }
    },
  }),
  defineRoute({
    ...changing(changes.openIncident),
    path: '/incidents',
    operationId: 'openIncident',
    summary: 'Open an incident by hand',
    description:
      'For the readers of the status page, its feed and JSON alone: it is no `activeIncidentId`, publishes nothing, and no heartbeat resolves it. It is deleted 90 days after it was resolved. The same request within 10 minutes returns the same incident, unless that has changed meanwhile.',
    body: openingTerms,
    async handle(call, { leader }: StatusDeps) {
      const opened = await leader().worker.writtenIncidents.open(openingOf(call.body), call)
      return { ok: true, incident: shown(opened) }
    },
  }),
  defineRoute({
    ...changing(changes.updateIncident),
    path: '/incidents/:incidentId/updates',
    params: { incidentId: schemas.incidentId },
    operationId: 'updateIncident',
    summary: 'Write an update of an incident',
    description:
      '`resolved` resolves an incident that was opened by hand. One by silence is resolved by a heartbeat alone; an update may then say what the reason was. A `postmortem` follows the end. `level` and `components` change an incident that was opened by hand.',
    body: updateTerms,
    async handle(call, { leader }: StatusDeps) {
      const id = call.params.incidentId as string
      const updated = await leader().worker.writtenIncidents.update(id, updateOf(call.body), call)
      return { ok: true, incident: shown(updated) }
    },
  }),
  defineRoute({
    ...changing(changes.deleteIncident),
    path: '/incidents/:incidentId',
    params: { incidentId: schemas.incidentId },
    operationId: 'deleteWrittenIncident',
    summary: 'Delete what people wrote about an incident',
    description:
      'Gone from the status page, its feed and JSON within 10 s. One that was opened by hand is deleted as a whole; of one by silence, its updates are, and `GET /incidents` still lists it.',
    async handle(call, { leader }: StatusDeps) {
      const deleted = await leader().worker.writtenIncidents.remove(call.params.incidentId as string, call)
      return { ok: true, incident: shown(deleted) }
    },
  }),
]
