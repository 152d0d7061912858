import { measureRequests } from '../http/request-metrics.ts'
import type { Clock } from '../lib/clock.ts'
import { createMetrics, type Reading } from '../lib/metrics.ts'
import { addProcessMetrics, watchEventLoop } from '../process/process-metrics.ts'
import { statusOf } from '../status/component.ts'
import type { Publisher } from '../status/publisher.ts'
import type { Saver } from '../status/saver.ts'
import { statuses } from '../status/statuses.ts'
import type { Worker } from '../status/worker.ts'

interface Observed {
  readonly worker: Pick<Worker, 'components' | 'unpublished'>
  readonly publisher: Pick<Publisher, 'outcomes' | 'underWay'>
  readonly saver: Pick<Saver, 'isBroken'>
}

/** The metrics of the worker. */
export function createWorkerMetrics(clock: Clock, leader: () => Observed | null) {
  const metrics = createMetrics()
  const onResponse = measureRequests(metrics)
  const heartbeats = metrics.counter('menagerie_status_heartbeats_total', 'Heartbeats accepted.')()
  const { read } = metrics
  read('gauge', 'menagerie_status_active', '1 while this worker is the leader, 0 while it stands by.', () =>
    Number(leader() !== null),
  )
  /** Absent on a stand-by rather than 0, so that no alert resolves by itself. */
  const ofState = (type: 'gauge' | 'counter', name: string, help: string, readingOf: (leader: Observed) => Reading) =>
    read(type, name, `${help} Absent while this worker stands by.`, () => {
      const current = leader()
      return current && readingOf(current)
    })
  ofState(
    'gauge',
    'menagerie_status_components',
    'Components by status; a silent one counts as outage.',
    ({ worker }) => {
      const shown = worker.components().map(statusOf)
      return statuses.map((status) => [{ status }, shown.filter((each) => each === status).length] as const)
    },
  )
  ofState(
    'gauge',
    'menagerie_status_open_incidents',
    'Components with an open incident.',
    ({ worker }) => worker.components().filter(({ incident }) => incident !== null).length,
  )
  ofState(
    'gauge',
    'menagerie_status_unpublished',
    'Components whose status the status page has not accepted yet.',
    ({ worker }) => worker.unpublished(),
  )
  const outcomes = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([outcome, count]) => [{ outcome }, count] as const)
  ofState('counter', 'menagerie_status_pushes_total', 'Pushes to the status page, by outcome.', ({ publisher }) =>
    outcomes(publisher.outcomes.push),
  )
  ofState(
    'counter',
    'menagerie_status_repeats_total',
    'Repetitions to a status page that takes silence for an outage, by outcome.',
    ({ publisher }) => outcomes(publisher.outcomes.repeat),
  )
  ofState(
    'gauge',
    'menagerie_status_pushes_under_way',
    'Components with a push in flight or queued.',
    ({ publisher }) => publisher.underWay,
  )
  ofState('gauge', 'menagerie_status_save_failing', '1 while the last write of the state failed, else 0.', (of) =>
    Number(of.saver.isBroken),
  )
  addProcessMetrics(metrics)
  return {
    render: metrics.render,
    onResponse,
    onHeartbeat: () => heartbeats.add(),
    close: watchEventLoop(metrics, clock),
  }
}
