import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import type { Delays } from '../event-loop-probe.ts'

/* Loaded into the service before its own code; the question `begin` also starts the whole run. */

export interface Probed {
  /** Since the last question. */
  readonly recent: Delays
  /** Since the run began. */
  readonly whole: Delays
  /** What the main thread itself computed from one look to the next, which other programs cannot lengthen. */
  readonly computed: Delays
  /** What keeps the event loop alive: sockets, timers, files. */
  readonly handles: number
}

const resolution = 5
const start = () => {
  const histogram = monitorEventLoopDelay({ resolution })
  histogram.enable()
  return histogram
}
const recent = start()
const whole = start()
const computed = createHistogram()

const percentiles = (
  histogram: Pick<ReturnType<typeof start>, 'percentile' | 'max'>,
  msOf: (ns: number) => number,
) => ({
  p50: msOf(histogram.percentile(50)),
  p99: msOf(histogram.percentile(99)),
  max: msOf(histogram.max),
})
// It records the time from one look to the next.
const lateMs = (ns: number) => Math.max(0, ns / 1e6 - resolution)
const plainMs = (ns: number) => ns / 1e6

const threadUs = () => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
let before = threadUs()
setInterval(() => {
  const now = threadUs()
  // A histogram records whole numbers from 1.
  computed.record(Math.max(1, Math.round((now - before) * 1000)))
  before = now
}, resolution).unref()

process.on('message', (question) => {
  if (question === 'begin') for (const histogram of [whole, computed]) histogram.reset()
  process.send?.({
    recent: percentiles(recent, lateMs),
    whole: percentiles(whole, lateMs),
    computed: percentiles(computed, plainMs),
    handles: process.getActiveResourcesInfo().length,
  })
  recent.reset()
})
