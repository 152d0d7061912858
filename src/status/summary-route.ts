import { setImmediate } from 'node:timers/promises'
import { fields, optional } from '../http/fields.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { timeOfId } from '../lib/ids.ts'
import { dayMs, isoOrNull, isoTime } from '../lib/timestamps.ts'
import { announcedState } from './announced.ts'
import type { Component } from './component.ts'
import { listedPeriods, type Period, periodsOf } from './periods.ts'
import { leaderErrors, reading, type StatusDeps } from './route-parts.ts'
import * as schemas from './schemas.ts'
import { fullSummary, summary } from './summary.ts'
import { meanOf, sumOfResponses, upAndDown } from './uptime.ts'
import { rowsOf, windowOf } from './uptime-routes.ts'
import { statusOf } from './wanted.ts'
import { createTextBudget, type TextBudget, updatesWithin, writtenFor } from './written-summary.ts'

const uptimeDays = 90
const maxComponents = 100
/** Of a component, newest first. */
const maxTransitions = 500
const maxIncidents = 50
const maxPeriods = 200
const maxWindows = 20
const maxAnnouncements = 20

async function componentOf(deps: StatusDeps, component: Component, isFull: boolean) {
  const { store, now } = deps.leader()
  const { id } = component
  const { ms: _, ...window } = windowOf(now(), uptimeDays)
  const rows = await rowsOf(deps, { first: id, last: id, ...window, isDaily: true })
  const byDay = [...Map.groupBy(rows, ({ day }) => day)].sort(([a], [b]) => (a < b ? -1 : 1))
  const [last] = await store.transitions(id, { limit: 1 })
  const status = statusOf(component)
  const responsesOf = (days: number) =>
    meanOf(sumOfResponses(rows.filter(({ day }) => day >= windowOf(now(), days).fromDay)))
  const responseMs = { days7: responsesOf(7), days30: responsesOf(30), days90: responsesOf(90) }
  return {
    componentId: id,
    ...(isFull && { responseMs }),
    status,
    since: last?.to === status ? isoTime(last.at) : null,
    days: byDay.map(([day, all]) => {
      const sums = all.map(upAndDown)
      const secondsOf = (index: 0 | 1) => Math.round(sums.reduce((sum, each) => sum + each[index], 0) / 1000)
      return { day, upSeconds: secondsOf(0), downSeconds: secondsOf(1) }
    }),
  }
}

async function incidentsOf({ leader }: StatusDeps, ids: readonly string[]) {
  const { store } = leader()
  const which = { isOpen: null, limit: maxIncidents }
  const found = await Promise.all(ids.map((componentId) => store.incidents({ ...which, componentId })))
  const newest = found.flat().sort((a, b) => b.startedAt - a.startedAt || b.number - a.number)
  return newest.slice(0, maxIncidents).map(({ id, componentId, startedAt, resolvedAt }) => ({
    incidentId: id,
    componentId,
    startedAt: isoTime(startedAt),
    resolvedAt: isoOrNull(resolvedAt),
  }))
}

const isWithin = ({ startedAt, endedAt }: Period, at: number) => at >= startedAt && at < (endedAt ?? Infinity)

async function periodsOfAll({ leader }: StatusDeps, componentIds: readonly string[], budget: TextBudget) {
  const { store, now, worker } = leader()
  const found = []
  for (const componentId of componentIds) {
    const transitions = await store.transitions(componentId, { limit: maxTransitions })
    const silences = await store.incidents({ componentId, isOpen: null, limit: maxTransitions })
    const ids = new Map(silences.map(({ id, startedAt }) => [id, startedAt]))
    const detections = new Map(silences.map(({ startedAt, detectedAt }) => [startedAt, detectedAt]))
    for (const period of periodsOf(transitions.toReversed()))
      found.push({
        componentId,
        ...period,
        detectedAt: detections.get(period.startedAt) ?? period.startedAt,
        silences: [...ids].flatMap(([id, at]) => (isWithin(period, at) ? [id] : [])),
      })
    await setImmediate()
  }
  return listedPeriods(found, now() - uptimeDays * dayMs, maxPeriods).map(
    ({ startedAt, detectedAt, endedAt, silences, ...period }) => ({
      ...period,
      startedAt: isoTime(startedAt),
      detectedAt: isoTime(detectedAt),
      endedAt: isoOrNull(endedAt),
      updates: updatesWithin(
        budget,
        silences.flatMap((id) => worker.writtenIncidents.find(id)?.updates ?? []),
      ),
    }),
  )
}

async function incidentsInFull(deps: StatusDeps, ids: readonly string[]) {
  const { worker, now } = deps.leader()
  const budget = createTextBudget()
  const written = writtenFor(worker.writtenIncidents.list(), { ids, from: now() - uptimeDays * dayMs, budget })
  return { written, periods: await periodsOfAll(deps, ids, budget) }
}

/** Covers only the requested components: names no others, and does not reveal future announcements. */
export const summaryRoute: Route<StatusDeps, unknown> = defineRoute({
  ...reading,
  path: '/summary',
  operationId: 'getSummary',
  summary: 'Get everything that the status page of the API shows about these components',
  description: `The newest ${maxIncidents} incidents, ${maxWindows} maintenance windows that are not over, ${maxAnnouncements} announcements that have begun, and ${uptimeDays} days of uptime. \`full=true\` replaces the incidents by periods of an outage, a partial outage or a degradation, reported or silent: all that last, and the newest ${maxPeriods} that have ended, and adds incidents opened by hand. It also adds when maintenance and announcements were published.`,
  query: fields({
    componentId: optional({
      description: `Up to ${maxComponents}, separated by commas. Without it, only announcements`,
      examples: ['api,database'],
    }),
    full: optional({ description: '`true`: with periods', examples: ['true'] }),
  }),
  reply: { status: 200, schema: { anyOf: [summary, fullSummary] } },
  errors: leaderErrors,
  async handle({ query: { componentId = '', full } }, deps: StatusDeps) {
    const { worker, now } = deps.leader()
    const isFull = full === 'true'
    const ids = [...new Set(componentId.split(',').filter(schemas.isComponentId))].slice(0, maxComponents)
    const components = []
    for (const id of ids) {
      const component = worker.find(id)
      if (component) components.push(await componentOf(deps, component, isFull))
      // Queries on SQLite block the event loop.
      await setImmediate()
    }
    const windows = worker.calendar.list().map((window) => ({
      id: window.id,
      components: window.components.filter((each) => ids.includes(each)),
      from: isoTime(window.from),
      until: isoTime(window.until),
      text: window.text,
      state: announcedState(window, now()),
      ...(isFull && { announcedAt: isoTime(window.changedAt ?? timeOfId(window.id)), revision: window.revision ?? 0 }),
    }))
    const announcements = worker.announcements.list().map((announcement) => ({
      id: announcement.id,
      text: announcement.text,
      from: isoTime(announcement.from),
      until: isoOrNull(announcement.until),
      state: announcedState(announcement, now()),
      ...(isFull && { announcedAt: isoTime(timeOfId(announcement.id)) }),
    }))
    return {
      ok: true,
      at: isoTime(now()),
      components,
      ...(isFull ? await incidentsInFull(deps, ids) : { incidents: await incidentsOf(deps, ids) }),
      maintenance: windows
        .filter((each) => each.state !== 'over' && each.components.length > 0)
        .reverse()
        .slice(0, maxWindows),
      announcements: announcements.filter(({ state }) => state !== 'planned').slice(0, maxAnnouncements),
    }
  },
})
