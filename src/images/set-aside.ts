import { type Guarded, onlyAdministrators } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { fields, optional, type ReadBy, strict } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import { array, boolean, integer, literal, nullable, object, oneOf, string } from '../http/schema.ts'
import { type Catalogue, faults } from './catalogue.ts'
import { describeImage, descriptor } from './descriptor.ts'
import { errors } from './errors.ts'
import type { Kind, Kinds } from './kinds.ts'
import { defaultPageSize, limitField } from './list-images.ts'
import { keyOf, parseKey } from './names.ts'
import { type RandomDeps, whenKnown } from './random.ts'

export interface SetAsideDeps extends Guarded, Pick<RandomDeps, 'pool' | 'catalogue' | 'baseUrl'> {
  readonly kinds: Kinds
  readonly imagesOnly: boolean
}

const pageFields = strict(
  fields({
    limit: limitField('Objects per page'),
    cursor: optional({ description: 'The `next` of the previous page' }),
  }),
)

const setAsidePage = object(
  {
    status: literal(200),
    imagesOnly: boolean({ description: '`CHOOSE_IMAGES_ONLY`; if false, nothing is set aside', examples: [true] }),
    count: integer({ minimum: 0, description: 'All objects that are set aside', examples: [1] }),
    objects: array(
      object(
        {
          image: descriptor,
          fault: oneOf(faults, {
            title: 'ImageFault',
            description: '`bytes`: the first bytes are not those of an image. `type`: the stored type is not `image/*`',
          }),
        },
        { title: 'SetAsideObject' },
      ),
      { description: 'Sorted by name' },
    ),
    next: nullable(string({ description: 'The `cursor` of the next page; null on the last' })),
  },
  { title: 'SetAsidePage' },
)

export const setAsideRoute: ApiRoute<SetAsideDeps, KeyPassage> = defineApiRoute({
  method: 'GET',
  path: '/admin/images/set-aside',
  operationId: 'listSetAside',
  summary: 'List the objects that are not images',
  description:
    'With `CHOOSE_IMAGES_ONLY=true`: the objects that are never chosen or listed, because they are not images. Their URLs stay valid. Paginated. Objects that have not been read yet are not among them.',
  access: onlyAdministrators,
  envelope: 'status',
  limit: null,
  counts: 'admin',
  audit: 'set-aside.read',
  keyScope: 'admin:read',
  query: pageFields,
  isCompressed: true,
  reply: { status: 200, schema: setAsidePage },
  errors: [errors.badCursor],
  handle: ({ query }, deps: SetAsideDeps) => whenKnown(deps, [...deps.kinds], () => listSetAside(deps, query)),
})

function listSetAside(
  { catalogue, kinds, baseUrl, imagesOnly }: Omit<SetAsideDeps, 'pool'>,
  { limit = defaultPageSize, cursor }: ReadBy<typeof pageFields>,
) {
  const after = cursor === undefined ? null : (readCursor(kinds, cursor) ?? refuse(errors.badCursor))
  const sorted = [...kinds].sort()
  const found = []
  for (const kind of sorted.filter((each) => after === null || each >= after.kind)) {
    const from = kind === after?.kind ? after.filename : ''
    const some = catalogue.setAside(kind, from, limit + 1 - found.length)
    found.push(...some.map(({ entry, fault }) => ({ kind, entry, fault })))
  }
  const last = found[limit - 1]
  return {
    status: 200,
    imagesOnly,
    count: countSetAside(catalogue, sorted),
    objects: found.slice(0, limit).map(({ fault, ...choice }) => ({ image: describeImage(baseUrl, choice), fault })),
    next: last && found.length > limit ? writeCursor(last.kind, last.entry.filename) : null,
  }
}

const countSetAside = (catalogue: Pick<Catalogue, 'countSetAside'>, kinds: readonly Kind[]) =>
  kinds.reduce((sum, kind) => sum + catalogue.countSetAside(kind), 0)

const writeCursor = (kind: Kind, filename: string) => Buffer.from(keyOf(kind, filename)).toString('base64url')

function readCursor(kinds: Kinds, text: string) {
  const image = parseKey(kinds, Buffer.from(text, 'base64url').toString())
  return image && writeCursor(image.kind, image.filename) === text ? image : null
}
