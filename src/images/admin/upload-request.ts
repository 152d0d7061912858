import type { Call, Sender } from '../../http/call.ts'
import { fields, required } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isBucketName } from '../bucket-name.ts'
import { errors } from '../errors.ts'
import { essenceOf, isMediaType } from '../image-types.ts'
import { isObjectName } from '../object-name.ts'
import type { ObjectRef } from '../object-store.ts'

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

/** What is to be uploaded, and where to; of the body nothing is read yet. */
export function readUpload(call: Call<Sender | null, unknown, UploadQuery>): { type: string; ref: ObjectRef } {
  const { bucketName, objectName } = call.query
  const [type = refuse(errors.notAnImage), ...others] = typesOf(call)
  if (others.length > 0) refuse(errors.notAnImage)
  if (!isBucketName(bucketName)) refuse(errors.badBucketName)
  if (!isObjectName(objectName)) refuse(errors.badObjectName)
  return { type, ref: { bucket: bucketName, name: objectName } }
}

/** Of each Content-Type there is; of two, another server may have read the other. */
const typesOf = ({ req }: Pick<Call, 'req'>): readonly string[] =>
  (req.headersDistinct['content-type'] ?? []).map((type) =>
    isMediaType(type) && /^image\//i.test(type) ? essenceOf(type) : refuse(errors.notAnImage),
  )
