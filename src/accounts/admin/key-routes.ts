import { fields } from '../../http/fields.ts'
import { refuse } from '../../http/refusal.ts'
import { type Guarded, onlyAdministrators } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import { errors as accountErrors } from '../errors.ts'
import { ofOneKey } from '../key-routes.ts'
import type { KeyPassage } from '../limits.ts'
import { keyList, toKey } from '../schemas.ts'
import { type ActDeps, actOnUser } from './act-on-user.ts'
import { acting, changedReply } from './act-routes.ts'
import { revokeUserKey } from './acts.ts'
import { errors } from './errors.ts'
import { either, findUser, identifiers, type ReadDeps, reading } from './identify.ts'
import { changedUser } from './schemas.ts'

const message = (username: string) => `API key of ${username} has been revoked`

/** No API key opens these routes: the keys belong to people. */
export const adminKeyRoutes: readonly ApiRoute<ActDeps & ReadDeps & Guarded, KeyPassage>[] = [
  defineApiRoute({
    ...reading,
    path: '/admin/user/keys',
    operationId: 'listKeysOfUser',
    summary: "List a user's API keys",
    access: onlyAdministrators,
    keyScope: null,
    audit: 'keys.read',
    query: fields(identifiers, either),
    reply: { status: 200, schema: keyList },
    errors: [errors.userNotFound],
    async handle({ query }, { directory, journal, users }: ActDeps & ReadDeps & Guarded) {
      await journal.flush()
      const { id } = await findUser(directory, query)
      return { status: 200, keys: (await users.keysOf(id)).map(toKey) }
    },
  }),
  defineApiRoute({
    ...acting,
    method: 'DELETE',
    path: '/admin/user/keys/:id',
    ...ofOneKey,
    operationId: 'revokeKeyOfUser',
    summary: "Revoke a user's API key",
    description: 'The key and all its secrets are invalid from then on.',
    audit: 'revoke-key',
    reply: { status: 200, schema: changedUser(message('alice')) },
    errors: [accountErrors.keyNotFound, errors.selfRevokeKey, errors.cannotRevokeKey],
    async handle({ actor, params, query: { dryRun } }, deps: ActDeps & ReadDeps & Guarded) {
      const keyId = params.id as string
      const id = (await deps.users.ownerOfKey(keyId)) ?? refuse(accountErrors.keyNotFound)
      const { account } = await actOnUser(deps, revokeUserKey, actor, { id }, { keyId }, dryRun)
      return changedReply(message(account.username), account, dryRun)
    },
  }),
]
