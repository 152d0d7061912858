import { fields, strict } from '../http/fields.ts'
import { type Guarded, ownAccess } from './access.ts'
import { errors } from './admin/errors.ts'
import { usage } from './admin/schemas.ts'
import { dayFields, showUsage, type UsageDeps } from './admin/show-usage.ts'
import { defineApiRoute } from './api-route.ts'

export const usageRoute = defineApiRoute({
  method: 'GET',
  path: '/auth/usage',
  operationId: 'getOwnUsage',
  summary: "Show the caller's requests by day",
  description: 'Counted requests, this one included.',
  ...ownAccess,
  audit: null,
  query: strict(fields(dayFields)),
  reply: { status: 200, schema: usage },
  errors: [errors.badRange],
  handle: async ({ actor, query }, deps: UsageDeps & Guarded) => ({
    status: 200,
    usage: await showUsage(deps, { ...query, userId: actor.user.id }),
  }),
})
