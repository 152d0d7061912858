import { type Guarded, onlyAdministrators } from '../accounts/access.ts'
import { type ApiRoute, defineApiRoute } from '../accounts/api-route.ts'
import type { KeyPassage } from '../accounts/limits.ts'
import { duplicateFields, duplicatePage, listDuplicates } from './duplicates.ts'
import { errors } from './errors.ts'
import type { Kinds } from './kinds.ts'
import { type RandomDeps, whenKnown } from './random.ts'

export interface DuplicateRouteDeps extends Guarded, Pick<RandomDeps, 'pool' | 'catalogue' | 'baseUrl'> {
  readonly kinds: Kinds
}

export const duplicateRoute: ApiRoute<DuplicateRouteDeps, KeyPassage> = defineApiRoute({
  method: 'GET',
  path: '/admin/images/duplicates',
  operationId: 'listDuplicates',
  summary: 'List images with identical bytes',
  description:
    'Groups of images with the same MD5, sorted by MD5 and paginated. An image whose ETag is not an MD5, such as one that was stored in parts, is in no group. With `UPLOAD_STRIP_METADATA=true`, the stored bytes of an upload may differ from those sent.',
  access: onlyAdministrators,
  envelope: 'status',
  limit: null,
  counts: 'admin',
  audit: 'duplicates.read',
  keyScope: 'admin:read',
  query: duplicateFields,
  isCompressed: true,
  reply: { status: 200, schema: duplicatePage },
  errors: [errors.badCursor],
  handle: ({ query }, deps: DuplicateRouteDeps) => whenKnown(deps, [...deps.kinds], () => listDuplicates(deps, query)),
})
