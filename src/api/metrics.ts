import type { Directory } from '../accounts/directory.ts'
import type { Journal, JournalStore } from '../accounts/journal.ts'
import type { Passwords } from '../accounts/passwords.ts'
import type { Users } from '../accounts/users.ts'
import { ClientGone } from '../http/json-body.ts'
import { Refused } from '../http/refusal.ts'
import { measureRequests } from '../http/request-metrics.ts'
import { kinds } from '../images/kinds.ts'
import type { ObjectStore } from '../images/object-store.ts'
import { isStoreFailure, observeStore } from '../images/observed-store.ts'
import type { Clock } from '../lib/clock.ts'
import { createMetrics } from '../lib/metrics.ts'
import { createOperations } from '../lib/operations.ts'
import { addProcessMetrics, watchEventLoop } from '../process/process-metrics.ts'
import type { Reporter } from '../reporter/reporter.ts'
import type { ImageParts } from './image-parts.ts'
import { observeDirectory, observeJournalStore, observeUsers } from './observed-accounts.ts'

/** What the limits are asked when metrics are. */
export interface LimitFigures {
  /** 429s so far, by scope. */
  readonly refused: Readonly<Record<string, number>>
  /** Requests that are kept waiting. */
  held(): number
  /** Subjects that are counted in memory. */
  keys(): number
  /** Whether other instances count with this one at the moment. */
  isShared(): boolean
}

interface Told {
  readonly limits: LimitFigures
  readonly passwords: Pick<Passwords, 'load'>
  readonly journal: Pick<Journal, 'pendingEvents'>
  readonly images: Pick<ImageParts, 'cache' | 'catalogue' | 'pool'>
  /** Null where nothing is reported. */
  readonly reporter: Pick<Reporter, 'failures'> | null
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>

/** Made first, since the other parts are observed by it; what they tell themselves is added by `tellOf`. */
export function createApiMetrics(clock: Clock) {
  const metrics = createMetrics()
  const onResponse = measureRequests(metrics)
  const ofStore = createOperations(metrics, {
    clock,
    duration: {
      name: 'menagerie_object_store_operation_duration_seconds',
      help: 'What the object store was asked for; of a list each page, of a reading its opening and its body in memory.',
    },
    errors: {
      name: 'menagerie_object_store_errors_total',
      help: 'Operations of the object store that failed. That something is not there is no failure.',
    },
    isFailure: isStoreFailure,
  })
  const ofDatabase = createOperations(metrics, {
    clock,
    duration: {
      name: 'menagerie_database_query_duration_seconds',
      help: 'What the database was asked for; accounts that SQLite finds at once are not timed.',
    },
    errors: { name: 'menagerie_database_errors_total', help: 'Operations of the database that failed.' },
    // What a use case refuses inside of its transaction is its own answer.
    isFailure: (error) => !(error instanceof Refused || error instanceof ClientGone),
  })
  const stopWatching = watchEventLoop(metrics, clock)
  addProcessMetrics(metrics)

  const tellOf = ({ limits, passwords, journal, images: { cache, catalogue, pool }, reporter }: Told) => {
    const { read } = metrics
    read('counter', 'menagerie_rate_limit_refused_total', 'Requests that were answered 429, by scope.', () =>
      Object.entries(limits.refused).map(([scope, count]) => [{ scope }, count] as const),
    )
    read('gauge', 'menagerie_held_requests', 'Requests that the rate limits keep waiting.', limits.held)
    read('gauge', 'menagerie_rate_limit_keys', 'Clients and names that are counted in memory.', limits.keys)
    read('gauge', 'menagerie_rate_limit_shared', '1 while Redis counts for several instances, else 0.', () =>
      Number(limits.isShared()),
    )
    if (reporter) {
      const help = 'Reports of own health that the status worker did not take.'
      read('counter', 'menagerie_reports_failed_total', help, () => reporter.failures)
    }
    read('gauge', 'menagerie_password_hashes', 'Password hashes that run, and that wait to.', () =>
      Object.entries(passwords.load).map(([state, count]) => [{ state }, count] as const),
    )
    read(
      'gauge',
      'menagerie_journal_pending_events',
      'Events of the audit that are not written yet.',
      () => journal.pendingEvents,
    )
    read(
      'counter',
      'menagerie_image_cache_hits_total',
      'Images served without a look at the store.',
      () => cache.metrics.hits,
    )
    read(
      'counter',
      'menagerie_image_cache_misses_total',
      'Images for which the store was asked.',
      () => cache.metrics.misses,
    )
    read('gauge', 'menagerie_image_cache_bytes', 'Memory of the images that are held.', cache.metrics.bytes)
    read('gauge', 'menagerie_image_cache_entries', 'Images that are held in memory.', cache.metrics.entries)
    read('gauge', 'menagerie_catalogue_objects', 'Images, by kind. Absent until the kind was listed to its end.', () =>
      kinds.filter((kind) => catalogue.isComplete(kind)).map((kind) => [{ kind }, catalogue.count(kind)] as const),
    )
    read(
      'gauge',
      'menagerie_catalogue_age_seconds',
      'Since the list of images was last compared with the store, to its end. Absent before that.',
      () => (pool.refreshedAt === null ? null : (clock.monotonic() - pool.refreshedAt) / 1000),
    )
  }

  return {
    render: metrics.render,
    onResponse,
    tellOf,
    observeStore: (real: ObjectStore) => observeStore(real, ofStore),
    observeUsers: (real: Users) => observeUsers(real, ofDatabase),
    observeDirectory: (real: Directory) => observeDirectory(real, ofDatabase),
    observeJournalStore: (real: JournalStore) => observeJournalStore(real, ofDatabase),
    async close() {
      stopWatching()
    },
  }
}
