import type { Call } from '../../http/call.ts'
import { fields, required } from '../../http/fields.ts'
import { openBody } from '../../http/incoming-body.ts'
import { refuse } from '../../http/refusal.ts'
import { isBucketName } from '../bucket-name.ts'
import { isIntact } from '../checksum.ts'
import { errors } from '../errors.ts'
import { isObjectName } from '../object-name.ts'
import { isUnchanged, NoSuchBucket, type ObjectPlace, type ObjectStore, type Stored } from '../object-store.ts'
import { type Records, targetOf } from './records.ts'

export interface UploadDeps {
  readonly store: ObjectStore
  readonly records: Records
  readonly uploadMostBytes: number
  /** The object may have changed: forget its bytes, and look at it again. */
  readonly onChanged: (bucket: string, name: string) => Promise<void>
}

export interface UploadQuery {
  readonly bucketName: string
  readonly objectName: string
}

export const uploadFields = fields({
  bucketName: required(errors.uploadParams, { examples: ['images'] }),
  objectName: required(errors.uploadParams, {
    description: 'The whole key: kind and file name',
    examples: ['fox/a.png'],
  }),
})

const token = "[!#$%&'*+.^_`|~0-9a-z-]+"
const quoted = '"(?:[^"\\\\]|\\\\.)*"'
/** One media type, without its parameters. */
const imageType = new RegExp(
  `^[ \\t]*(image/${token})[ \\t]*(?:;[ \\t]*(?:${token}=(?:${token}|${quoted})[ \\t]*)?)*$`,
  'i',
)

/** The bytes go from the client to the store as they come; what breaks off leaves the old object, or none. */
export async function upload(deps: UploadDeps, call: Call<unknown, unknown, UploadQuery>) {
  const { bucketName, objectName } = call.query
  const [type = refuse(errors.notAnImage), ...others] = typesOf(call)
  if (others.length > 0) refuse(errors.notAnImage)
  if (!isBucketName(bucketName)) refuse(errors.badBucketName)
  if (!isObjectName(objectName)) refuse(errors.badObjectName)
  call.target = targetOf(bucketName, objectName)
  const body = (await openBody(call, deps.uploadMostBytes)) ?? refuse(errors.emptyBody)
  if (!(await deps.store.bucketExists(bucketName))) refuse(errors.bucketNotFound)

  const broken: { reason?: unknown } = {}
  const place = { bucket: bucketName, name: objectName }
  let stored: Stored
  try {
    stored = await deps.store.write({
      ...place,
      type,
      size: body.length,
      body: noting(body.chunks, broken),
      isGivenAway: true,
      signal: call.signal,
    })
  } catch (error) {
    // Its answer may have been lost.
    if (!isUnchanged(error)) void deps.onChanged(bucketName, objectName)
    if ('reason' in broken) throw broken.reason
    if (error instanceof NoSuchBucket) refuse(errors.bucketNotFound)
    throw error
  }
  if (!isIntact(stored)) await takeBack(deps, place, stored)
  await deps.onChanged(bucketName, objectName)
  const { etag, versionId } = stored
  await deps.records.done(call, { action: 'upload', target: call.target, after: { etag, type, versionId } })
  return { status: 200, message: 'Object uploaded', bucketName, objectName, etag, versionId }
}

/** What was stored is not what was sent. */
async function takeBack({ store, onChanged }: UploadDeps, place: ObjectPlace, { etag, md5 }: Stored): Promise<never> {
  try {
    await store.remove(place)
  } finally {
    void onChanged(place.bucket, place.name)
  }
  throw new Error(`the store answered the ETag ${etag} to bytes with the MD5 ${md5}`)
}

/** Of each Content-Type there is; of two, another server may have read the other. */
const typesOf = ({ req }: Call): readonly string[] =>
  (req.headersDistinct['content-type'] ?? []).map(
    (text) => imageType.exec(text)?.[1]?.toLowerCase() ?? refuse(errors.notAnImage),
  )

/** What the client did wrong is told to it, whatever the store makes of a body that ends in an error. */
async function* noting(chunks: AsyncIterable<Buffer>, broken: { reason?: unknown }): AsyncGenerator<Buffer> {
  try {
    yield* chunks
  } catch (error) {
    broken.reason = error
    throw error
  }
}
