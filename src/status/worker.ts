import type { CronSchedule } from '../lib/cron.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import { type Announcement, type Announcements, createAnnouncements } from './announcements.ts'
import type { Sent } from './audit.ts'
import type { Component } from './component.ts'
import { type ComponentActs, createComponentActs } from './component-acts.ts'
import { createComponentLog } from './component-log.ts'
import { createDeadlines } from './deadlines.ts'
import type { Delivery, SentPush } from './deliveries.ts'
import { errors } from './errors.ts'
import { type Calendar, createCalendar, type Maintenance } from './maintenance.ts'
import { createOutbox, type OutboxDeps } from './outbox.ts'
import type { Publication } from './publication.ts'
import { createRecurring, type Recurring, type RecurringMaintenance } from './recurring-maintenance.ts'
import { createRegistry, type RegistryDeps } from './registry.ts'
import { isLate } from './report.ts'
import type { RunStart } from './runs.ts'
import { cronOf, type Heartbeat, runAfter, type ScheduleTerms, timeoutSource, timeoutsOf } from './schedule.ts'
import type { Status } from './statuses.ts'
import { createUptime, type Uptime } from './uptime.ts'
import { isUnpublished, publicationOf, wantedOf } from './wanted.ts'
import { createWrittenIncidents, type WrittenIncident, type WrittenIncidents } from './written-incidents.ts'

export interface Worker {
  /** Resolves once the change is saved and its pushes are sent or in flight. */
  heartbeat(componentId: string, heartbeat: Heartbeat): Promise<void> | undefined
  /** Resolves to the number of runs in progress, once the start is saved. */
  startRun(componentId: string, start: RunStart & ScheduleTerms): Promise<number>
  /** Sorted by id. */
  components(): Component[]
  find(componentId: string): Component | undefined
  /** The last status that the first status page accepted. */
  publishedStatus(component: Component): Status | null
  /** The number of components whose status at least one target is not known to show. */
  unpublished(): number
  silentMs(component: Component): number
  details(component: Component): Details
  /** The target's last deliveries, newest first. */
  deliveries(target: string): readonly Delivery[]
  /** Refuses an unknown component. */
  reschedule(componentId: string, terms: ScheduleTerms, by: Sent): Promise<void>
  /** Hides the component, and deletes it once its pages have accepted `publish`. */
  retire(componentId: string, publish: Status | null, by: Sent): Promise<void>
  /** Acknowledge and mute. */
  readonly acts: ComponentActs
  readonly calendar: Calendar
  readonly recurring: Recurring
  readonly announcements: Announcements
  readonly writtenIncidents: WrittenIncidents
  readonly uptime: Uptime
  /** Applies the maintenance windows that began or ended. */
  checkMaintenance(): Promise<void>
  /** Checks deadlines and repeats pushes; called every `tickMs`. */
  tick(): void
  stop(): Promise<void>
}

/** What GET /components adds to the snapshot. */
export interface Details {
  readonly heartbeat: 'on time' | 'late' | 'missed'
  readonly timeouts: { readonly timeoutMs: number; readonly graceMs: number; readonly from: string }
  /** By which heartbeats are due, instead of the timeout. */
  readonly cron: (CronSchedule & { readonly nextRunAt: number }) | null
  /** When an incident opens or opened, by the wall clock. */
  readonly deadlineAt: number
  readonly wantedStatus: Status
  readonly targets: readonly {
    readonly target: string
    readonly publication: Publication | undefined
    readonly lastPushes: readonly SentPush[]
  }[]
}

export interface WorkerDeps extends RegistryDeps, OutboxDeps {
  readonly windows: readonly Maintenance[]
  readonly recurring: readonly RecurringMaintenance[]
  readonly announcements: readonly Announcement[]
  readonly writtenIncidents: readonly WrittenIncident[]
  readonly checkIntervalMs: number
  readonly log: Logger
}

const maxPushDrainMs = 1_000
const maxLastSaveMs = 2_000

const isKept = ({ retiredAs }: Component): boolean => retiredAs === null

export function createWorker(deps: WorkerDeps): Worker {
  const { store, saver, log } = deps
  const componentLog = createComponentLog(log, deps.clock)
  const uptime = createUptime(deps)
  const calendar = createCalendar({ ...deps, newId: deps.rules.newId })
  const announcements = createAnnouncements({ ...deps, newId: deps.rules.newId })
  const recurring = createRecurring({ ...deps, calendar, newId: deps.rules.newId })
  const writtenIncidents = createWrittenIncidents({ ...deps, newId: deps.rules.newId })
  const registry = createRegistry(deps, componentLog, uptime, calendar, (id) => {
    for (const each of [outbox, componentLog]) each.forget(id)
  })
  const outbox = createOutbox(deps, registry, componentLog)
  const deadlines = createDeadlines(deps, { registry, outbox, calendar, componentLog, uptime })
  const primary = deps.channels.find(({ page }) => !page.isAlert)?.name ?? ''

  const note = (componentId: string, { durationMs }: Heartbeat) => {
    if (durationMs !== undefined) uptime.responded(componentId, durationMs)
  }
  const change = async (componentId: string, heartbeat: Heartbeat): Promise<void> => {
    const { failures } = saver
    const pushes = await registry.exclusive(componentId, async () => {
      // The save that this heartbeat waited for has failed: refuse, and let the client retry.
      if (saver.failures !== failures) registry.refuseUnsaved(componentId, heartbeat)
      return registry.repeatHeartbeat(componentId, heartbeat) ? [] : registry.heartbeat(componentId, heartbeat)
    })
    note(componentId, heartbeat)
    await outbox.pushAndWait(pushes)
  }

  return {
    heartbeat(componentId, heartbeat) {
      if (!store.holdsLease()) registry.refuseUnsaved(componentId, heartbeat, errors.standingBy)
      const isDone = !registry.isLocked(componentId) && registry.repeatHeartbeat(componentId, heartbeat)
      if (!isDone) return change(componentId, heartbeat)
      note(componentId, heartbeat)
      return undefined
    },
    async startRun(componentId, start) {
      if (!store.holdsLease())
        registry.refuseUnsaved(componentId, { ...start, status: 'operational' }, errors.standingBy)
      const pushes = await registry.exclusive(componentId, () => registry.startRun(componentId, start))
      const running = registry.find(componentId)?.runs.length ?? 0
      await outbox.pushAndWait(pushes)
      return running
    },
    components: () => [...registry.all()].filter(isKept).sort((a, b) => (a.id < b.id ? -1 : 1)),
    find(componentId) {
      const component = registry.find(componentId)
      return component && isKept(component) ? component : undefined
    },
    acts: createComponentActs(registry, deps.clock, outbox.push),
    calendar,
    recurring,
    announcements,
    writtenIncidents,
    uptime,
    checkMaintenance: deadlines.checkMaintenance,
    unpublished: () => [...registry.all()].filter((each) => isUnpublished(each, registry.rulesOf(each.id))).length,
    publishedStatus: (component) => publicationOf(component, primary)?.publishedStatus ?? null,
    silentMs: registry.silentMs,
    details(component) {
      const { id, incident, schedule, lastReportedStatus, aliveAt } = component
      const [now, rules] = [registry.now(), registry.rulesOf(id)]
      const cron = cronOf(schedule, rules.timeouts)
      const from = timeoutSource(schedule, lastReportedStatus, rules.timeouts, aliveAt)
      return {
        heartbeat: incident ? 'missed' : isLate(component, now, rules) ? 'late' : 'on time',
        timeouts: { ...timeoutsOf(schedule, lastReportedStatus, rules.timeouts, aliveAt), from },
        cron: cron && { ...cron, nextRunAt: runAfter(cron, aliveAt) },
        deadlineAt: incident?.startedAt ?? Math.round(now.wall + component.deadline - now.monotonic),
        wantedStatus: wantedOf(component, rules).status,
        targets: deps.channels.map(({ name: target }) => ({
          target,
          publication: publicationOf(component, target),
          lastPushes: outbox.lastPushes(target, id),
        })),
      }
    },
    deliveries: outbox.deliveries,
    reschedule: (componentId, terms, by) =>
      registry.exclusive(componentId, () => registry.reschedule(componentId, terms, by)),
    async retire(componentId, publish, by) {
      await outbox.pushAndWait(await registry.exclusive(componentId, () => registry.retire(componentId, publish, by)))
    },
    tick() {
      deadlines.tick()
      if (!store.holdsLease()) return
      recurring.tick()
      // Otherwise the check of deadlines tries whether the state can be saved again.
      if (!saver.isBroken) outbox.retry()
      outbox.tick()
    },
    async stop() {
      await outbox.close(maxPushDrainMs)
      const saved = saver.flush().catch((error) => log.error({ err: error }, 'the last heartbeats were not saved'))
      await withTimeout(Promise.all([saved, uptime.flush()]), maxLastSaveMs, () => {})
      saver.stop()
    },
  }
}
