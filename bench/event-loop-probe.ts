import { monitorEventLoopDelay } from 'node:perf_hooks'

/* Loaded into the server before its own code: reports how late its event loop was since the last question. */

export interface Delays {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

const resolution = 5
const histogram = monitorEventLoopDelay({ resolution })
histogram.enable()

process.on('message', () => {
  // It records the time from one look to the next.
  const lateMs = (ns: number) => Math.max(0, ns / 1e6 - resolution)
  const [p50, p99, max] = [histogram.percentile(50), histogram.percentile(99), histogram.max].map(lateMs)
  process.send?.({ p50, p99, max })
  histogram.reset()
})
