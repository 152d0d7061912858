import type { Journal } from '../accounts/journal.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused } from '../http/refusal.ts'
import { measureRequests } from '../http/request-metrics.ts'
import type { ObjectStore } from '../images/object-store.ts'
import { isStoreFailure, observeStore } from '../images/observed-store.ts'
import type { Clock } from '../lib/clock.ts'
import { byLabel, createMetrics, type Metrics } from '../lib/metrics.ts'
import { createOperations } from '../lib/operations.ts'
import type { Limiter } from '../limits/limiter.ts'
import { addProcessMetrics, watchEventLoop } from '../process/process-metrics.ts'
import type { Reporter } from '../reporter/reporter.ts'
import type { ImageParts } from './image-parts.ts'
import type { RateLimits } from './rate-limits.ts'

interface MeasuredParts {
  readonly limits: Pick<RateLimits, 'delayed' | 'keys' | 'isShared'> & Pick<Limiter, 'refused'>
  readonly passwords: Pick<Passwords, 'load'>
  readonly journal: Pick<Journal, 'pendingEvents'>
  readonly images: Pick<ImageParts, 'cache' | 'catalogue' | 'kinds' | 'pool' | 'sizes'>
  readonly reporter: Pick<Reporter, 'failures'> | null
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>

/** Created first, since it instruments the other parts. `addParts` adds the figures that they provide themselves. */
export function createApiMetrics(clock: Clock) {
  const metrics = createMetrics()
  const onResponse = measureRequests(metrics)
  const ofStore = createOperations(metrics, {
    clock,
    duration: {
      name: 'menagerie_object_store_operation_duration_seconds',
      help: 'Duration of object store operations. Each page of a listing is one; opening an object and reading it into memory are two.',
    },
    errors: {
      name: 'menagerie_object_store_errors_total',
      help: 'Failed object store operations. A missing object is not a failure.',
    },
    isFailure: isStoreFailure,
  })
  const ofDatabase = createOperations(metrics, {
    clock,
    duration: {
      name: 'menagerie_database_query_duration_seconds',
      help: 'Duration of database operations, except SQLite account lookups that return synchronously.',
    },
    errors: { name: 'menagerie_database_errors_total', help: 'Failed database operations.' },
    // A use case may refuse inside its transaction.
    isFailure: (error) => !(error instanceof Refused || error instanceof ClientGone),
  })
  const stopWatching = watchEventLoop(metrics, clock)
  addProcessMetrics(metrics)

  return {
    render: metrics.render,
    onResponse,
    addParts: (parts: MeasuredParts) => addPartMetrics(metrics, clock, parts),
    observeStore: (real: ObjectStore) => observeStore(real, ofStore),
    ofDatabase,
    async close() {
      stopWatching()
    },
  }
}

function addPartMetrics({ read }: Metrics, clock: Clock, parts: MeasuredParts): void {
  const { limits, passwords, journal, reporter } = parts
  const { cache, catalogue, kinds, pool, sizes } = parts.images
  read('menagerie_rate_limit_refused_total', 'Responses with status 429, by scope.', () =>
    byLabel('scope', limits.refused),
  )
  read('menagerie_held_requests', 'Requests that are being delayed by rate limits.', limits.delayed)
  read('menagerie_rate_limit_keys', 'Clients and names counted in memory.', limits.keys)
  read('menagerie_rate_limit_shared', '1 while Redis counts for all instances, else 0.', () =>
    Number(limits.isShared()),
  )
  if (reporter) {
    const help = 'Health reports that the status worker did not accept.'
    read('menagerie_reports_failed_total', help, () => reporter.failures)
  }
  read('menagerie_password_hashes', 'Password hashes, by state.', () => byLabel('state', passwords.load))
  read('menagerie_journal_pending_events', 'Unwritten audit events.', () => journal.pendingEvents)
  read('menagerie_image_cache_hits_total', 'Images served from the cache.', () => cache.metrics.hits)
  read('menagerie_image_cache_misses_total', 'Images read from the store.', () => cache.metrics.misses)
  read('menagerie_image_cache_bytes', 'Memory used by cached images.', cache.metrics.bytes)
  read('menagerie_image_cache_entries', 'Cached images.', cache.metrics.entries)
  if (sizes) {
    read('menagerie_image_sizes_total', 'Resized images that were not in memory, by outcome.', () =>
      byLabel('outcome', sizes.counts),
    )
    read('menagerie_image_sizes_waiting', 'Sizes that wait to be made.', () => sizes.waiting)
    const help = 'Resized images on disk. Absent until the first is written.'
    read('menagerie_image_sizes_bytes', help, () => sizes.diskBytes())
    read('menagerie_resizer_memory_bytes', 'Resident memory of the processes that resize images.', () =>
      sizes.memoryBytes(),
    )
  }
  read('menagerie_catalogue_objects', 'Images by kind. Absent until the kind has been listed completely.', () =>
    [...kinds].filter(catalogue.isComplete).map((kind) => [{ kind }, catalogue.count(kind)] as const),
  )
  read(
    'menagerie_catalogue_age_seconds',
    'Seconds since the list of images was last compared completely with the store. Absent before the first time.',
    () => (pool.refreshedAt === null ? null : (clock.monotonic() - pool.refreshedAt) / 1000),
  )
}
