import { measureRequests } from '../http/request-metrics.ts'
import type { Clock } from '../lib/clock.ts'
import { byLabel, createMetrics, type Reading } from '../lib/metrics.ts'
import { addProcessMetrics, watchEventLoop } from '../process/process-metrics.ts'
import { acknowledgementOf } from '../status/acknowledgement.ts'
import { announcedState } from '../status/announced.ts'
import type { Component } from '../status/component.ts'
import { statuses } from '../status/statuses.ts'
import { statusOf } from '../status/wanted.ts'
import type { Leader } from './leader.ts'

export function createWorkerMetrics(clock: Clock, leader: () => Leader | null) {
  const metrics = createMetrics()
  const onResponse = measureRequests(metrics)
  const heartbeats = metrics.counter('menagerie_status_heartbeats_total', 'Heartbeats accepted.')()
  metrics.read('menagerie_status_active', '1 while this worker is the leader, 0 while it stands by.', () =>
    Number(leader() !== null),
  )
  /** Absent on a stand-by rather than 0, so that no alert resolves by mistake. */
  const ofState = (name: string, help: string, readingOf: (leader: Leader) => Reading) =>
    metrics.read(name, `${help} Absent while this worker stands by.`, () => {
      const current = leader()
      return current && readingOf(current)
    })
  const countOf = (name: string, help: string, isCounted: (component: Component) => boolean) =>
    ofState(name, help, ({ worker }) => worker.components().filter(isCounted).length)
  /** At most STATUS_MAX_COMPONENTS series each. */
  const ofEach = (name: string, help: string, numberOf: (component: Component, of: Leader) => number) =>
    ofState(name, help, (of) =>
      of.worker.components().map((component) => [{ component: component.id }, numberOf(component, of)] as const),
    )
  const outcomes = (kind: 'push' | 'repeat') => (leader: Leader) =>
    leader.channels.flatMap(({ name: target, publisher }) =>
      Object.entries(publisher.outcomes[kind]).map(([outcome, count]) => [{ target, outcome }, count] as const),
    )

  ofState('menagerie_status_components', 'Components by status; a silent component counts as outage.', ({ worker }) =>
    byValue('status', statuses, worker.components().map(statusOf)),
  )
  countOf('menagerie_status_open_incidents', 'Components with an open incident.', ({ incident }) => incident !== null)
  ofState(
    'menagerie_status_unpublished',
    'Components whose status at least one target has not accepted yet.',
    ({ worker }) => worker.unpublished(),
  )
  ofState('menagerie_status_pushes_total', 'Pushes, by target and outcome.', outcomes('push'))
  ofState(
    'menagerie_status_repeats_total',
    'Repeated statuses, for pages that treat silence as an outage, and reminders, by target and outcome.',
    outcomes('repeat'),
  )
  ofState('menagerie_status_pushes_under_way', 'Pushes in flight or queued, over all targets.', ({ channels }) =>
    channels.reduce((sum, { publisher }) => sum + publisher.underWay, 0),
  )
  ofState('menagerie_status_save_failing', '1 while the last write of the state failed, else 0.', ({ saver }) =>
    Number(saver.isBroken),
  )
  ofState(
    'menagerie_status_maintenance',
    'Announced maintenance windows that are not over, by state.',
    ({ worker }) => {
      const states = worker.calendar.list().map((each) => announcedState(each, clock.now()))
      return byValue('state', ['planned', 'active'], states)
    },
  )
  countOf('menagerie_status_muted', 'Components whose alerts are muted.', ({ mute = null }) => mute !== null)
  countOf(
    'menagerie_status_acknowledged',
    'Components with an outage that somebody has acknowledged.',
    (component) => acknowledgementOf(component) !== null,
  )
  ofState(
    'menagerie_status_working',
    '1 while this worker leads, ticks and can save, checked each minute.',
    ({ selfCheck }) => (selfCheck.isWorking === null ? null : Number(selfCheck.isWorking)),
  )
  ofState('menagerie_status_pings_total', 'Pings to STATUS_PING_URL, by outcome.', ({ selfCheck }) =>
    byLabel('outcome', selfCheck.pings),
  )
  ofState(
    'menagerie_status_component',
    '1 for the status of each component; a silent one is an outage.',
    ({ worker }) => worker.components().map((each) => [{ component: each.id, status: statusOf(each) }, 1] as const),
  )
  ofEach(
    'menagerie_status_component_last_heartbeat_seconds',
    'Time of the last heartbeat of each component, in seconds since 1970.',
    ({ lastHeartbeatAt }) => lastHeartbeatAt / 1000,
  )
  ofEach(
    'menagerie_status_component_deadline_seconds',
    'When an incident opens for each component without a heartbeat, or opened, in seconds since 1970.',
    (component, { worker }) => worker.details(component).deadlineAt / 1000,
  )
  addProcessMetrics(metrics)
  return {
    render: metrics.render,
    onResponse,
    onHeartbeat: () => heartbeats.add(),
    close: watchEventLoop(metrics, clock),
  }
}

const byValue = (label: string, values: readonly string[], found: readonly string[]): Reading =>
  values.map((value) => [{ [label]: value }, found.filter((each) => each === value).length] as const)
