import { readFileSync } from 'node:fs'
import { measureRequests } from './http/request-metrics.ts'
import type { Clock } from './lib/clock.ts'
import { createMetrics } from './lib/metrics.ts'
import { addProcessMetrics, watchEventLoop } from './lib/process-metrics.ts'
import { statusOf } from './status/component.ts'
import type { Publisher } from './status/publisher.ts'
import type { Saver } from './status/saver.ts'
import { statuses } from './status/statuses.ts'
import type { Worker } from './status/worker.ts'

interface Observed {
  readonly worker: Pick<Worker, 'components' | 'unpublished'>
  readonly publisher: Pick<Publisher, 'outcomes' | 'underWay'>
  readonly saver: Pick<Saver, 'isBroken'>
}

/** What /metrics of the worker tells. Component ids are clients' words: they are no labels. */
export function createWorkerMetrics(clock: Clock, office: () => Observed | null) {
  const metrics = createMetrics()
  const onAnswer = measureRequests(metrics)
  const heartbeats = metrics.counter('menagerie_status_heartbeats_total', 'Heartbeats that were taken.')()
  const { read } = metrics
  read('gauge', 'menagerie_status_active', '1 where this worker has the state, 0 while it stands by.', () =>
    Number(office() !== null),
  )
  read('gauge', 'menagerie_status_components', 'Components by what they show; a silent one is an outage.', () => {
    const shown = (office()?.worker.components() ?? []).map(statusOf)
    return statuses.map((status) => [{ status }, shown.filter((each) => each === status).length] as const)
  })
  read(
    'gauge',
    'menagerie_status_open_incidents',
    'Components that are silent.',
    () => (office()?.worker.components() ?? []).filter(({ incident }) => incident !== null).length,
  )
  read(
    'gauge',
    'menagerie_status_unpublished',
    'Components of which the page does not show what it should.',
    () => office()?.worker.unpublished() ?? 0,
  )
  const outcomes = (kind: 'push' | 'repeat') => () =>
    Object.entries(office()?.publisher.outcomes[kind] ?? {}).map(([outcome, count]) => [{ outcome }, count] as const)
  read(
    'counter',
    'menagerie_status_pushes_total',
    'Pushes to the status page, by what became of them.',
    outcomes('push'),
  )
  read(
    'counter',
    'menagerie_status_repeats_total',
    'What a page was told again, for which silence is an outage, by what became of it.',
    outcomes('repeat'),
  )
  read(
    'gauge',
    'menagerie_status_pushes_under_way',
    'Components of which the page is being told, or is to be when there is a place.',
    () => office()?.publisher.underWay ?? 0,
  )
  read('gauge', 'menagerie_status_save_failing', '1 from a write of the state that failed to the next one that succeeds.', () =>
    Number(office()?.saver.isBroken === true),
  )
  addProcessMetrics(metrics)
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  read('gauge', 'menagerie_build_info', 'Always 1; the versions are its labels.', () => [
    [{ version, node: process.version }, 1],
  ])
  return {
    render: metrics.render,
    onAnswer,
    onHeartbeat: () => heartbeats.add(),
    close: watchEventLoop(metrics, clock),
  }
}
