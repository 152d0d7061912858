import type { Row } from './row.ts'

/** The clock, and what is counted. */
export const clockRows: readonly Row[] = [
  {
    id: 'F30',
    fault: 'The clock steps by an hour or more, either way',
    promise: 'Tokens, limits, deadlines and old records keep their promises, and no duration is negative',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/wrong-clock.test.ts': [
        'ends no token, key or limit, and no time goes back within a record',
        'accuses no component that is heard',
      ],
      'test/accounts/guard.test.ts': [
        'expires a token after 60 s of leeway, on an instance with the token cached and on one without',
      ],
      'test/status/telling.test.ts': ['neither opens nor hides an incident, and no duration is negative'],
      'test/status/clocks.test.ts': [
        'incidents and transitions keep their order of insertion, and none ends before it begins',
      ],
      'test/status/schedules.test.ts': [
        'is waited for anew if the wall clock is set back, and does not get stuck if it is set back by years',
      ],
      'test/status/retention.test.ts': [
        'is deleted after 90 days, and not because the clock is a year ahead for an hour',
      ],
      'test/accounts/journal.test.ts': [
        'belong to the UTC day of the clock, even if it is set back',
        'deletes nothing more if the clock once reads a year ahead',
      ],
      'test/drivers/objects/s3/circuit-breaker.test.ts': ['is not affected by setting the clock'],
      'test/lib/settled-time.test.ts': ['does not follow a clock that jumps ahead and comes back, however often'],
    },
    needs: ['libfaketime'],
    open: 'That a silent component is still found, and old records kept, is shown on clocks of the tests, not of a process',
  },
  {
    id: 'F33',
    fault: 'kill -9 while requests are counted',
    promise: 'The counts of the last second may be lost, no others; the total is always the sum of its groups',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/counters-killed.test.ts': [
        'loses at most what was not written yet, counts nothing twice, and every total is the sum of its groups',
      ],
      'test/accounts/journal.test.ts': [
        'are summed by user and group, and written 900 ms after the first',
        'keeps what could not be written, and retries all of it after 900 ms, nothing twice',
      ],
      'test/accounts/admin/counters.test.ts': ['are included in the totals', 'survive a restart'],
      'test/cluster/stop.test.ts': [
        'finishes what has begun, answers held requests with 503, saves every count, and exits with 0',
      ],
    },
    needs: ['PostgreSQL', 'Redis', 'haproxy'],
    open: 'That counts are written within a second is shown on a clock of the test; after kill -9 the lost ones are printed',
  },
]
