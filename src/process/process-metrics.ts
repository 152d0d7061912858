import { readdirSync } from 'node:fs'
import { readPackage } from '../config/package.ts'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'

const everyMs = 100

/** What any process of ours tells of itself, under the names that Prometheus's own clients have for it. */
export function addProcessMetrics(metrics: Metrics): void {
  metrics.read('counter', 'process_cpu_seconds_total', 'Processor time, of the user and the system.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.read('gauge', 'process_resident_memory_bytes', 'Memory that the system has given.', () =>
    process.memoryUsage.rss(),
  )
  metrics.read(
    'gauge',
    'process_start_time_seconds',
    'Start, in seconds since the epoch.',
    () => Math.round(performance.timeOrigin) / 1000,
  )
  if (process.platform === 'linux')
    // The folder itself is open while it is read.
    metrics.read('gauge', 'process_open_fds', 'Open file descriptors.', () => readdirSync('/proc/self/fd').length - 1)
  metrics.read('gauge', 'nodejs_heap_size_used_bytes', "Objects in V8's heap.", () => process.memoryUsage().heapUsed)
  metrics.read(
    'gauge',
    'nodejs_external_memory_bytes',
    "Memory beside V8's heap that its objects hold.",
    () => process.memoryUsage().external,
  )
  const { version } = readPackage()
  metrics.read('gauge', 'menagerie_build_info', 'Always 1; the versions are its labels.', () => [
    [{ version, node: process.version }, 1],
  ])
}

/** A timer that looks how late it is. Returns what stops it. */
export function watchEventLoop(metrics: Metrics, clock: Clock): () => void {
  const delay = metrics.histogram(
    'menagerie_event_loop_delay_seconds',
    `How late a timer of ${everyMs} ms was: whatever held up the event loop.`,
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  )()
  let due = clock.monotonic() + everyMs
  const timer = setInterval(() => {
    const now = clock.monotonic()
    delay.observe(Math.max(0, now - due) / 1000)
    due = now + everyMs
  }, everyMs).unref()
  return () => clearInterval(timer)
}
