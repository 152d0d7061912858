import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import { type Embedded, linkHolders } from '../accounts/embed-access.ts'
import { embedPath } from '../accounts/secrets-in-paths.ts'
import { protocolErrors } from '../http/errors.ts'
import { choice, fields } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { JsonResponse } from '../http/responses.ts'
import { string } from '../http/schema.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { descriptor } from './descriptor.ts'
import { describeAll } from './details/describe.ts'
import { errors } from './errors.ts'
import { filterOf } from './filter.ts'
import type { Kinds } from './kinds.ts'
import { chooseFor, type RandomDeps, redirectTo, seedField, textType, whenKnown } from './random.ts'
import { serveRandom } from './random-bytes.ts'
import { drawnReplies, imageErrors } from './replies.ts'
import { embedded, locationSpec, proxyHeaders, remainingHeaders, remainingSpec } from './served.ts'
import { sizeErrors, sizeFields } from './sizes/size.ts'

export interface EmbedRouteDeps extends RandomDeps, Embedded {
  readonly kinds: Kinds
}

export const embedRoute = (hasSizes: boolean): ApiRoute<EmbedRouteDeps, unknown> =>
  defineApiRoute({
    method: 'GET',
    path: `${embedPath}:token`,
    hasSecretPath: true,
    params: {
      token: string({
        description: "The last part of the link's `url`",
        examples: ['AQGaL248QX0Cm15PimwhjX5jXpL2xvJ0bGVt0a1bW3Zk'],
      }),
    },
    operationId: 'getEmbeddedImage',
    summary: 'Get a random image by an embed link',
    description:
      'Returns a new one on each request, or with `per` of the link one for everybody until the next hour, day or week. The request counts for the user of the link. If the link has ended, the response is 404.',
    access: linkHolders(errors.imageNotFound),
    envelope: 'status',
    limit: 'embed',
    counts: 'images',
    audit: null,
    keyScope: null,
    headers: proxyHeaders,
    query: fields({
      seed: seedField,
      as: choice(['bytes', 'redirect', 'json'], errors.badEmbedAs, {
        description:
          'The image itself (the default), a redirect to its URL, or its description with all that is known of it, as with `meta=1`',
      }),
      ...sizeFields(hasSizes),
    }),
    reply: [
      {
        status: 200,
        schema: descriptor,
        also: ['*/*'],
        headers: { ...remainingSpec, ...locationSpec },
        description: 'The bytes, with the stored type; with `as=json` the description',
      },
      { status: 302, type: textType, headers: remainingSpec, description: 'With `as=redirect`: the URL of the image' },
      ...drawnReplies,
    ],
    errors: [
      ...imageErrors,
      ...sizeErrors(hasSizes),
      errors.nameMissing,
      errors.perAlone,
      errors.stillReading,
      protocolErrors.unavailable,
    ],
    handle(call, deps: EmbedRouteDeps) {
      const { actor, query } = call
      const { userId, id, isRepeating, orientation, tags, without, period } = actor
      // Some of the link's kinds may have been removed since.
      const of = actor.kinds.filter((kind) => deps.kinds.has(kind))
      if (period !== null && query.seed !== undefined) refuse(errors.perAlone)
      const isAny = isRepeating || query.seed !== undefined
      const order = period !== null ? { ...period, userId } : isAny ? null : { userId, linkId: id }
      const size = deps.sizes?.sizeOf(query) ?? null
      const filter = filterOf({ orientation: orientation ?? undefined, tags, without })
      return whenKnown(deps, of, () =>
        chooseFor(deps, call, { of, filter }, order, (chosen): MaybePromise<unknown> => {
          const [first = refuse(errors.imageNotFound)] = chosen.choices
          const headers = remainingHeaders(chosen.remaining, true)
          if (query.as === 'redirect') return redirectTo(deps.baseUrl, first, size, { ...proxyHeaders, ...headers })
          if (query.as !== 'json') return serveRandom(deps, call, of, first, chosen, embedded, size)
          return describeAll(deps, [first], size).then(([image]) => new JsonResponse(200, image, headers))
        }),
      )
    },
  })
