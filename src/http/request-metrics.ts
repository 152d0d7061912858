import type { Counter, Histogram, Metrics } from '../lib/metrics.ts'
import type { Call } from './call.ts'
import type { Route } from './route.ts'

/** Called when a response is sent, or with 499 if the client disconnected first. */
export type OnResponse = (call: Call, status: number, durationMs: number) => void

/** The metric handles of one route. */
interface Measured {
  readonly durations: Histogram
  readonly byStatus: Map<number, Counter>
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

/** Requests by route: client input never becomes a label. */
export function measureRequests(metrics: Metrics): OnResponse {
  const requests = metrics.counter(
    'menagerie_http_requests_total',
    'Requests by route and status. unmatched: no route. 499: the client left before the response.',
    ['method', 'route', 'code'],
  )
  const durations = metrics.histogram(
    'menagerie_http_request_duration_seconds',
    'Time from the head of a request to its response, including delays by rate limits.',
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
