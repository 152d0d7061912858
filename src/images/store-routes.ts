import { type Guarded, onlyAdministrators } from '../accounts/access.ts'
import { neverDry } from '../accounts/admin/dry-run.ts'
import { type ApiRoute, administration, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { openBody } from '../http/body-stream.ts'
import { refuse } from '../http/refusal.ts'
import { JsonResponse } from '../http/responses.ts'
import { boolean, literal, nullable, object, string } from '../http/schema.ts'
import { checkPrecondition } from './admin/precondition.ts'
import { removeFields, removeObject } from './admin/remove-object.ts'
import { reachable, testFields, testStore } from './admin/test-store.ts'
import { type UploadDeps, upload } from './admin/upload.ts'
import { readUpload, uploadFields } from './admin/upload-request.ts'
import { duplicateOf } from './duplicates.ts'
import { cutOffText } from './end-check.ts'
import { errors } from './errors.ts'
import { parseKey } from './names.ts'
import type { ObjectRef } from './object-store.ts'
import type { ImageParts } from './parts.ts'

export interface StoreDeps extends Guarded, UploadDeps, ImageParts {
  readonly uploadMaxBytes: number
  /** Whether objects that are not images are set aside. */
  readonly imagesOnly: boolean
}

const forAdministrators = { ...administration, access: onlyAdministrators } as const

const notAnImage = 'its first bytes are not those of a known type of image'
const setAside = `never chosen at random: ${notAnImage}, and CHOOSE_IMAGES_ONLY is true`

/** Null if images of this name are chosen. Headers have no room for the name itself, in any script. */
function neverChosen({ bucket, name }: ObjectRef, chosen: Pick<StoreDeps, 'bucket' | 'kinds'>): string | null {
  if (bucket !== chosen.bucket) return `only images in the bucket ${chosen.bucket} are`
  if (parseKey(chosen.kinds, name) !== null) return null
  if (!chosen.kinds.has(name.slice(0, Math.max(0, name.indexOf('/')))))
    return 'its name does not begin with a kind and / (GET /images lists the kinds)'
  return "after the kind and /, its name has more than letters, digits, '.', '_' and '-', or has '..'"
}

export const storeRoutes: readonly ApiRoute<StoreDeps, KeyPassage>[] = [
  defineApiRoute({
    method: 'GET',
    path: '/admin/s3/test',
    operationId: 'testStore',
    summary: 'Test the object store',
    description:
      'Checks whether it can be reached and, with `bucketExists` in the body or the query, whether that bucket exists.',
    ...forAdministrators,
    audit: 'store.test',
    keyScope: 'store',
    query: testFields,
    body: testFields,
    reply: {
      status: 200,
      schema: {
        anyOf: [
          object({ status: literal(200), message: literal(reachable) }, { title: 'StoreStatus' }),
          object({ status: literal(200), bucketExists: boolean() }, { title: 'BucketStatus' }),
        ],
      },
    },
    errors: [errors.storeAway],
    handle: ({ body, query }, deps: StoreDeps) => testStore(deps, body.bucketExists ?? query.bucketExists),
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/s3/upload',
    operationId: 'uploadImage',
    samples: [{}],
    summary: 'Upload an image',
    description:
      'The bytes replace an object of the same name; an aborted upload leaves the old one. `X-Upload-Warning` says if the object will never be chosen at random, because its name is not a kind and a file name or its bucket is not `S3_BUCKET`; if its first bytes are not those of a known type of image, chosen all the same without `CHOOSE_IMAGES_ONLY=true`; or if a PNG, JPEG, WebP, AVIF or HEIC file ends early. With `UPLOAD_STRIP_METADATA=true`, the header `X-Upload-Metadata` is `removed`, `none` if there was no metadata, or `kept` if the image is not JPEG, PNG or WebP and is stored as sent. `X-Upload-Duplicate-Of` names another image with the same bytes, if there is one. With `If-None-Match: *` no object is replaced; with `If-Match: "<etag>"`, only that version.',
    ...forAdministrators,
    audit: 'upload',
    keyScope: 'upload',
    onFailure: 'Error uploading object',
    query: uploadFields,
    upload: {
      types: 'image/*',
      example: 'image/png',
      description:
        'The bytes of the image, with a length or chunked, at most `UPLOAD_MAX_BYTES`. Their Content-Type is stored with them.',
      isRequired: true,
    },
    reply: {
      status: 200,
      schema: object(
        {
          status: literal(200),
          message: literal('Object uploaded'),
          bucketName: string({ examples: ['images'] }),
          objectName: string({ examples: ['fox/a.png'] }),
          etag: string({ examples: ['9b2cf535f27731c974343645a3985328'] }),
          versionId: nullable(string({ examples: ['3sL4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY'] })),
        },
        { title: 'UploadedObject' },
      ),
    },
    errors: [
      errors.notAnImage,
      errors.badBucketName,
      errors.badObjectName,
      errors.emptyBody,
      errors.bucketNotFound,
      errors.preconditionFailed,
      errors.otherType,
      errors.notStrippable,
    ],
    async handle(call, deps: StoreDeps) {
      const { type, ref } = readUpload(call)
      await checkPrecondition(deps.store, ref, call.req.headers)
      const body = (await openBody(call, deps.uploadMaxBytes)) ?? refuse(errors.emptyBody)
      const { etag, versionId, md5, metadata, isImage, isCutOff } = await upload(deps, call.actor, ref, {
        type,
        body,
        signal: call.signal,
      })
      const { bucket: bucketName, name: objectName } = ref
      const reply = { status: 200, message: 'Object uploaded', bucketName, objectName, etag, versionId }
      const duplicate = duplicateOf(deps, ref, md5)
      const never = neverChosen(ref, deps)
      const isSetAside = never === null && deps.imagesOnly
      const warnings = [
        ...(never === null ? [] : [`never chosen at random: ${never}`]),
        ...(isImage ? [] : [isSetAside ? setAside : notAnImage]),
        ...(isCutOff ? [cutOffText] : []),
      ]
      return new JsonResponse(200, reply, {
        ...(warnings.length > 0 && { 'X-Upload-Warning': warnings.join('; ') }),
        ...(metadata && { 'X-Upload-Metadata': metadata }),
        ...(duplicate !== null && { 'X-Upload-Duplicate-Of': duplicate }),
      })
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/admin/s3/delete',
    operationId: 'deleteImage',
    summary: 'Delete an object',
    description:
      'Deletes by name, or by an ETag that only one object of the bucket has, given in the body or query. With `If-Match: "<etag>"`, only that version is deleted.',
    ...forAdministrators,
    audit: 'delete-object',
    keyScope: 'store',
    onFailure: 'Error deleting object',
    query: neverDry(removeFields),
    body: neverDry(removeFields),
    reply: {
      status: 200,
      schema: object(
        {
          status: literal(200),
          message: literal('Object deleted'),
          bucketName: string({ examples: ['images'] }),
          object: string({ description: 'Its name, or `object with etag` and the ETag', examples: ['fox/a.png'] }),
        },
        { title: 'DeletedObject' },
      ),
    },
    errors: [
      errors.deleteParams,
      errors.badObjectName,
      errors.objectNotFound,
      errors.sharedEtag,
      errors.preconditionFailed,
    ],
    async handle(call, deps: StoreDeps) {
      const { body, query } = call
      const wanted = {
        bucketName: body.bucketName ?? query.bucketName,
        objectName: body.objectName ?? query.objectName,
        etag: body.etag ?? query.etag,
      }
      const { bucket, object } = await removeObject(deps, call.actor, wanted, call.req.headers)
      return { status: 200, message: 'Object deleted', bucketName: bucket, object }
    },
  }),
]
