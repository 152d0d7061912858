import { fields, optional } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isBucketName } from '../bucket-name.ts'
import { errors } from '../errors.ts'
import type { ImageParts } from '../parts.ts'

export const testFields = fields({
  bucketExists: optional({
    invalid: errors.badBucketExists,
    isStrict: 'null too',
    description: 'Name of the bucket to look up',
    examples: ['images'],
  }),
})

export const reachable = 'Object store is reachable'

/** With a name: whether that bucket exists. Without: whether the store responds and accepts our credentials. */
export async function testStore(
  { store, bucket, log }: Pick<ImageParts, 'store' | 'bucket' | 'log'>,
  wanted: string | undefined,
) {
  try {
    if (wanted !== undefined)
      return { status: 200, bucketExists: isBucketName(wanted) ? await store.bucketExists(wanted) : await noSuchName() }
    // The store is reachable even if our bucket is missing.
    if (await store.bucketExists(bucket)) await store.check(bucket)
    return { status: 200, message: reachable }
  } catch (error) {
    log.warn({ err: error }, 'the object store failed its test')
    return refuse(errors.storeAway)
  }

  /** An invalid name is reported as not found, but only if the store responds. */
  async function noSuchName(): Promise<false> {
    await store.bucketExists(bucket)
    return false
  }
}
