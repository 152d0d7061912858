import { type Guarded, onlyAdministrators } from '../../accounts/access.ts'
import { type ApiRoute, administration, defineApiRoute } from '../../accounts/api-route.ts'
import type { KeyPassage } from '../../accounts/limits.ts'
import { duplicateFields, duplicatePage, listDuplicates } from '../duplicates.ts'
import { errors } from '../errors.ts'
import type { Kinds } from '../kinds.ts'
import type { Pool } from '../pool.ts'
import { listProblems, problemList } from '../problems.ts'
import { type RandomDeps, whenKnown } from '../random.ts'
import { listSetAside, setAsideFields, setAsidePage } from '../set-aside.ts'
import type { Looks } from '../sizes/looks.ts'

export interface ListRouteDeps extends Guarded, Pick<RandomDeps, 'catalogue' | 'baseUrl'> {
  readonly kinds: Kinds
  readonly imagesOnly: boolean
  readonly pool: Pick<Pool, 'ready' | 'unserved'>
  readonly looks: Pick<Looks, 'undecodable'>
}

const common = {
  method: 'GET',
  access: onlyAdministrators,
  ...administration,
  keyScope: 'admin:read',
  isCompressed: true,
  errors: [errors.badCursor],
} as const

export const listRoutes: readonly ApiRoute<ListRouteDeps, KeyPassage>[] = [
  defineApiRoute({
    ...common,
    path: '/admin/images/duplicates',
    operationId: 'listDuplicates',
    summary: 'List images with identical bytes',
    description:
      'Groups of images with the same MD5, sorted by MD5 and paginated. An image whose ETag is not an MD5, such as one that was stored in parts, is in no group. With `UPLOAD_STRIP_METADATA=true`, the stored bytes of an upload may differ from those sent.',
    audit: 'duplicates.read',
    query: duplicateFields,
    reply: { status: 200, schema: duplicatePage },
    handle: ({ query }, deps: ListRouteDeps) => whenKnown(deps, [...deps.kinds], () => listDuplicates(deps, query)),
  }),
  defineApiRoute({
    ...common,
    path: '/admin/images/set-aside',
    operationId: 'listSetAside',
    summary: 'List the objects that are not images',
    description:
      'With `CHOOSE_IMAGES_ONLY=true`: the objects that are never chosen or listed, because they are not images. Their URLs stay valid. Paginated. Objects that have not been read yet are not among them.',
    audit: 'set-aside.read',
    query: setAsideFields,
    reply: { status: 200, schema: setAsidePage },
    handle: ({ query }, deps: ListRouteDeps) => whenKnown(deps, [...deps.kinds], () => listSetAside(deps, query)),
  }),
  defineApiRoute({
    ...common,
    path: '/admin/images/problems',
    operationId: 'listProblems',
    summary: 'List files with a problem',
    description:
      'Files that the last listing of this instance found, but that are never served; and images of which a size was asked for, but cannot be made.',
    audit: 'problems.read',
    reply: { status: 200, schema: problemList },
    errors: [],
    handle: (_call, deps: ListRouteDeps) => whenKnown(deps, [...deps.kinds], () => listProblems(deps)),
  }),
]
