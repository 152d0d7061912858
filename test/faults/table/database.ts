import type { Row } from './row.ts'

const cluster = ['PostgreSQL', 'Redis', 'Ceph', 'haproxy']

/** PostgreSQL and Redis. */
export const databaseRows: readonly Row[] = [
  {
    id: 'F13',
    fault: 'PostgreSQL restarts at once, 20 times, under load',
    promise:
      'Nothing acknowledged is lost, no valid token is refused, /health answers throughout, no process ends, and all recovers by itself',
    on: ['cluster'],
    proofs: {
      'test/cluster/faults.test.ts': ['when PostgreSQL restarts at once '],
      'test/drivers/accounts/postgres.test.ts': ['may close every connection: reads and logins continue'],
    },
    needs: cluster,
    open: 'That each recovery takes at most 5 s is printed, not asserted',
  },
  {
    id: 'F14',
    fault: 'PostgreSQL freezes for 20 s under load',
    promise: 'As F13; requests end in 5xx instead of waiting for it, and then all recovers by itself',
    on: ['cluster'],
    proofs: {
      'test/cluster/faults.test.ts': ['when PostgreSQL freezes for 20 s'],
      'test/drivers/accounts/postgres.test.ts': [
        'that accepts connections and never responds fails the start when the connection times out, naming the database',
      ],
    },
    needs: cluster,
    open: 'How long the slowest request took is printed, not asserted',
  },
  {
    id: 'F15',
    fault: 'Connections to PostgreSQL are terminated, or it accepts no more',
    promise: 'Reads are tried again, the connections that there are are shared, and what finds none is a 503',
    on: ['cluster'],
    proofs: {
      'test/cluster/faults.test.ts': [
        'when every connection to PostgreSQL is terminated',
        'when PostgreSQL has room for 8 connections',
      ],
      'test/drivers/accounts/postgres.test.ts': [
        'may close every connection: reads and logins continue',
        'may close many connections right after they were opened: a statement tries them all',
        'that refuses connections makes guarded routes, login and register return 503',
      ],
      'test/drivers/accounts/postgres-pool.test.ts': [
        'are shared by all requests if the server accepts no more, which is logged once',
        'are awaited if the pool has none, and opened as soon as the server accepts one',
        'are tried again only now and then while the server refuses them, and requests end in 503',
        'to a server that became read-only are replaced, so that a new primary is reached',
      ],
    },
    needs: cluster,
  },
  {
    id: 'F16',
    fault:
      'The network to PostgreSQL drops all packets or those of new connections, resets connections, is 200 ms long, or delivers single bytes; its name does not resolve',
    promise: 'As F13; while the network is only slow, no request fails',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': [
        'is silent for 6 s',
        'resets every connection for 3 s',
        'is 200 ms away',
        'is sent and sends single bytes',
        'is out of reach for 8 s: all packets are dropped',
        'can be used by the connections that there are: the packets of new ones are dropped',
      ],
      'test/cluster/names.test.ts': [
        'while the name of database',
        'while no name can be resolved and all connections last',
      ],
      'test/drivers/accounts/postgres-pool.test.ts': [
        'are reused as they become free by a request whose new one cannot be opened because its packets are dropped',
      ],
    },
    needs: ['PostgreSQL', 'Redis', 'haproxy', 'root and namespaces for the names'],
    open: 'That a connection takes at most 2 s and a statement 5 s is printed as the slowest request, not asserted',
  },
  {
    id: 'F17',
    fault: 'Two instances start at once on an empty database',
    promise: 'One migrates it, and both are ready',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/cluster/first-start.test.ts': ['migrate it once, and lose nothing acknowledged from the first request on'],
      'test/drivers/accounts/postgres.test.ts': ['is migrated once by five concurrent first starts'],
      'test/drivers/accounts/sqlite.test.ts': ['is created once by two concurrent first starts'],
      'test/drivers/accounts/migrations.test.ts': ['is migrated once by concurrent starts'],
      'test/drivers/status-state/postgres.test.ts': [
        'migrates once with several concurrent first starts, which lead one after the other',
      ],
    },
    needs: ['PostgreSQL', 'Redis', 'haproxy'],
  },
  {
    id: 'F18',
    fault: 'kill -9 during a migration',
    promise: 'The next start finishes it, and nothing is lost',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/cluster/first-start.test.ts': ['migrate it once, and lose nothing acknowledged from the first request on'],
      'test/cluster/upgrade.test.ts': [
        'by two new instances that start at once and are killed in the migration fails no request, and loses nothing',
      ],
      'test/faults/start-killed.test.ts': ['is finished by the next: '],
      'test/drivers/accounts/sqlite.test.ts': [
        'opens an existing database, and the empty file of a first start that was killed',
      ],
      'test/drivers/status-state/sqlite.test.ts': ['may be empty after a first start that was killed'],
    },
    needs: ['PostgreSQL', 'Redis', 'haproxy', 'strace', 'the history of git'],
    open: 'On SQLite, at every 24th write to a file',
  },
  {
    id: 'F19',
    fault: 'Redis is killed, frozen, paused, out of memory, read-only or out of reach',
    promise:
      'No request fails; each instance counts on its own after a short wait, so that guesses are at most the maximum of each; counters are shared again by themselves within 5 s',
    on: ['cluster'],
    proofs: {
      'test/cluster/faults.test.ts': [
        'when Redis is killed and returns empty',
        'when Redis freezes for 10 s',
        'when Redis pauses all clients for 10 s',
        'when Redis is out of memory',
      ],
      'test/cluster/links.test.ts': ['when Redis is out of reach for 8 s: all packets are dropped'],
      'test/cluster/names.test.ts': ['while the name of redis'],
      'test/drivers/counters/redis-faults.test.ts': [
        'is killed and returns empty, shared counters allow no more guesses than each instance would',
        'is suspended, counters wait for it once, and are shared again when it resumes',
        'is paused, counters wait for it once',
        'is out of memory or read-only, counters do without it until it can be used',
        'comes and goes, every request is counted, and each change logged once',
      ],
      'test/drivers/counters/redis-link.test.ts': [
        'delays one request by at most 200 ms, and the next ones not at all',
        'is used again within five seconds of its return, however long and often it was unavailable',
      ],
      'test/images/missed-news.test.ts': [
        'has the upload and the delete that it missed once it is reconnected, before its clock advances',
      ],
      'test/models/failed-logins.test.ts': ['is at most that of each instance if Redis goes away'],
    },
    needs: cluster,
    open: 'The wait of 200 ms and the return within 5 s are shown on a clock of the test, not with a real Redis; under load, random images and logins are asserted not to fail, other writes are not',
  },
]
