import { type Guarded, onlyAdministrators, signedIn } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { openBody } from '../http/body-stream.ts'
import { refuse } from '../http/refusal.ts'
import { JsonResponse } from '../http/responses.ts'
import { open, type ReplySpec } from '../http/route.ts'
import { array, boolean, literal, nullable, object, oneOf, string } from '../http/schema.ts'
import type { Logger } from '../process/logger.ts'
import { checkPrecondition } from './admin/precondition.ts'
import type { Records } from './admin/records.ts'
import { removeFields, removeObject } from './admin/remove-object.ts'
import { reachable, testFields, testStore } from './admin/test-store.ts'
import { type UploadDeps, upload } from './admin/upload.ts'
import { readUpload, uploadFields } from './admin/upload-request.ts'
import { descriptor, proxyPath } from './descriptor.ts'
import { duplicateOf } from './duplicates.ts'
import { type EmbedRouteDeps, embedRoute } from './embed-route.ts'
import { errors } from './errors.ts'
import type { ImageSource } from './image-source.ts'
import type { Kind, Kinds } from './kinds.ts'
import { imagePage, kindList, listImages, listKinds, pageFields } from './list-images.ts'
import { isFilename, keyOf, parseKey } from './names.ts'
import type { ObjectStore } from './object-store.ts'
import { randomFields, randomOfKindsFields, showRandom, textType, whenKnown } from './random.ts'
import { imageErrors, imageReplies } from './replies.ts'
import { proxyHeaders, remainingSpec } from './served.ts'

export interface ImageDeps extends EmbedRouteDeps, Guarded, UploadDeps {
  readonly source: ImageSource
  readonly store: ObjectStore
  readonly bucket: string
  readonly records: Records
  readonly uploadMaxBytes: number
  readonly log: Logger
}

const forUsers = {
  access: signedIn,
  envelope: 'message',
  limit: null,
  counts: 'images',
  audit: null,
  keyScope: 'images',
} as const
const forAdministrators = { access: onlyAdministrators, envelope: 'status', limit: null, counts: 'admin' } as const

const neverChosen = (bucket: string) => ({
  'X-Upload-Warning': `never chosen at random: expected <kind>/<file name> in the bucket ${bucket}; GET /images lists the kinds`,
})

const randomReplies: readonly ReplySpec[] = [
  {
    status: 200,
    schema: {
      anyOf: [descriptor, object({ status: literal(200), images: array(descriptor) }, { title: 'ImageList' })],
    },
    also: [textType, '*/*'],
    headers: remainingSpec,
    description: 'A description, several with `count`, or with `as` the URL or the image itself',
  },
  { status: 302, type: textType, headers: remainingSpec, description: 'With `as=redirect`: the URL of the image' },
  ...imageReplies,
]

const randomErrors = [
  errors.badCount,
  errors.badAs,
  errors.onlyOne,
  errors.seededRepeat,
  errors.nameMissing,
  ...imageErrors,
]

export const imageRoutes = (kinds: Kinds): readonly ApiRoute<ImageDeps, KeyPassage>[] => [
  ...routesOfAll([...kinds]),
  ...routesOfEach([...kinds]),
  proxyRoute,
  embedRoute,
  ...storeRoutes,
]

const routesOfAll = (kinds: readonly Kind[]) => [
  defineApiRoute({
    method: 'GET',
    path: '/images',
    operationId: 'listKinds',
    summary: 'List the kinds of images',
    ...forUsers,
    reply: { status: 200, schema: kindList(kinds) },
    errors: [],
    handle: (_call, deps: ImageDeps) => whenKnown(deps, kinds, () => listKinds(deps.catalogue, kinds)),
  }),
  defineApiRoute({
    method: 'GET',
    path: '/images/random',
    operationId: 'randomImageOfKinds',
    summary: 'Get a random image from several kinds',
    ...forUsers,
    query: randomOfKindsFields(new Set(kinds)),
    reply: randomReplies,
    errors: [errors.none, ...randomErrors],
    handle: (call, deps: ImageDeps) => showRandom(deps, call, call.query.kinds ?? kinds, errors.none),
  }),
]

const routesOfEach = (kinds: readonly Kind[]) => {
  const params = { kind: oneOf(kinds) }
  return kinds.flatMap((kind) => [
    defineApiRoute({
      method: 'GET',
      path: `/images/${kind}/random`,
      template: '/images/:kind/random',
      params,
      operationId: 'randomImage',
      samples: [{}, { query: { as: 'bytes' } }],
      summary: 'Get a random image of a kind',
      ...forUsers,
      query: randomFields,
      reply: randomReplies,
      errors: [...randomErrors, errors.noneOfKind],
      handle: (call, deps: ImageDeps) => showRandom(deps, call, [kind], errors.noneOfKind),
    }),
    defineApiRoute({
      method: 'GET',
      path: `/images/${kind}`,
      template: '/images/:kind',
      params,
      operationId: 'listImages',
      summary: 'List the images of a kind',
      description: 'Paginated: images that are stored or deleted between two pages do not shift the others.',
      ...forUsers,
      query: pageFields,
      isCompressed: true,
      reply: { status: 200, schema: imagePage },
      errors: [errors.badCursor, errors.nameMissing],
      handle: (call, deps: ImageDeps) =>
        whenKnown(deps, [kind], () => listImages(deps.catalogue, deps.baseUrl, kind, call.query)),
    }),
  ])
}

const proxyRoute = defineApiRoute({
  method: 'GET',
  path: `${proxyPath}:folder/:filename`,
  params: { folder: string({ examples: ['fox'] }), filename: string({ examples: ['fox-at-dusk.png'] }) },
  operationId: 'getImage',
  summary: 'Get an image',
  description:
    'The stored bytes, with ranges and conditional requests as in RFC 9110. Anything but a raster image is sent as an attachment.',
  access: open,
  envelope: 'status',
  limit: null,
  counts: null,
  audit: null,
  keyScope: null,
  headers: proxyHeaders,
  reply: [{ status: 200, type: '*/*', description: 'The bytes, with the stored type' }, ...imageReplies],
  errors: imageErrors,
  handle(call, { kinds, proxy }: ImageDeps) {
    const { folder = '', filename = '' } = call.params
    return kinds.has(folder) && isFilename(filename)
      ? proxy.serve(call, keyOf(folder, filename))
      : refuse(errors.imageNotFound)
  },
})

const storeRoutes = [
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
    handle: ({ body, query }, deps: ImageDeps) => testStore(deps, body.bucketExists ?? query.bucketExists),
  }),
  defineApiRoute({
    method: 'POST',
    path: '/admin/s3/upload',
    operationId: 'uploadImage',
    samples: [{}],
    summary: 'Upload an image',
    description:
      'The body is the bytes. They replace an object of the same name; an aborted upload leaves the old one. If the object will never be chosen at random, because its name is not a kind and a file name or its bucket is not `S3_BUCKET`, the header `X-Upload-Warning` says so. With `UPLOAD_STRIP_METADATA=true`, the header `X-Upload-Metadata` is `removed`, `none` if there was no metadata, or `kept` if the image is not JPEG, PNG or WebP and is stored as sent. `X-Upload-Duplicate-Of` names another image with the same bytes, if there is one. With `If-None-Match: *` no object is replaced; with `If-Match: "<etag>"`, only that version.',
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
    async handle(call, deps: ImageDeps) {
      const { type, ref } = readUpload(call)
      await checkPrecondition(deps.store, ref, call.req.headers)
      const body = (await openBody(call, deps.uploadMaxBytes)) ?? refuse(errors.emptyBody)
      const { etag, versionId, md5, metadata } = await upload(deps, call.actor, ref, {
        type,
        body,
        signal: call.signal,
      })
      const { bucket: bucketName, name: objectName } = ref
      const reply = { status: 200, message: 'Object uploaded', bucketName, objectName, etag, versionId }
      const duplicate = duplicateOf(deps, ref, md5)
      const isChosen = bucketName === deps.bucket && parseKey(deps.kinds, objectName) !== null
      return new JsonResponse(200, reply, {
        ...(!isChosen && neverChosen(deps.bucket)),
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
      'Deletes by name, or by an ETag that only one object of the bucket has. The fields may also be given in the query. With `If-Match: "<etag>"`, only that version is deleted.',
    ...forAdministrators,
    audit: 'delete-object',
    keyScope: 'store',
    onFailure: 'Error deleting object',
    query: removeFields,
    body: removeFields,
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
    async handle(call, deps: ImageDeps) {
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
