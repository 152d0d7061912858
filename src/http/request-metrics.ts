import type { Counter, Histogram, Metrics } from '../lib/metrics.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** Told of every answer when it is sent; 499 for a client that left before. */
export type OnResponse = (call: Call, status: number, durationMs: number) => void

/** The handles of one route, got once. */
interface Measured {
  readonly durations: Histogram
  readonly byStatus: Map<number, Counter>
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Requests by the route that they came to: nothing that a client can make up is a label. */
export function measureRequests(metrics: Metrics): OnResponse {
  const requests = metrics.counter(
    'menagerie_http_requests_total',
    'Answered requests. unmatched: those that came to no route. 499: the client left before the answer.',
    ['method', 'route', 'code'],
  )
  const durations = metrics.histogram(
    'menagerie_http_request_duration_seconds',
    'From the head of a request to its answer, the time that it was held by the rate limits included.',
    bounds,
    ['method', 'route'],
  )
  const known = new Map<Route | null, Measured>()

  const labelsOf = (route: Route | null) =>
    route === null ? (['other', 'unmatched'] as const) : ([route.method, route.path] as const)

  const firstOf = (route: Route | null): Measured => {
    const measured = { durations: durations(...labelsOf(route)), byStatus: new Map<number, Counter>() }
    known.set(route, measured)
    return measured
  }

  const firstWith = (route: Route | null, { byStatus }: Measured, status: number): Counter => {
    const counter = requests(...labelsOf(route), String(status))
    byStatus.set(status, counter)
    return counter
  }

  return ({ route }, status, durationMs) => {
    const measured = known.get(route) ?? firstOf(route)
    const counter = measured.byStatus.get(status) ?? firstWith(route, measured, status)
    counter.add()
    measured.durations.observe(durationMs / 1000)
  }
}
