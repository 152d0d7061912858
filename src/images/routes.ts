import type { Guarded } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { fields } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { open, type ReplySpec } from '../http/route.ts'
import { array, literal, object, oneOf, string } from '../http/schema.ts'
import { descriptor, proxyPath } from './descriptor.ts'
import type { KnownDetails } from './details/known-details.ts'
import { changeDetailsRoute, type DetailRouteDeps, imageByNameRoutes } from './details/routes.ts'
import { type EmbedRouteDeps, embedRoute } from './embed-route.ts'
import { errors } from './errors.ts'
import type { ImageSource } from './image-source.ts'
import type { Kind, Kinds } from './kinds.ts'
import { imagePage, kindList, listImages, listKinds, pageFields } from './list-images.ts'
import { listTags, tagFields, tagPage } from './list-tags.ts'
import { isFilename, keyOf } from './names.ts'
import { randomFields, randomOfKindsFields, showRandom, textType, whenKnown } from './random.ts'
import { drawnReplies, forUsers, imageErrors, imageReplies } from './replies.ts'
import { locationSpec, proxyHeaders, remainingSpec } from './served.ts'
import type { ShapeReader } from './shapes/shape-reader.ts'
import { sizeErrors, sizeFields } from './sizes/size.ts'
import type { Sizes } from './sizes/sizes.ts'
import { type StoreDeps, storeRoutes } from './store-routes.ts'

export interface ImageDeps extends EmbedRouteDeps, StoreDeps, DetailRouteDeps, Guarded {
  readonly shapes: ShapeReader
  readonly source: ImageSource
  readonly details: KnownDetails
  readonly sizes: Sizes | null
}

const randomReplies: readonly ReplySpec[] = [
  {
    status: 200,
    schema: {
      anyOf: [descriptor, object({ status: literal(200), images: array(descriptor) }, { title: 'ImageList' })],
    },
    also: [textType, '*/*'],
    headers: { ...remainingSpec, ...locationSpec },
    description: 'A description, several with `count`, or with `as` the URL or the image itself',
  },
  { status: 302, type: textType, headers: remainingSpec, description: 'With `as=redirect`: the URL of the image' },
  ...drawnReplies,
]

const noneOfKind = { found: errors.noneOfKind, match: errors.noneOfKindMatch }

const randomErrors = (hasSizes: boolean) => [
  errors.badCount,
  errors.badAs,
  errors.onlyOne,
  errors.seededRepeat,
  errors.badTz,
  errors.perAlone,
  errors.nameMissing,
  errors.stillReading,
  ...imageErrors,
  ...sizeErrors(hasSizes),
]

export const imageRoutes = (kinds: Kinds, hasSizes: boolean): readonly ApiRoute<ImageDeps, KeyPassage>[] => [
  ...routesOfAll([...kinds], hasSizes),
  ...routesOfEach([...kinds], hasSizes),
  proxyRoute(hasSizes),
  embedRoute(hasSizes),
  ...imageByNameRoutes([...kinds]),
  changeDetailsRoute,
  ...storeRoutes,
]

const routesOfAll = (kinds: readonly Kind[], hasSizes: boolean) => [
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
    query: randomOfKindsFields(new Set(kinds), hasSizes),
    reply: randomReplies,
    errors: [errors.none, errors.noneMatch, ...randomErrors(hasSizes)],
    handle: (call, deps: ImageDeps) =>
      showRandom(deps, call, call.query.kinds ?? kinds, { found: errors.none, match: errors.noneMatch }),
  }),
  defineApiRoute({
    method: 'GET',
    path: '/images/tags',
    operationId: 'listTags',
    summary: 'List the tags of images',
    description: 'With the number of images that have each, the most frequent first.',
    ...forUsers,
    query: tagFields(new Set(kinds)),
    isCompressed: true,
    reply: { status: 200, schema: tagPage },
    errors: [errors.badCursor],
    handle: (call, deps: ImageDeps) => whenKnown(deps, kinds, () => listTags(deps.catalogue, kinds, call.query)),
  }),
]

const routesOfEach = (kinds: readonly Kind[], hasSizes: boolean) => {
  const params = { kind: oneOf(kinds) }
  const [random, page, errorsOfRandom] = [randomFields(hasSizes), pageFields(hasSizes), randomErrors(hasSizes)]
  const choosing = kinds.map((kind) =>
    defineApiRoute({
      method: 'GET',
      path: `/images/${kind}/random`,
      template: '/images/:kind/random',
      params,
      operationId: 'randomImage',
      samples: [{}, { query: { as: 'bytes' } }],
      summary: 'Get a random image of a kind',
      ...forUsers,
      query: random,
      reply: randomReplies,
      errors: [...errorsOfRandom, errors.noneOfKind, errors.noneOfKindMatch],
      handle: (call, deps: ImageDeps) => showRandom(deps, call, [kind], noneOfKind),
    }),
  )
  // GET /images/tags is the list of tags.
  const listed = kinds.filter((kind) => kind !== 'tags')
  const listing = listed.map((kind) =>
    defineApiRoute({
      method: 'GET',
      path: `/images/${kind}`,
      template: '/images/:kind',
      params: { kind: oneOf(listed) },
      operationId: 'listImages',
      summary: 'List the images of a kind',
      description: 'Paginated: images that are stored or deleted between two pages do not shift the others.',
      ...forUsers,
      query: page,
      isCompressed: true,
      reply: { status: 200, schema: imagePage },
      errors: [errors.badCursor, errors.nameMissing],
      handle: (call, deps: ImageDeps) => whenKnown(deps, [kind], () => listImages(deps, kind, call.query)),
    }),
  )
  return [...choosing, ...listing]
}

const proxyRoute = (hasSizes: boolean) =>
  defineApiRoute({
    method: 'GET',
    path: `${proxyPath}:folder/:filename`,
    params: { folder: string({ examples: ['fox'] }), filename: string({ examples: ['fox-at-dusk.png'] }) },
    operationId: 'getImage',
    summary: 'Get an image',
    description:
      'The stored bytes or, with `w` or `format`, the image at another width or in another format, with ranges and conditional requests as in RFC 9110. Anything but a raster image is sent as an attachment. An SVG is sent as stored.',
    access: open,
    envelope: 'status',
    limit: null,
    counts: null,
    audit: null,
    keyScope: null,
    headers: proxyHeaders,
    query: fields(sizeFields(hasSizes)),
    reply: [
      { status: 200, type: '*/*', description: 'The bytes, with the stored type or that of `format`' },
      ...imageReplies,
    ],
    errors: [...imageErrors, ...sizeErrors(hasSizes)],
    handle(call, { kinds, proxy, sizes }: ImageDeps) {
      const { folder = '', filename = '' } = call.params
      return kinds.has(folder) && isFilename(filename)
        ? proxy.serve(call, keyOf(folder, filename), sizes?.sizeOf(call.query) ?? null)
        : refuse(errors.imageNotFound)
    },
  })
