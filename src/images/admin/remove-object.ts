import type { Origin } from '../../accounts/audit.ts'
import type { RequestHeaders } from '../../http/conditional-requests.ts'
import { fields, optional, type ReadBy } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isBucketName } from '../bucket-name.ts'
import { errors } from '../errors.ts'
import { isObjectName } from '../object-name.ts'
import { isUnchanged, NoSuchBucket, type ObjectStore } from '../object-store.ts'
import { isEtag } from '../served.ts'
import { checkPrecondition } from './precondition.ts'
import { type ChangeDeps, targetOf } from './records.ts'

export const removeFields = fields({
  bucketName: optional({ description: 'Required, in the query or the body', examples: ['images'] }),
  objectName: optional({ description: 'The whole key. It wins over `etag`', examples: ['fox/a.png'] }),
  etag: optional({ description: 'ETag of exactly one object in the bucket' }),
})

/** Deletes by name, or by an ETag that only one object has. */
export async function removeObject(
  deps: ChangeDeps,
  by: Origin,
  { bucketName: bucket, objectName, etag }: ReadBy<typeof removeFields>,
  headers: RequestHeaders = {},
  /** For the audit. */
  after: { readonly movedTo: string } | null = null,
): Promise<{ readonly bucket: string; readonly object: string }> {
  if (bucket === undefined || (objectName === undefined && etag === undefined)) refuse(errors.deleteParams)
  if (objectName !== undefined && !isObjectName(objectName)) refuse(errors.badObjectName)
  const plainEtag = etag?.replace(/^"(.*)"$/, '$1') ?? ''
  if (!isBucketName(bucket)) throw new NoSuchBucket(bucket)
  if (objectName !== undefined || isEtag(plainEtag))
    by.noteTarget?.(targetOf({ bucket, name: objectName ?? `etag ${plainEtag}` }))
  const ref = { bucket, name: objectName ?? (await nameWith(deps.store, bucket, plainEtag)) }
  await checkPrecondition(deps.store, ref, headers)
  await deps.records.ready()
  try {
    await deps.store.remove(ref)
  } catch (error) {
    // The store may have removed it even though its response was lost.
    if (!isUnchanged(error)) await deps.source.recheck(ref, 'drop')
    throw error
  }
  await deps.source.recheck(ref, 'drop')
  await deps.details.end(ref)
  const target = targetOf(ref)
  by.noteTarget?.(target)
  await deps.records.done(by, { action: 'delete-object', target, after })
  return { bucket, object: objectName ?? `object with etag ${plainEtag}` }
}

async function nameWith(store: ObjectStore, bucket: string, etag: string): Promise<string> {
  let found: string | null = null
  for await (const page of store.list(bucket, { prefix: '', isFlat: false })) {
    for (const object of page) {
      if (object.etag !== etag) continue
      if (found !== null) refuse(errors.sharedEtag)
      found = object.name
    }
  }
  return found ?? refuse(errors.objectNotFound)
}
