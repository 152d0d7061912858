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

/** What /metrics of the worker tells. Component ids are clients' words: they are no labels. */
export function createWorkerMetrics(clock: Clock, office: () => Observed | null) {
  const metrics = createMetrics()
  const onResponse = measureRequests(metrics)
  const heartbeats = metrics.counter('menagerie_status_heartbeats_total', 'Heartbeats that were taken.')()
  const { read } = metrics
  read('gauge', 'menagerie_status_active', '1 where this worker has the state, 0 while it stands by.', () =>
    Number(office() !== null),
  )
  /** Nothing rather than zeros while this worker does not know: an alert must not resolve by itself. */
  const ofState = (type: 'gauge' | 'counter', name: string, help: string, known: (office: Observed) => Reading) =>
    read(type, name, `${help} Absent while this worker stands by.`, () => {
      const found = office()
      return found && known(found)
    })
  ofState('gauge', 'menagerie_status_components', 'Components by what they show; silent is outage.', ({ worker }) => {
    const shown = worker.components().map(statusOf)
    return statuses.map((status) => [{ status }, shown.filter((each) => each === status).length] as const)
  })
  ofState(
    'gauge',
    'menagerie_status_open_incidents',
    'Components that are silent.',
    ({ worker }) => worker.components().filter(({ incident }) => incident !== null).length,
  )
  ofState(
    'gauge',
    'menagerie_status_unpublished',
    'Components of which the page does not show what it should.',
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
    'Repeated pushes to a page for which silence is an outage, by outcome.',
    ({ publisher }) => outcomes(publisher.outcomes.repeat),
  )
  ofState(
    'gauge',
    'menagerie_status_pushes_under_way',
    'Components whose push is under way or queued.',
    ({ publisher }) => publisher.underWay,
  )
  ofState('gauge', 'menagerie_status_save_failing', '1 from a failed write of the state to the next good one.', (of) =>
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
