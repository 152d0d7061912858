import { fields, optional } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import type { Logger } from '../../process/logger.ts'
import { isBucketName } from '../bucket-name.ts'
import { errors } from '../errors.ts'
import type { ObjectStore } from '../object-store.ts'

export const testFields = fields({
  bucketExists: optional({
    invalid: errors.badBucketExists,
    isStrict: 'null too',
    description: 'A bucket to look for',
    examples: ['images'],
  }),
})

export interface TestDeps {
  readonly store: ObjectStore
  readonly bucket: string
  readonly log: Logger
}

export const reachable = 'Object store is reachable'

/** With a name whether there is such a bucket, else whether the store answers and takes our key. */
export async function testStore({ store, bucket, log }: TestDeps, wanted: string | undefined) {
  try {
    if (wanted !== undefined)
      return { status: 200, bucketExists: isBucketName(wanted) ? await store.bucketExists(wanted) : await noSuchName() }
    // A bucket of ours that is missing is no fault of the store.
    if (await store.bucketExists(bucket)) await store.check(bucket)
    return { status: 200, message: reachable }
  } catch (error) {
    log.warn({ err: error }, 'the object store was tested, and could not be used')
    return refuse(errors.storeAway)
  }

  /** Even of a name that no bucket can have a store that is away knows nothing. */
  async function noSuchName(): Promise<false> {
    await store.bucketExists(bucket)
    return false
  }
}
