import type { Operation, Operations } from '../lib/operations.ts'
import { NoSuchBucket, type ObjectReading, type ObjectStore } from './object-store.ts'

export const isStoreFailure = (error: unknown) => !(error instanceof NoSuchBucket)

/** Measures durations and failures: a reading until it is open, a listing page by page. */
export function observeStore(real: ObjectStore, of: Operations): ObjectStore {
  return {
    check: (bucket) => of('check').run(() => real.check(bucket)),
    proveWritable: (bucket) => of('proveWritable').run(() => real.proveWritable(bucket)),
    bucketExists: (bucket) => of('bucketExists').run(() => real.bucketExists(bucket)),
    createBucket: (bucket) => of('createBucket').run(() => real.createBucket(bucket)),
    head: (ref, signal) => of('head').run(() => real.head(ref, signal), signal),
    async read(ref, signal) {
      const reading = await of('read').run(() => real.read(ref, signal), signal)
      return reading && observeReading(reading, of('body'), signal)
    },
    async readRange(ref, version, range, signal) {
      const reading = await of('readRange').run(() => real.readRange(ref, version, range, signal), signal)
      return reading && observeReading(reading, of('body'), signal)
    },
    write(upload) {
      // An upload aborted by the client is not a failure of the store.
      let isBroken = false
      const ended = {
        get aborted() {
          return isBroken || upload.signal.aborted
        },
      }
      const body = withSteps(upload.body, (next) => {
        const step = next()
        step.catch(() => {
          isBroken = true
        })
        return step
      })
      return of('write').run(() => real.write({ ...upload, body }), ended)
    },
    remove: (ref) => of('remove').run(() => real.remove(ref)),
    list: (bucket, options) => withSteps(real.list(bucket, options), (next) => of('list').run(next, options.signal)),
    close: () => real.close(),
  }
}

function observeReading(reading: ObjectReading, operation: Operation, signal: AbortSignal | undefined): ObjectReading {
  const { head, isGivenAway } = reading
  return {
    head,
    ...(isGivenAway !== undefined && { isGivenAway }),
    whole: () => operation.run(() => reading.whole(), signal),
    // The client sets the pace of the chunks, so they are not timed.
    chunks: () =>
      withSteps(reading.chunks(), (next) => {
        const step = next()
        step.catch((error) => operation.fail(error, signal))
        return step
      }),
    discard: () => reading.discard(),
  }
}

type Step<T> = () => Promise<IteratorResult<T>>

/** Passes each step through `take`. Not a generator, which would delay an early return. */
function withSteps<T>(all: AsyncIterable<T>, take: (next: Step<T>) => Promise<IteratorResult<T>>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const steps = all[Symbol.asyncIterator]()
      const end = steps.return?.bind(steps)
      return { next: () => take(() => steps.next()), ...(end && { return: end }) }
    },
  }
}
