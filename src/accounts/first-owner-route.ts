import { protocolErrors } from '../http/errors.ts'
import { fields, required } from '../http/fields.ts'
import { refuse } from '../http/refusal.ts'
import type { Access } from '../http/route.ts'
import type { Guarded } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { Caller } from './caller.ts'
import type { CreateDeps } from './create-account.ts'
import { errors } from './errors.ts'
import { createFirstOwner, type OfferDeps, offerTo } from './first-owner.ts'
import type { LimitedPassage } from './limits.ts'
import { credentialFields } from './routes.ts'
import { firstOwner, toShortUser } from './schemas.ts'
import { isSameOrigin } from './session-cookie.ts'

export type FirstOwnerDeps = CreateDeps & OfferDeps & Guarded

/** To everybody else, the route does not exist. */
const onThisMachine: Access<Caller, FirstOwnerDeps> = {
  label: 'the console in a browser on the machine itself, while there is no owner',
  errors: [errors.noOwnerCode, errors.otherSite, protocolErrors.unavailable],
  async admit(call, deps) {
    if ((await offerTo(call.req, deps)) !== 'first owner') refuse(errors.noOwnerCode)
    // The page is of this machine too: not of BASE_URL, through a proxy that hides itself.
    if (!isSameOrigin(call.req.headers, null)) refuse(errors.otherSite)
    return new Caller(call)
  },
}

export const firstOwnerRoute: ApiRoute<FirstOwnerDeps, LimitedPassage> = defineApiRoute({
  method: 'POST',
  path: '/console/owner',
  operationId: 'createFirstOwner',
  summary: 'Create the first owner',
  description:
    'Only while there is no owner, over a loopback connection, without a header that proxies add, over HTTP/1.1, and to `localhost` or a loopback address. Needs the code that the log shows at the start, for 30 minutes or until 5 wrong ones. The origin is checked as by `POST /console/session`.',
  access: onThisMachine,
  envelope: 'error',
  limit: 'login',
  counts: null,
  keyScope: null,
  audit: 'create',
  bodyLimitBytes: 16_384,
  body: fields({
    code: required(errors.ownerCodeRequired, { examples: ['k7wq3hzt9mcx2fnb'] }),
    ...credentialFields,
  }),
  reply: { status: 201, schema: firstOwner },
  errors: [errors.badPassword, errors.badOwnerCode, errors.usernameTaken, errors.tooManyLogins],
  async handle({ actor, body, signal }, deps: FirstOwnerDeps, passage: LimitedPassage) {
    await passage.guess(body.username)
    const account = await createFirstOwner(deps, actor, body, signal)
    return { status: 201, message: `User ${account.username} has been created`, user: toShortUser(account) }
  },
})
