import type { Row } from './row.ts'

const cluster = ['PostgreSQL', 'Redis', 'haproxy']

/** The object store over S3. */
export const storeRows: readonly Row[] = [
  {
    id: 'F20',
    fault: 'The object store refuses connections, or its name does not resolve',
    promise:
      'The first request fails soon and the next ones at once; random images are chosen from the last list, cached ones are served; it is used again by itself',
    on: ['cluster'],
    proofs: {
      'test/faults/store.test.ts': [
        'random uses the last list, cached images are served, and any other is 404',
        'it is not tried for a while, and then used again without a restart',
        'a service can start, and has the images when the store is back',
        'because its name does not resolve, a service starts, and images are 404',
      ],
      'test/drivers/objects/s3/faults.test.ts': [
        'fails soon, then at once, and recovers',
        'because its name does not resolve fails',
      ],
      'test/drivers/objects/s3/circuit-breaker.test.ts': [
        'admits nobody for a while after a failure',
        'closes with the first response',
      ],
      'test/cluster/links.test.ts': [
        'is out of reach for 8 s: the packets of new connections are dropped',
        'refuses connections for 4 s',
      ],
      'test/cluster/names.test.ts': ['while the name of redis'],
      'test/images/pool.test.ts': ['keeps the old list while the store is away, logs that once, and retries every 2 s'],
    },
    needs: [...cluster, 'root and namespaces for the names'],
    open: 'How soon and how fast is not timed: the tests count requests to the store',
  },
  {
    id: 'F21',
    fault: 'The object store accepts connections and never answers',
    promise: 'Images time out; other routes are unaffected; sockets stay within their maximum',
    on: ['cluster'],
    proofs: {
      'test/faults/store.test.ts': [
        'other routes are answered, images time out as 404, and then it is not asked for a while',
        'and hundreds of clients ask, it gets at most its maximum of sockets, and each client is answered',
        'that all wait for a slow store use at most 64 sockets',
      ],
      'test/drivers/objects/s3/faults.test.ts': [
        'that accepts connections and never responds times out, within the maximum of sockets',
        'that cannot be connected to times out, and is aborted by callers who leave',
        'are not taken by callers who time out or leave',
      ],
      'test/cluster/faults.test.ts': ['when the object store freezes for 8 s'],
    },
    needs: [...cluster, 'Ceph'],
    open: 'The time-out of 5 s is shortened in the tests of the driver',
  },
  {
    id: 'F22',
    fault: 'The body of an image stalls, or comes at 1 kB a second',
    promise: 'A stalled body is given up on both sides; a slow one that keeps coming is served whole',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': [
        'leaves images unfinished for longer than the timeout, or sends them at 1 kB a second',
      ],
      'test/faults/store.test.ts': [
        'leaves unfinished never becomes an image',
        'leaves unbegun never becomes an image',
        'sends slowly but steadily is served',
      ],
      'test/drivers/objects/s3/body.test.ts': [
        'that stalls after',
        'that is slow but never stalls is read to its end',
        'that nobody consumes frees its socket',
      ],
      'test/drivers/objects/s3/resumable.test.ts': ['free their sockets when they leave'],
    },
    needs: cluster,
  },
  {
    id: 'F23',
    fault: 'The body of an image is cut short, reset, too long or too short',
    promise:
      'The client sees a broken transfer or a 404, never a whole image that is none; it is counted, logged and not cached',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': [
        'cuts images short, resets connections within them, or announces a length that is too short or too long',
      ],
      'test/faults/store.test.ts': [
        'ends after ',
        'sends without a length never becomes an image',
        'makes longer than its length is never cached as an image',
        'announces with ',
        'breaks off halfway is logged, and reset for an HTTP/1.0 client',
      ],
      'test/drivers/objects/s3/body.test.ts': [
        'that exceeds its length within the same packet is refused',
        'that is longer than it said is refused, or cut to its stated length if the rest comes too late to be seen',
        'that ends too early is never taken for a whole one',
        'that is reset is never taken for a whole one',
      ],
      'test/images/observed-store.test.ts': ['counts a body that breaks off, and passes on what came'],
    },
    needs: cluster,
    open: 'A body that goes on after its stated end, too late to be seen, is sent as the image that the length names',
  },
  {
    id: 'F24',
    fault: 'The object store answers 30 % of all requests with 503',
    promise:
      'Reads are tried again at most twice, after pauses of random length, and uploads are not: at most half as many requests again',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': [
        'answers 30 % of all requests with 503, which costs it at most half as many requests again',
      ],
      'test/drivers/objects/s3/faults.test.ts': [
        'is asked at most twice more, and only by idempotent requests',
        'in a third of its responses gets at most half as many requests again',
        'gets a pause of random length before a retry',
      ],
      'test/drivers/objects/s3/upload-faults.test.ts': [
        'that the store is too busy for is refused, and not sent twice',
      ],
      'test/faults/store.test.ts': ['503 is retried, at most twice'],
    },
    needs: cluster,
  },
  {
    id: 'F25',
    fault:
      'The object store, or a proxy or portal before it, answers with 403, an error document and 200, a redirect or a login page',
    promise: 'An error, never an image; nothing known is lost; administrators see a general text without details',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': ['answers with 403, with an error document and 200, or with a login page'],
      'test/faults/portal.test.ts': [
        'with a page that looks like an object never becomes an image',
        'with a picture never becomes an image',
        'with a page that is not found never becomes an image',
        'with JSON that is not found and has an ETag never becomes an image',
      ],
      'test/faults/store.test.ts': [
        '403 is a 404 with the reason in the log, and loses nothing',
        'a page to log in is a 404 with the reason in the log, and loses nothing',
        'an error with the status 200 is a 404 with the reason in the log, and loses nothing',
        'a redirect is not followed, and nothing is sent to its target',
        'unrequested headers are not passed on',
      ],
      'test/drivers/objects/s3/faults.test.ts': [
        'that is a page to log in is an error everywhere',
        'that is an error with the status of success is an error everywhere',
        'that is a refusal is an error everywhere',
        'that is the 404 of another web server is an error everywhere',
      ],
      'test/images/upload-failures.test.ts': ['never appears in a response'],
    },
    needs: cluster,
  },
  {
    id: 'F26',
    fault: 'The object store resets the connection, or goes away, during an upload',
    promise: 'The upload is 5xx, the old object or none is there, and the sockets are free again',
    on: ['cluster'],
    proofs: {
      'test/cluster/links.test.ts': ['resets connections halfway through uploads'],
      'test/faults/store.test.ts': [
        'before its first byte keeps the old object or none, and the service continues',
        'in the middle keeps the old object or none, and the service continues',
        'and stays down keeps the old object too',
        'after it stored the object fails the upload, and the new image is served',
      ],
      'test/drivers/objects/s3/upload-faults.test.ts': [
        'that the store resets leaves the old object, and is not sent twice',
        'that the store does not answer times out',
        'that the store does not read times out',
      ],
    },
    needs: cluster,
  },
]
