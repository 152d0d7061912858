import type { Row } from './row.ts'

/** What else holds under faults: nothing is shown that is not so, and no part is left out. */
export const honestyRows: readonly Row[] = [
  {
    id: 'N01',
    fault: 'The store refuses an upload or a delete',
    promise: 'Nothing that was visible disappears; what is unknown after a time-out is not shown as certain',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/refused-changes.test.ts': [
        'connections keeps the image in memory and in the list',
        'with 403 keeps the image in memory and in the list',
        'with the 403 of a proxy keeps the image in memory and in the list',
        'with the 404 of another web server keeps the image in memory and in the list',
        'with a redirect keeps the image in memory and in the list',
        'that ends in a time-out removes the image from memory',
        'that times out keeps an image that the store still has',
        'that succeeded is visible at once, even if the store goes down before it can be asked again',
      ],
      'test/images/upload-failures.test.ts': [
        'half-way is 500, and leaves an object where an object was',
        'when asked whether the bucket exists is 500',
      ],
      'test/accounts/admin/failures.test.ts': ['/admin/ban answers'],
    },
  },
  {
    id: 'N02',
    fault: 'A metric whose truth is not known: before the first listing, while the worker does not lead or cannot save',
    promise: 'The metric is left out, or says that it is unknown; it never says "fine" or zero',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/api/metrics.test.ts': ['report failed store operations; a missing object is not a failure'],
      'test/status/standing-by.test.ts': ['exports no state metrics until it is the leader again'],
      'test/faults/worker-file-removed.test.ts': [
        'logs it once within a tick and refuses heartbeats; it creates no new file, and continues when the file is back',
      ],
      'test/faults/worker-unsaved.test.ts': [
        'opens incidents only for silent components, from their own deadlines, not for refused heartbeats',
      ],
      'test/lib/metrics.test.ts': ['omit a part that cannot be read, and report the others'],
      'test/api/own-health.test.ts': ['is reported once its state is known'],
    },
    needs: ['PostgreSQL'],
  },
  {
    id: 'N03',
    fault: 'The worker cannot save a heartbeat, and refuses it',
    promise: 'No incident blames the component, also across a restart, and silent components are still found',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/worker-unsaved.test.ts': [
        'opens incidents only for silent components, from their own deadlines, not for refused heartbeats',
      ],
      'test/status/unsaved.test.ts': [
        'has no visible effect: an incident stays open, and nothing is pushed',
        'extends the deadline: incidents open only for silent components, from their own deadlines, once saved',
        'extends it across a restart too, once that can be saved',
        'a further heartbeat waits for it, and is refused if it fails, without a save of its own',
      ],
      'test/status/component.test.ts': [
        'is extended by a heartbeat that could not be saved, as its status requires; a pause does not shorten it',
        'counts from the end of maintenance, and from a heartbeat that could not be saved, across a restart too',
      ],
      'test/status/runs.test.ts': ['A run that cannot be saved is refused, and blames nobody'],
    },
    needs: ['prlimit', 'PostgreSQL'],
  },
  {
    id: 'N04',
    fault: 'Restarts and pauses of the worker',
    promise: 'A restart or pause accuses nobody, and hides nobody for longer than the start grace',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/worker-paused.test.ts': [
        'opens no incident for the pause, whatever the timeout and the check interval',
      ],
      'test/status/component.test.ts': [
        'leaves each component the start grace for its next heartbeat, or its timeout if that is shorter',
        'is found however often the worker is restarted, even if the clock was wrong at a start',
        'that passed while the worker was suspended leaves the start grace for a heartbeat',
      ],
      'test/status/schedules.test.ts': [
        'is not accused by an hour of restarts every 20 s, after which what is silent is told within 130 s',
      ],
      'test/status/telling.test.ts': [
        'leaves each component its timeout or the start grace for the next heartbeat, if that is later',
      ],
    },
  },
  {
    id: 'N05',
    fault: 'kill -9, a full disk, a removed file or a lost lease of the status worker',
    promise:
      'No acknowledged heartbeat, run, mute, acknowledgement, update or rule is lost; no page is told an older status after a newer one; no alert is doubled without saying so',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/worker-killed.test.ts': [
        'loses no acknowledged change, and repeats only pushes with an unknown outcome: seed',
      ],
      'test/faults/worker-acts-killed.test.ts': [
        'loses no run, mute, acknowledgement, update or rule that was answered, and doubles no alert: ',
      ],
      'test/faults/worker-disk-full.test.ts': [
        'refuses heartbeats, which have no effect, and continues when there is space',
      ],
      'test/faults/worker-file-removed.test.ts': ['refuses heartbeats and logs that it must be restarted: '],
      'test/drivers/status-state/status-state.test.ts': ['loses no acknowledged save and leaves no partial one: seed'],
      'test/drivers/status-state/postgres.test.ts': [
        'goes to a stand-by at its next poll when the leader is killed',
        'goes to a stand-by when the leader is suspended, which loses it',
        'is lost when the server stops responding, and goes to a stand-by without a close',
        'leaves no partial save when the connection ends in the middle of one',
      ],
      'test/drivers/status-state/fenced.test.ts': ['refuses a save that began while another worker took over'],
      'test/cluster/faults.test.ts': ['when the leading worker is killed'],
      'test/models/lease.test.ts': [
        'lets no worker save once another has taken over, in any order, whatever the server forgets',
      ],
    },
    needs: ['prlimit', 'PostgreSQL', 'Redis', 'Ceph', 'haproxy'],
  },
  {
    id: 'N06',
    fault: 'Schedules and runs of jobs, over kill -9, a full disk and restarts',
    promise: 'As N03 and N05: no acknowledged run is lost, and none is missed for what the worker could not save',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/worker-acts-killed.test.ts': [
        'loses no run, mute, acknowledgement, update or rule that was answered, and doubles no alert: ',
      ],
      'test/status/runs.test.ts': [
        'A run that cannot be saved is refused, and blames nobody',
        'is waited for over restarts, 120 s at least',
        'are kept with duration, exit code and output, and shown as running until then, over a restart',
      ],
      'test/status/schedules.test.ts': [
        'is waited for after a restart until its run, or 120 s if that has passed',
        'is not accused by an hour of restarts every 20 s, after which what is silent is told within 130 s',
      ],
    },
    needs: ['PostgreSQL'],
    open: 'The full disk under runs and schedules is a save that fails in the test, not a disk',
  },
  {
    id: 'N07',
    fault: 'Sizes of images, while their process is killed or crashes, their disk is full, or the store fails',
    promise:
      'The original is served, a size is made again or refused, a damaged one is never sent, and nothing is left behind',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/sizes.test.ts': [
        'are made again after the process was killed while it worked, whose request is refused',
        'are served while the disk of their cache is full',
        'leave no process behind when the service is killed',
      ],
      'test/drivers/sizes/resizer.test.ts': [
        'that is killed costs the image that it works on, which is not to blame',
        'that crashes costs the image that it works on, for good',
        'that takes too long is ended, and the image refused for a while',
        'that takes too much memory is ended, and the image refused for a while',
        'rejects with the error of a store that fails midway, and works on',
      ],
      'test/drivers/sizes/folder.test.ts': [
        'returns nothing that is damaged, and deletes it',
        'that cannot be written costs only the cache, and one line of the log until it can be',
        'counts what an earlier process left, and deletes what that had not finished',
      ],
      'test/images/sizes/instances.test.ts': [
        'never send an old version under a new ETag while both replace an image and its sizes are made, and then send only the last',
        'send no size of an image that the other has deleted or hidden, as soon as it follows',
      ],
    },
    needs: ['prlimit', 'PostgreSQL', 'Ceph'],
  },
  {
    id: 'N08',
    fault: 'Console sessions, over kill -9, a full disk, a database that is away, and two instances that act at once',
    promise:
      'What was answered holds; a session is refused with 503, never 401; it ends on all instances at once, and none outlives a password change',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/faults/sessions-killed.test.ts': [
        'that were started or ended stay so over kill -9: ',
        'last while the disk is full, and none starts or ends then',
      ],
      'test/accounts/session-cookies.test.ts': [
        'is answered with 503, never 401, while the database is down, after one attempt to read it',
      ],
      'test/accounts/sessions.test.ts': [
        'act on both at once, and none outlives a password change that runs beside its sign-in',
      ],
    },
    needs: ['prlimit', 'PostgreSQL'],
  },
  {
    id: 'N09',
    fault: 'The database is away while a valid token or cookie is sent',
    promise: 'Authentication fails closed: 5xx, never 200, and never 401, which makes clients drop good tokens',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/accounts/guard.test.ts': [
        'answers 503 with Retry-After, never 401, while the database is down, and 200 after',
      ],
      'test/drivers/accounts/postgres.test.ts': [
        'that refuses connections makes guarded routes, login and register return 503',
      ],
      'test/bin/late-database.test.ts': [
        'listens, is not ready, logs that once without the password, and stops with 0',
      ],
      'test/accounts/session-cookies.test.ts': [
        'is answered with 503, never 401, while the database is down, after one attempt to read it',
      ],
      'test/accounts/first-owner.test.ts': [
        'is 503 while the database is away, when the console is served without the form',
      ],
    },
    needs: ['PostgreSQL'],
    open: 'API keys and embed links are not tried while the database is away',
  },
  {
    id: 'N10',
    fault: 'A flood of refused requests, or an instance that is cut off from the news of the others',
    promise: 'No refusal is hidden from the audit, and no change of an image is missed for good',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/accounts/admin/audit-flood.test.ts': [
        'hides no other refusal: repetitions are one event with a count, and every different refusal has its own',
      ],
      'test/accounts/journal-attempts.test.ts': [
        'is kept among at most 10,000 different ones; a system event counts the missing ones',
      ],
      'test/images/missed-news.test.ts': [
        'has the upload and the delete that it missed once it is reconnected, before its clock advances',
      ],
      'test/images/instances.test.ts': [
        'follow what the other, or the tool, changes, finds and hides, and then what they missed while cut off',
      ],
    },
    needs: ['PostgreSQL', 'Redis', 'Ceph'],
  },
  {
    id: 'N11',
    fault: 'kill -9, a full disk or a lost connection during a backup, a restore, an import or a move',
    promise: 'Nothing partial is left or taken for whole, and the next run cleans up or continues',
    on: ['embedded', 'cluster'],
    proofs: {
      'test/cli/backup.test.ts': [
        'contains each image complete and with its type, during uploads and deletes',
        'leaves no archive after a failure or kill, and the next run cleans up',
      ],
      'test/cli/restore.test.ts': [
        'refuses a truncated archive, wherever it ends',
        'leaves no folder when killed, and the next run cleans up',
      ],
      'test/cli/move.test.ts': [
        'continues after a kill -9, also if the source has changed since; until then no service opens the target',
        'refuses while a service, a worker or another move uses it, and continues after a lost connection',
      ],
      'test/cli/images-import-faults.test.ts': [
        'retries transient refusals of the store',
        'ends at once with a report and 130, stores nothing partial, and is continued by the next run',
        'leaves no partial file in the folder store',
      ],
    },
    needs: ['PostgreSQL', 'Ceph'],
  },
]
