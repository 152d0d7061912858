import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Delays } from '../event-loop-probe.ts'

/* Loaded into the service before its own code; the question `begin` also starts the whole run. */

export interface Probed {
  /** Since the last question. */
  readonly recent: Delays
  /** Since the run began. */
  readonly whole: Delays
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

// It records the time from one look to the next.
const lateMs = (ns: number) => Math.max(0, ns / 1e6 - resolution)
const delaysOf = (histogram: ReturnType<typeof start>): Delays => ({
  p50: lateMs(histogram.percentile(50)),
  p99: lateMs(histogram.percentile(99)),
  max: lateMs(histogram.max),
})

process.on('message', (question) => {
  if (question === 'begin') whole.reset()
  process.send?.({ recent: delaysOf(recent), whole: delaysOf(whole), handles: process.getActiveResourcesInfo().length })
  recent.reset()
})
