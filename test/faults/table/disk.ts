import type { Row } from './row.ts'

/** The power, the disk and the files. */
export const diskRows: readonly Row[] = [
  {
    id: 'F01',
    fault: 'kill -9 while accounts register, log in, and are banned, promoted and renamed, on SQLite',
    promise:
      'Every answered act holds, an unanswered one holds whole or not at all, only the newest token is valid, and the database is intact',
    on: ['embedded'],
    proofs: {
      'test/faults/crash-loop.test.ts': [
        'the service was killed while busy',
        'the account of an answered registration can log in',
        'the token of the last answered login is valid, and a replaced one does not come back',
        'the account of an unanswered registration has its password, or its name is free',
        'the database is intact after every kill',
      ],
      'test/faults/acts-killed.test.ts': [
        'the service was killed while busy',
        'an answered act persists, and an unanswered one persists whole or not at all',
        'each persisted act has exactly one event',
        'the database is intact after every kill',
      ],
    },
    open: '20 kills each by default; `CRASH_KILLS=500` runs 500. That a start is ready within 2 s is measured by `npm run test:load -- L03`, not here',
  },
  {
    id: 'F02',
    fault: 'kill -9 of one of two instances on PostgreSQL, under load',
    promise:
      'Nothing acknowledged is lost, the other instance answers every request, and the acts of all clients have one order',
    on: ['cluster'],
    proofs: {
      'test/cluster/faults.test.ts': ['when an instance is killed again and again'],
      'test/cluster/histories.test.ts': ['have a history that some serial order of all acts explains'],
    },
    needs: ['PostgreSQL', 'Redis', 'Ceph', 'haproxy'],
    open: '13 kills, not 200',
  },
  {
    id: 'F03',
    fault: 'kill -9 during an upload to the folder of objects',
    promise:
      'The object is the acknowledged one to the byte, or the one without a response, whole; the next start removes what was left',
    on: ['embedded'],
    proofs: {
      'test/faults/uploads-killed.test.ts': [
        'the service was killed while busy',
        'each object is the acknowledged one to the byte, or the one without a response, whole',
        'nothing of an unfinished upload is left after the next start',
      ],
      'test/drivers/objects/folder/crashes.test.ts': [
        'removes what a killed process left, but not what another one is writing',
        'has the old object with its type after a power loss between metadata and rename',
        'has the new object with its type even if the old metadata is left',
      ],
    },
    open: '8 kills by default; `CRASH_KILLS=200` runs 200',
  },
  {
    id: 'F04',
    fault: 'Loss of power',
    promise: 'What a 2xx acknowledges was synced to the disk before, in an order that no loss of power can break',
    on: ['embedded'],
    proofs: {
      'test/faults/upload-durability.test.ts': [
        'is synced to disk, file and record and folder, each before the next step and all before its 200',
      ],
      'test/faults/account-durability.test.ts': ['is synced to disk between its last write and its 2xx'],
    },
    needs: ['strace'],
    open: 'The order of system calls is shown; no power is cut',
  },
  {
    id: 'F05',
    fault: 'Full disk',
    promise: 'Writes are refused with 5xx, /health and what can be read go on, and all works again when there is space',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/full-disk.test.ts': [
        'refuses accounts and images with 5xx, keeps what was there readable, and is used again when there is space',
      ],
      'test/faults/not-writable.test.ts': [
        'is not ready while its disk is full, and is ready when there is space',
        'is ready, with its object store degraded, while only the disk of the objects is full',
        'is not ready while PostgreSQL has no disk for new pages, though the row of the probe still fits',
      ],
      'test/images/upload-failures.test.ts': ['half-way is 500, and leaves'],
      'test/drivers/objects/folder/disk.test.ts': ['keeps nothing of a failed upload'],
      'test/process/outages.test.ts': [
        'is one line too for a full disk under the images, and is over when the probe says so',
      ],
    },
    needs: ['prlimit', 'namespaces for mounts', 'PostgreSQL'],
    open: 'That the disk is used again within 5 s is waited for, not timed',
  },
  {
    id: 'F06',
    fault: 'Disk that becomes read-only',
    promise: 'As with a full disk; a start on it ends with one line that says why',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/failing-disk.test.ts': ['becomes read-only (EROFS) loses nothing acknowledged'],
      'test/faults/full-disk.test.ts': [
        'with nothing on it ends with 1 and one line that names DATA_DIR',
        'with the data of a service ends with 1 and one line that names DATA_DIR',
      ],
      'test/bin/refusals.test.ts': ['names DATA_DIR if the folder cannot be created in an existing one'],
      'test/drivers/status-state/sqlite.test.ts': ['is refused if the folder is no directory or not writable'],
      'test/faults/not-writable.test.ts': [
        'is not ready while PostgreSQL is read-only, and is ready when it is writable',
      ],
    },
    needs: ['strace', 'namespaces for mounts', 'PostgreSQL'],
    open: 'Under a running service, calls that write fail as on such a disk: the kernel refuses to remount one while files are open for writing',
  },
  {
    id: 'F07',
    fault: 'A disk that fails to sync (EIO)',
    promise: 'The request is a 5xx, and nothing is acknowledged that is not on disk',
    on: ['embedded'],
    proofs: { 'test/faults/failing-disk.test.ts': ['fails to sync (EIO) loses nothing acknowledged'] },
    needs: ['strace'],
  },
  {
    id: 'F08',
    fault: 'The disk is full for the database alone, in the middle of a transaction',
    promise: 'The act is rolled back and refused with 5xx, and the database is intact',
    on: ['embedded'],
    proofs: {
      'test/faults/failing-disk.test.ts': [
        'is full now and then (ENOSPC), in the middle of transactions too loses nothing',
      ],
      'test/drivers/status-state/sqlite.test.ts': [
        'is unchanged by a save on a full disk, and accepts the next one when there is space',
      ],
    },
    needs: ['strace'],
  },
  {
    id: 'F09',
    fault: 'A limit on the size of files',
    promise: 'What exceeds it is refused with 5xx, and the process lives',
    on: ['embedded'],
    proofs: { 'test/faults/file-limits.test.ts': ['refuses larger uploads, which leave nothing, and nothing else'] },
    needs: ['prlimit'],
  },
  {
    id: 'F10',
    fault: 'No file descriptor is left',
    promise: 'No crash, and connections are accepted again once some are free',
    on: ['embedded'],
    proofs: {
      'test/faults/file-limits.test.ts': [
        'that 200 clients use up ends no process, which serves again as soon as they leave',
      ],
      'test/process/outages.test.ts': ['is one line for a lack of file descriptors, whatever part notices it'],
    },
    needs: ['prlimit'],
    open: 'That it serves again within 2 s is waited for, not timed',
  },
  {
    id: 'F11',
    fault: 'SQLite database locked by another program',
    promise: 'Writes wait for 5 s, then fail with 5xx; /health does not wait',
    on: ['embedded'],
    proofs: {
      'test/drivers/accounts/sqlite.test.ts': ['waits for another process that locks it, and /health does not wait'],
      'test/drivers/accounts/writes.test.ts': [
        'fails each waiting write after 5 s, however many wait',
        'lets 1000 writes wait for one in progress, and refuses the next at once',
      ],
    },
    open: 'The response time of /health is not measured: its requests are answered while a write waits',
  },
  {
    id: 'F12',
    fault: 'Database file that is damaged, of a newer version, or without its write-ahead log',
    promise:
      'A start refuses the first two and leaves the file unchanged; without the log it opens what the file has, intact',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/drivers/accounts/sqlite.test.ts': [
        'refuses a file that is no database at all, and leaves it unchanged',
        'refuses a file whose first page is overwritten, and leaves it unchanged',
        'refuses a file whose schema is overwritten, and leaves it unchanged',
        'refuses a file one of whose pages is overwritten, and leaves it unchanged',
        'refuses a file that was cut off, and leaves it unchanged',
        'refuses a database with a newer schema, and leaves it unchanged',
        'refuses a database of another program, and leaves it unchanged',
        'refuses a database without its tables, or with a wrong version',
        'opens intact if its write-ahead log was removed',
        'is not reachable while menagerie.db',
      ],
      'test/drivers/accounts/postgres.test.ts': [
        'with a newer schema is refused, and left unchanged',
        'without its tables is refused',
      ],
      'test/drivers/newer-schema.test.ts': [
        'are used by running and starting instances until the schema names a newer oldest reader',
      ],
      'test/bin/refusals.test.ts': ['ends in one line even if the database file is not a database'],
      'test/faults/worker-file-removed.test.ts': [
        'logs it once within a tick and refuses heartbeats; it creates no new file, and continues when the file is back',
        'refuses heartbeats without its status.db',
      ],
    },
    needs: ['PostgreSQL'],
  },
]
