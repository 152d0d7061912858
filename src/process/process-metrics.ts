import { readPackage } from '../config/package.ts'
import type { Clock } from '../lib/clock.ts'
import type { Metrics } from '../lib/metrics.ts'
import { countOpenFiles, maxOpenFiles } from './open-files.ts'

const everyMs = 100

/** Process metrics, with the names of Prometheus' client libraries. */
export function addProcessMetrics(metrics: Metrics): void {
  metrics.read('process_cpu_seconds_total', 'User and system CPU time.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  metrics.read('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss())
  metrics.read(
    'process_start_time_seconds',
    'Start time in seconds since the epoch.',
    () => Math.round(performance.timeOrigin) / 1000,
  )
  if (process.platform === 'linux') {
    metrics.read('process_open_fds', 'Open file descriptors.', countOpenFiles)
    metrics.read('process_max_fds', 'Maximum number of open file descriptors.', () => maxOpenFiles() ?? Infinity)
  }
  metrics.read('nodejs_heap_size_used_bytes', "Used memory of V8's heap.", () => process.memoryUsage().heapUsed)
  metrics.read(
    'nodejs_external_memory_bytes',
    "Memory outside V8's heap that its objects own.",
    () => process.memoryUsage().external,
  )
  const { version } = readPackage()
  metrics.read('menagerie_build_info', 'Always 1; versions are labels.', () => [
    [{ version, node: process.version }, 1],
  ])
}

/** Measures how late a timer fires. Returns a function that stops it. */
export function watchEventLoop(metrics: Metrics, clock: Clock): () => void {
  const delay = metrics.histogram(
    'menagerie_event_loop_delay_seconds',
    `Event loop delay: how late a ${everyMs} ms timer fires.`,
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
