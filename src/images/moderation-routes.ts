import { type Guarded, onlyAdministrators } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { fields, type ReadBy, required, strict } from '../http/fields.ts'
import { Refused, refuse } from '../http/refusal.ts'
import { array, integer, literal, object, string } from '../http/schema.ts'
import { errors } from './errors.ts'
import type { HiddenImages } from './hidden-images.ts'
import { hide, unhide } from './hide-image.ts'
import { cursorField, defaultPageSize, limitField, nextCursor } from './list-images.ts'
import { type MoveDeps, moveImage } from './move-image.ts'
import { keyOf, parseKey } from './names.ts'
import { type ImageProxy, Miss } from './proxy.ts'
import { imageErrors, imageReplies } from './replies.ts'
import { moderating, nameField } from './report-routes.ts'
import { caller } from './served.ts'

export interface ModerationRouteDeps extends Guarded, MoveDeps {
  readonly hidden: Pick<HiddenImages, 'refresh' | 'has' | 'names'>
  /** Serves hidden images, too. */
  readonly proxyOfAll: Pick<ImageProxy, 'attempt'>
}

const hiddenFields = strict(fields({ limit: limitField, cursor: cursorField }))

const done = (title: string, example: string) => ({
  status: 200 as const,
  schema: object({ status: literal(200), message: string({ examples: [example] }) }, { title }),
})

const cursorOf = (name: string) => Buffer.from(name).toString('base64url')

function listHidden(
  hidden: Pick<HiddenImages, 'names'>,
  { limit = defaultPageSize, cursor }: ReadBy<typeof hiddenFields>,
) {
  const after = cursor === undefined ? '' : Buffer.from(cursor, 'base64url').toString()
  if (cursor !== undefined && cursorOf(after) !== cursor) refuse(errors.badCursor)
  const all = [...hidden.names].sort()
  const rest = all.filter((name) => name > after)
  const names = rest.slice(0, limit)
  const last = names.at(-1)
  return { status: 200, count: all.length, names, next: last && rest.length > limit ? cursorOf(last) : null }
}

export const moderationRoutes: readonly ApiRoute<ModerationRouteDeps, KeyPassage>[] = [
  defineApiRoute({
    ...moderating,
    method: 'GET',
    path: '/admin/images/hidden',
    operationId: 'listHiddenImages',
    summary: 'List the hidden images',
    audit: 'hidden.read',
    keyScope: 'admin:read',
    isCompressed: true,
    query: hiddenFields,
    reply: {
      status: 200,
      schema: object(
        {
          status: literal(200),
          count: integer({ minimum: 0, description: 'All that are hidden', examples: [1] }),
          names: array(string({ examples: ['fox/fox-at-dusk.png'] }), { description: 'Sorted' }),
          next: nextCursor,
        },
        { title: 'HiddenImages' },
      ),
    },
    errors: [errors.badCursor],
    handle: async ({ query }, { hidden }: ModerationRouteDeps) => listHidden(hidden, query),
  }),
  defineApiRoute({
    ...moderating,
    method: 'GET',
    path: '/admin/images/:kind/:file/bytes',
    params: { kind: string({ examples: ['fox'] }), file: string({ examples: ['fox-at-dusk.png'] }) },
    operationId: 'getImageEvenIfHidden',
    summary: 'Get an image, even if it is hidden',
    description:
      'For those who decide whether it is shown again. The stored bytes, with ranges and conditions as on `/i`.',
    audit: 'hidden.read',
    keyScope: null,
    reply: [{ status: 200, type: '*/*', description: 'The bytes, with the stored type' }, ...imageReplies],
    errors: imageErrors,
    async handle(call, { kinds, proxyOfAll }: ModerationRouteDeps) {
      const { kind = '', file = '' } = call.params
      const key = keyOf(kind, file)
      if (parseKey(kinds, key) === null) refuse(errors.imageNotFound)
      const found = await proxyOfAll.attempt(call, key, caller, null)
      if (found instanceof Miss) throw found.reason ?? new Refused(errors.imageNotFound)
      return found
    },
  }),
  defineApiRoute({
    ...moderating,
    method: 'POST',
    path: '/admin/images/hide',
    operationId: 'hideImage',
    summary: 'Hide an image',
    description:
      'Without a report; an open one stays open. The image leaves random choices, lists, embed links and `/i` until `POST /admin/images/unhide`: at once on this instance, and within 2 s on the others.',
    audit: 'hide',
    keyScope: null,
    body: fields({ name: nameField }),
    reply: done('ImageHidden', 'Image fox/fox-at-dusk.png is hidden'),
    errors: [errors.alreadyHidden, errors.imageNotFound],
    async handle({ actor, body: { name } }, deps: ModerationRouteDeps) {
      await hide(deps, actor, name)
      return { status: 200, message: `Image ${name} is hidden` }
    },
  }),
  defineApiRoute({
    ...moderating,
    method: 'POST',
    path: '/admin/images/unhide',
    operationId: 'unhideImage',
    summary: 'Show a hidden image again',
    description: 'At once on this instance, and within 2 s on the others.',
    audit: 'unhide',
    keyScope: null,
    body: fields({ name: nameField }),
    reply: done('ImageShown', 'Image fox/fox-at-dusk.png is no longer hidden'),
    errors: [errors.notHidden, errors.imageNotFound],
    async handle({ actor, body: { name } }, deps: ModerationRouteDeps) {
      await unhide(deps, actor, name)
      return { status: 200, message: `Image ${name} is no longer hidden` }
    },
  }),
  defineApiRoute({
    ...moderating,
    access: onlyAdministrators,
    method: 'POST',
    path: '/admin/images/move',
    operationId: 'moveImage',
    summary: 'Move an image to another kind or file name',
    description:
      'Copies it, checks the copy, deletes the original. Details and reports move too; old URLs stop working. An interrupted move may leave both.',
    audit: 'move',
    keyScope: 'store',
    body: fields({
      name: nameField,
      to: required(errors.toRequired, { description: 'The new kind and file name', examples: ['bird/at-dusk.png'] }),
    }),
    reply: done('ImageMoved', 'Image fox/fox-at-dusk.png has been moved to bird/at-dusk.png'),
    errors: [errors.badTarget, errors.nameTaken, errors.imageReplaced, errors.imageNotFound],
    async handle({ actor, body: { name, to }, signal }, deps: ModerationRouteDeps) {
      await moveImage(deps, actor, { name, to, signal })
      return { status: 200, message: `Image ${name} has been moved to ${to}` }
    },
  }),
]
