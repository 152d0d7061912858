import { type Guarded, onlyAdministrators } from '../../accounts/access.ts'
import { type ApiRoute, administration, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { refuse } from '../../http/refusal.ts'
import { literal, object, oneOf, string } from '../../http/schema.ts'
import type { CatalogueEntry } from '../catalogue.ts'
import { descriptor } from '../descriptor.ts'
import { errors } from '../errors.ts'
import { CachedImage } from '../image-cache.ts'
import type { ImageSource } from '../image-source.ts'
import type { Kind } from '../kinds.ts'
import { keyOf, parseKey } from '../names.ts'
import { forUsers } from '../replies.ts'
import { type ChangeDetailsDeps, changeDetails } from './change-details.ts'
import { type DescribeDeps, describeAll } from './describe.ts'
import { changeFields, detailsSchema, readChange } from './detail-fields.ts'
import { setDetails } from './details.ts'
import type { KnownDetails } from './known-details.ts'

export interface DetailRouteDeps extends Guarded, DescribeDeps, ChangeDetailsDeps {
  readonly catalogue: DescribeDeps['catalogue']
  readonly details: KnownDetails
  readonly source: ImageSource
}

const file = string({ examples: ['fox-at-dusk.png'] })

/** One route for each kind, so that paths of other kinds stay unmatched. */
export const imageByNameRoutes = (kinds: readonly Kind[]): readonly ApiRoute<DetailRouteDeps, KeyPassage>[] =>
  kinds.map((kind) =>
    defineApiRoute({
      method: 'GET',
      path: `/images/${kind}/:file`,
      template: '/images/:kind/:file',
      params: { kind: oneOf(kinds), file },
      operationId: 'describeImage',
      summary: 'Get the description of an image',
      description:
        'Everything that is known of it, as with `meta=1`. An image named `random` is not reachable here: `/images/{kind}/random` wins.',
      ...forUsers,
      reply: { status: 200, schema: descriptor },
      errors: [errors.imageNotFound],
      async handle({ params: { file: filename = '' }, signal }, deps: DetailRouteDeps) {
        const isName = parseKey(deps.kinds, keyOf(kind, filename)) !== null
        const entry = isName ? await find(deps, kind, filename, signal) : null
        return entry ? (await describeAll(deps, [{ kind, entry }], null))[0] : refuse(errors.imageNotFound)
      },
    }),
  )

/** The catalogue may not have it yet. */
async function find(
  { catalogue, source }: DetailRouteDeps,
  kind: Kind,
  filename: string,
  signal: AbortSignal,
): Promise<CatalogueEntry | null> {
  const listed = catalogue.find(kind, filename)
  if (listed) return listed
  const found = await source.find(keyOf(kind, filename), () => 'head', signal)
  if (found instanceof CachedImage) found.release()
  return found && { filename, ...found.head }
}

export const changeDetailsRoute: ApiRoute<DetailRouteDeps, KeyPassage> = defineApiRoute({
  method: 'PATCH',
  path: '/admin/images/:kind/:file',
  params: { kind: string({ examples: ['fox'] }), file },
  operationId: 'changeImageDetails',
  summary: 'Change the details of an image',
  description:
    'Changes the given fields; `null`, or an empty list of tags, removes one. The details belong to the name: they stay when the image is replaced, and end when it is deleted.',
  access: onlyAdministrators,
  ...administration,
  audit: 'describe',
  keyScope: 'store',
  body: changeFields,
  bodyLimitBytes: 131_072,
  reply: {
    status: 200,
    schema: object(
      {
        status: literal(200),
        message: string({ examples: ['Details of fox/fox-at-dusk.png have been saved'] }),
        name: string({ examples: ['fox/fox-at-dusk.png'] }),
        details: detailsSchema,
      },
      { title: 'ChangedImageDetails' },
    ),
  },
  errors: [errors.imageNotFound],
  async handle({ actor, params: { kind = '', file: filename = '' }, body }, deps: DetailRouteDeps) {
    const name = keyOf(kind, filename)
    if (parseKey(deps.kinds, name) === null) refuse(errors.imageNotFound)
    const details = await changeDetails(deps, actor, name, readChange(body))
    return { status: 200, message: `Details of ${name} have been saved`, name, details: setDetails(details) }
  },
})
