import { choice, fields, optional, wholeNumber } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { readWholeNumber } from '../lib/read-text.ts'
import { isoTime } from '../lib/timestamps.ts'
import { errors } from './errors.ts'
import { componentOf, leaderErrors, maxLimit, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import { cursorField } from './terms.ts'

const defaultLimit = 100

const pagination = {
  limit: wholeNumber(errors.badLimit, { minimum: 1, maximum: maxLimit, default: defaultLimit }),
  cursor: cursorField(readWholeNumber(1, Number.MAX_SAFE_INTEGER), errors.badCursor),
}

/** `found` has one row more than the page if there is a next page. The cursor is the number of the last row. */
function pageOf<Row extends { readonly number: number }>(found: readonly Row[], limit: number) {
  const rows = found.slice(0, limit)
  return { rows, next: found.length > limit ? String(rows.at(-1)?.number) : null }
}

export const historyRoutes: readonly Route<StatusDeps, unknown>[] = [
  defineRoute({
    ...reading,
    path: '/incidents',
    operationId: 'listIncidents',
    summary: 'List incidents, newest first',
    query: fields({
      componentId: optional({ description: 'Only incidents of this component' }),
      open: choice(['true', 'false'], errors.badOpen, {
        description: '`true`: only open incidents; `false`: only resolved ones',
      }),
      ...pagination,
    }),
    reply: { status: 200, schema: schemas.incidents },
    errors: leaderErrors,
    async handle({ query: { componentId = null, open, limit = defaultLimit, cursor = null } }, { leader }: StatusDeps) {
      if (componentId !== null && !schemas.isComponentId(componentId)) return { ok: true, incidents: [], next: null }
      const isOpen = open === undefined ? null : open === 'true'
      const found = await leader().store.incidents({ componentId, isOpen, before: cursor, limit: limit + 1 })
      const { rows, next } = pageOf(found, limit)
      const incidents = rows.map(({ number: _, startedAt, detectedAt, resolvedAt, ...incident }) => ({
        ...incident,
        startedAt: isoTime(startedAt),
        detectedAt: isoTime(detectedAt),
        resolvedAt: resolvedAt === null ? null : isoTime(resolvedAt),
      }))
      return { ok: true, incidents, next }
    },
  }),
  defineRoute({
    ...reading,
    path: '/history/:componentId',
    params: schemas.params,
    operationId: 'listStatusChanges',
    summary: 'List status changes of a component, newest first',
    query: fields(pagination),
    reply: { status: 200, schema: schemas.history },
    errors: [errors.unknown, errors.standingBy],
    async handle(call, deps: StatusDeps) {
      const { id } = componentOf(deps, call)
      const { limit = defaultLimit, cursor = null } = call.query
      const found = await deps.leader().store.transitions(id, { before: cursor, limit: limit + 1 })
      const { rows, next } = pageOf(found, limit)
      const transitions = rows.map(({ number: _, at, ...transition }) => ({ at: isoTime(at), ...transition }))
      return { ok: true, componentId: id, transitions, next }
    },
  }),
]
