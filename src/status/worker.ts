import { withTimeout } from '../lib/timeout.ts'
import type { Logger } from '../process/logger.ts'
import { type Announcement, createAnnouncements } from './announcements.ts'
import type { Sent } from './audit.ts'
import type { Component } from './component.ts'
import { createComponentActs } from './component-acts.ts'
import { createComponentLog } from './component-log.ts'
import { createDeadlines } from './deadlines.ts'
import { errors } from './errors.ts'
import { createCalendar, type Maintenance } from './maintenance.ts'
import { createOutbox, type OutboxDeps } from './outbox.ts'
import { createRecurring, type RecurringMaintenance } from './recurring-maintenance.ts'
import { createRegistry, type RegistryDeps } from './registry.ts'
import { deadlineAt, isLate } from './report.ts'
import type { RunStart } from './runs.ts'
import { cronOf, type Heartbeat, runAfter, type ScheduleTerms, timeoutSource, timeoutsOf } from './schedule.ts'
import type { Status } from './statuses.ts'
import { createUptime } from './uptime.ts'
import { isUnpublished, publicationOf, retryAtOf, wantedOf } from './wanted.ts'
import { createWrittenIncidents, type WrittenIncident } from './written-incidents.ts'

interface WorkerDeps extends RegistryDeps, OutboxDeps {
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

export type Worker = ReturnType<typeof createWorker>

export function createWorker(deps: WorkerDeps) {
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
    /** Resolves once the change is saved and its pushes are sent or in flight. */
    heartbeat(componentId: string, heartbeat: Heartbeat): Promise<void> | undefined {
      if (!store.holdsLease()) registry.refuseUnsaved(componentId, heartbeat, errors.standingBy)
      const isDone = !registry.isLocked(componentId) && registry.repeatHeartbeat(componentId, heartbeat)
      if (!isDone) return change(componentId, heartbeat)
      note(componentId, heartbeat)
      return undefined
    },
    /** Resolves to the number of runs in progress, once the start is saved. */
    async startRun(componentId: string, start: RunStart & ScheduleTerms): Promise<number> {
      if (!store.holdsLease())
        registry.refuseUnsaved(componentId, { ...start, status: 'operational' }, errors.standingBy)
      const pushes = await registry.exclusive(componentId, () => registry.startRun(componentId, start))
      const running = registry.find(componentId)?.runs.length ?? 0
      await outbox.pushAndWait(pushes)
      return running
    },
    /** Sorted by id. */
    components: () => [...registry.all()].filter(isKept).sort((a, b) => (a.id < b.id ? -1 : 1)),
    find(componentId: string): Component | undefined {
      const component = registry.find(componentId)
      return component && isKept(component) ? component : undefined
    },
    acts: createComponentActs(registry, deps.clock, outbox.push),
    calendar,
    recurring,
    announcements,
    writtenIncidents,
    uptime,
    /** Applies the maintenance windows that began or ended. */
    checkMaintenance: deadlines.checkMaintenance,
    /** The number of components whose status at least one target is not known to show. */
    unpublished: () => [...registry.all()].filter((each) => isUnpublished(each, registry.rulesOf(each.id))).length,
    /** The last status that the first status page accepted. */
    publishedStatus: (component: Component) => publicationOf(component, primary)?.publishedStatus ?? null,
    silentMs: registry.silentMs,
    /** What GET /components adds to the snapshot. */
    details(component: Component) {
      const { id, incident, schedule, lastReportedStatus, aliveAt } = component
      const now = registry.now()
      const rules = registry.rulesOf(id)
      const cron = cronOf(schedule, rules.timeouts)
      const from = timeoutSource(schedule, lastReportedStatus, rules.timeouts, aliveAt)
      return {
        heartbeat: incident ? 'missed' : isLate(component, now, rules) ? 'late' : 'on time',
        timeouts: { ...timeoutsOf(schedule, lastReportedStatus, rules.timeouts, aliveAt), from },
        /** By which heartbeats are due, instead of the timeout. */
        cron: cron && { ...cron, nextRunAt: runAfter(cron, aliveAt) },
        /** When an incident opens or opened, by the wall clock. */
        deadlineAt: incident?.startedAt ?? deadlineAt(component, now, rules),
        wantedStatus: wantedOf(component, rules).status,
        targets: deps.channels.map(({ name: target, page: { isAlert } }) => ({
          target,
          isAlert,
          publication: publicationOf(component, target),
          retryAt: retryAtOf(target, component, rules),
          lastPushes: outbox.lastPushes(target, id),
        })),
      }
    },
    /** The target's last deliveries, newest first. */
    deliveries: outbox.deliveries,
    /** Hides the component, and deletes it once its pages have accepted `publish`. */
    async retire(componentId: string, publish: Status | null, by: Sent): Promise<void> {
      await outbox.pushAndWait(await registry.exclusive(componentId, () => registry.retire(componentId, publish, by)))
    },
    /** Checks deadlines and repeats pushes; called every `tickMs`. */
    tick(): void {
      deadlines.tick()
      if (!store.holdsLease()) return
      recurring.tick()
      // Otherwise the check of deadlines tries whether the state can be saved again.
      if (!saver.isBroken) outbox.retry()
      outbox.tick()
    },
    async stop(): Promise<void> {
      await outbox.close(maxPushDrainMs)
      const saved = saver.flush().catch((error) => log.error({ err: error }, 'the last heartbeats were not saved'))
      await withTimeout(Promise.all([saved, uptime.flush()]), maxLastSaveMs, () => {})
      saver.stop()
    },
  }
}
