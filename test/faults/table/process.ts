import type { Row } from './row.ts'

/** Starts, stops, and what the machine gives the process. */
export const processRows: readonly Row[] = [
  {
    id: 'F27',
    fault: 'SIGTERM under 500 requests a second, 50 downloads and 20 held requests',
    promise:
      'What has begun is finished, held requests are 503 at once, new ones are refused, every count is saved, and it exits with 0',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/cluster/stop.test.ts': [
        'finishes what has begun, answers held requests with 503, saves every count, and exits with 0',
      ],
      'test/limits/throttle.test.ts': ['answers held requests with 503, at once'],
      'test/bin/process.test.ts': ['answers pending requests before it stops, with /ready at 503'],
      'test/http/service.test.ts': ['aborts whatever has not ended after the grace period'],
      'test/accounts/journal.test.ts': [
        'writes everything pending on close, even during a write, and sets no timer after it',
      ],
    },
    needs: ['PostgreSQL', 'Redis', 'haproxy'],
    open: 'The end within 12 s is printed, not asserted',
  },
  {
    id: 'F27b',
    fault: 'SIGTERM with 64 busy clients on kept connections, directly and through proxies',
    promise:
      'Every request on an accepted connection is answered; clients of a proxy see no error, also over 20 rolling restarts',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/stops.test.ts': ['loses no request: ', 'loses no request through '],
      'test/http/shutdown.test.ts': [
        'answers requests that the kernel has received and the process has not read',
        'answers on connections that were not accepted yet',
        'answers busy clients until a response says close, which is the last of the pipelined ones',
        'executes no request that arrives after it has closed the connection',
      ],
      'test/cluster/restarts.test.ts': ['fail no request, under'],
      'test/cluster/faults.test.ts': ['when an instance is restarted'],
      'test/bin/stop.test.ts': [
        'lasts SHUTDOWN_DELAY_SECONDS, during which every request is served, with /ready at 503',
      ],
    },
    needs: ['nginx', 'haproxy', 'caddy', 'PostgreSQL', 'Redis', 'Ceph'],
    open: '4 stops of each and 20 restarts by default; `STOPS` and `RESTARTS` change it',
  },
  {
    id: 'F27c',
    fault:
      'A start while the database, the object store, Redis, the status worker or the status page refuses, hangs or fails',
    promise: 'It listens, says so once, and keeps trying; it ends only for a setting that is wrong',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/bin/away.test.ts': [
        'while the object store',
        'while Redis',
        'while the status worker',
        'while the status page',
        'creates the bucket when the store is available, and images work',
      ],
      'test/bin/late-database.test.ts': [
        'listens, is not ready, logs that once without the password, and stops with 0',
        'migrates, creates the owner of its settings, and is ready',
        'ends with one line if what it then finds cannot be used',
      ],
      'test/drivers/counters/redis-faults.test.ts': [
        'is unavailable at the start, counters start without it and log it once',
        'does not respond at the start, counters start without it',
      ],
      'test/bin/refusals.test.ts': ['logs why in one line, without a secret: '],
    },
    needs: ['PostgreSQL', 'Redis'],
  },
  {
    id: 'F28',
    fault: 'A second SIGTERM, SIGINT or SIGHUP',
    promise:
      'A second signal forces the end; SIGHUP ends `npm start` on a terminal like SIGTERM, and is harmless otherwise',
    on: ['embedded'],
    proofs: {
      'test/bin/process.test.ts': [
        'api ignores SIGHUP, stops at SIGTERM with exit code 0, logs it, and keeps its files only in DATA_DIR',
        'status-worker ignores SIGHUP, stops at SIGTERM with exit code 0, logs it, and keeps its files only in DATA_DIR',
        'api ends with exit code 1, before pending requests have finished, at a signal more than a second later',
        'status-worker ends with exit code 1, before pending requests have finished, at a signal more than a second later',
        'ignores SIGHUP without a terminal, and ends with 0 if SIGINT reaches the whole group at once',
        'stops when its terminal is closed, with 0',
        'keeps running under nohup when its terminal is closed',
      ],
    },
    needs: ['python3'],
    open: 'The forced end within a second is not timed',
  },
  {
    id: 'F29',
    fault: 'The log has lost its reader, has one that does not read, or goes to a full disk',
    promise: 'The process goes on, answers, and stops with 0',
    on: ['embedded'],
    proofs: {
      'test/bin/process.test.ts': [
        'may lose its reader (| head -1)',
        'may have a reader that does not read: ',
        'may go to a full disk: ',
      ],
      'test/process/logger.test.ts': [
        'loses no line to a reader that pauses',
        'is dropped at exit if it cannot be written: a full disk, an invalid descriptor',
      ],
    },
  },
  {
    id: 'F31',
    fault: 'The process may use little memory',
    promise: 'It refuses with 503 what it has no memory for; if it is killed, F01 holds',
    on: ['embedded'],
    proofs: {
      'test/faults/scarce.test.ts': [
        'refuses what is too much at once with 503, serves all else, lives, and loses nothing acknowledged',
      ],
    },
    open: 'A heap of 96 MB; no test makes one so small that the process ends, which would be as in F01',
  },
  {
    id: 'F32',
    fault: 'Other programs use up the CPU',
    promise: 'It gets slower, and nothing fails',
    on: ['embedded'],
    proofs: { 'test/faults/scarce.test.ts': ['fails no request'] },
    needs: ['taskset'],
    open: 'How long /health takes is printed, not asserted',
  },
  {
    id: 'F34',
    fault: 'The file of the secret is missing, empty, short or readable by others',
    promise:
      'Missing: a new secret, a warning, and every token ends once. Otherwise the start is refused, and the file left as it is',
    on: ['embedded'],
    proofs: {
      'test/bin/secret-missing.test.ts': [
        'makes another one, logs a warning once if there are accounts, and ends every token; a login gives a new one',
      ],
      'test/bin/refusals.test.ts': [
        'names the secret file if it is readable by others, and leaves it unchanged',
        'names the secret file if it is readable by its group, and leaves it unchanged',
        'names the secret file if it is writable by its group, and leaves it unchanged',
        'names the secret file if it is empty, and leaves it unchanged',
        'names the secret file if it is short, and leaves it unchanged',
        'names the path and leaves it unchanged if jwt-secret is',
        'that a killed start left are deleted by the next; a numbered backup of the operator is kept',
      ],
    },
  },
  {
    id: 'F35',
    fault: 'A promise whose rejection nobody handles',
    promise: 'It is logged, and the process ends once, with 1, after it has answered what was pending',
    on: ['embedded'],
    proofs: {
      'test/bin/unhandled.test.ts': [
        'a rejection that nobody handles logs it once, answers what is pending, and ends with 1: ',
        'an exception that nobody catches logs it once, answers what is pending, and ends with 1: ',
      ],
    },
    open: 'What starts it again is the service manager: systemd or the container engine',
  },
  {
    id: 'F36',
    fault: 'The status page or chat that the worker tells is down for long',
    promise:
      'Heartbeats are answered anyway; the worker tries again by a timer with growing pauses of up to 5 minutes, also after a restart; it logs a line a minute for each component and page',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/status/component.test.ts': [
        'that failed is retried by the timer too, after 5 s, 15 s, 60 s, and then every 5 minutes',
        'that failed waits on after a restart, by the wall clock',
        'after a 429 waits for Retry-After: heartbeats up to 60 s, the timer up to an hour, across restarts',
      ],
      'test/status/publishing.test.ts': [
        'is not published if the page does not respond; the heartbeat is answered anyway',
        'has refusals and status changes, but no line for each accepted heartbeat',
      ],
      'test/status/component-log.test.ts': [
        'has one line a minute for each component and target, however often they are tried, and one when it is back',
      ],
      'test/status/targets.test.ts': [
        'do not delay each other: one that hangs keeps neither heartbeats nor the others waiting',
      ],
      'test/models/alerts.test.ts': [
        'tells an alert channel of an outage, or of a newer one, whatever is lost, late or killed',
        'ends with a page that shows the status, whatever is lost, late or killed',
      ],
    },
    open: 'Memory over an hour is measured by `npm run test:load -- L14 --full`, not here',
  },
]
