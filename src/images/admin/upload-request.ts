import type { Origin } from '../../accounts/audit.ts'
import type { Call, Sender } from '../../http/call.ts'
import { fields, type ReadBy, required } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { isBucketName } from '../bucket-name.ts'
import { errors } from '../errors.ts'
import { essenceOf, isMediaType } from '../image-types.ts'
import { isObjectName } from '../object-name.ts'
import type { ObjectRef } from '../object-store.ts'
import { targetOf } from './records.ts'

export const uploadFields = fields({
  bucketName: required(errors.uploadParams, { examples: ['images'] }),
  objectName: required(errors.uploadParams, {
    description: 'The whole key: kind and file name',
    examples: ['fox/a.png'],
  }),
})

/** Notes the object as the caller's target. Reads nothing of the body. */
export function readUpload(call: Call<Sender & Origin, unknown, ReadBy<typeof uploadFields>>): {
  type: string
  ref: ObjectRef
} {
  const { bucketName, objectName } = call.query
  const [type = refuse(errors.notAnImage), ...others] = typesOf(call)
  if (others.length > 0) refuse(errors.notAnImage)
  if (!isBucketName(bucketName)) refuse(errors.badBucketName)
  if (!isObjectName(objectName)) refuse(errors.badObjectName)
  const ref = { bucket: bucketName, name: objectName }
  call.actor.noteTarget?.(targetOf(ref))
  return { type, ref }
}

/** The types of all Content-Type headers: a server in between may have read a different one. */
const typesOf = ({ req }: Pick<Call, 'req'>): readonly string[] =>
  (req.headersDistinct['content-type'] ?? []).map((type) =>
    isMediaType(type) && /^image\/(?!\*)/i.test(type) ? essenceOf(type) : refuse(errors.notAnImage),
  )
