import { refuse } from '../../http/refusal.ts'
import { type Guarded, onlyAdministrators } from '../access.ts'
import { type ApiRoute, defineApiRoute } from '../api-route.ts'
import type { EmbedLinks } from '../embed-links.ts'
import { linksOfUser, showTerms } from '../embed-routes.ts'
import { errors as accountErrors } from '../errors.ts'
import { ofOneKey } from '../key-routes.ts'
import type { KeyPassage } from '../limits.ts'
import { id, idSchema, keyList, sessionList, toKey, toSession } from '../schemas.ts'
import { type ActDeps, actOnUser } from './act-on-user.ts'
import { acting, changedReply } from './act-routes.ts'
import { endUserSession, revokeUserKey, revokeUserLink } from './acts.ts'
import { errors } from './errors.ts'
import { findUser, type Named, type ReadDeps, readingUser } from './identify.ts'
import { changedUser } from './schemas.ts'

const keyRevoked = (username: string) => `API key of ${username} has been revoked`
const sessionEnded = (username: string) => `Session of ${username} has been ended`
const linkRevoked = (username: string) => `Embed link of ${username} has been revoked`

export interface AccessDeps extends ActDeps, ReadDeps, Guarded {
  readonly embedLinks: Pick<EmbedLinks, 'list' | 'ownerOf'>
}

const ofOneUser = {
  ...readingUser,
  access: onlyAdministrators,
  keyScope: null,
} as const

/** By its journal, each was last used when it was. */
async function userIn({ directory, journal }: ReadDeps, named: Named): Promise<string> {
  await journal.flush()
  return (await findUser(directory, named)).id
}

/** How a user gets in. No API key opens these routes: keys, sessions and links belong to people. */
export const accessRoutes: readonly ApiRoute<AccessDeps, KeyPassage>[] = [
  defineApiRoute({
    ...ofOneUser,
    path: '/admin/user/keys',
    operationId: 'listKeysOfUser',
    summary: "List a user's API keys",
    audit: 'keys.read',
    reply: { status: 200, schema: keyList },
    async handle({ query }, deps: AccessDeps) {
      const keys = await deps.users.keysOf(await userIn(deps, query))
      return { status: 200, keys: keys.map(toKey) }
    },
  }),
  defineApiRoute({
    ...ofOneUser,
    path: '/admin/user/sessions',
    operationId: 'listSessionsOfUser',
    summary: "List a user's console sessions",
    description: '`DELETE /admin/user/sessions/{id}` ends one of them, `POST /admin/user/revoke-token` all.',
    audit: 'sessions.read',
    reply: { status: 200, schema: sessionList },
    async handle({ actor, query }, deps: AccessDeps) {
      const sessions = await deps.users.sessionsOf(await userIn(deps, query))
      return { status: 200, sessions: sessions.map((session) => toSession(session, actor.sessionId)) }
    },
  }),
  defineApiRoute({
    ...ofOneUser,
    path: '/admin/user/embed',
    operationId: 'listEmbedLinksOfUser',
    summary: "List a user's embed links",
    description:
      'Lists links that have not ended, oldest first, without their URLs: these are secrets. `DELETE /admin/user/embed/{id}` ends one of them, `POST /admin/user/revoke-token` all.',
    audit: 'links.read',
    reply: { status: 200, schema: linksOfUser },
    async handle({ query }, deps: AccessDeps) {
      const links = await deps.embedLinks.list(await userIn(deps, query))
      return { status: 200, links: links.map(showTerms) }
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
    reply: { status: 200, schema: changedUser(keyRevoked('alice')) },
    errors: [accountErrors.keyNotFound, errors.selfRevokeKey, errors.cannotRevokeKey],
    async handle({ actor, params, query: { dryRun } }, deps: AccessDeps) {
      const keyId = params.id as string
      const id = (await deps.users.ownerOfKey(keyId)) ?? refuse(accountErrors.keyNotFound)
      const { account } = await actOnUser(deps, revokeUserKey, actor, { id }, { keyId }, dryRun)
      return changedReply(keyRevoked(account.username), account, dryRun)
    },
  }),
  defineApiRoute({
    ...acting,
    method: 'DELETE',
    path: '/admin/user/sessions/:id',
    params: { id: idSchema('Id of the session') },
    operationId: 'endSessionOfUser',
    summary: "End a user's console session",
    description: 'The token, API keys and embed links of the user remain valid.',
    audit: 'end-session',
    reply: { status: 200, schema: changedUser(sessionEnded('alice')) },
    errors: [accountErrors.sessionNotFound, errors.selfEndSession, errors.cannotEndSession],
    async handle({ actor, params, query: { dryRun } }, deps: AccessDeps) {
      const sessionId = params.id as string
      const id = (await deps.users.ownerOfSession(sessionId)) ?? refuse(accountErrors.sessionNotFound)
      const { account } = await actOnUser(deps, endUserSession, actor, { id }, { sessionId }, dryRun)
      return changedReply(sessionEnded(account.username), account, dryRun)
    },
  }),
  defineApiRoute({
    ...acting,
    method: 'DELETE',
    path: '/admin/user/embed/:id',
    params: { id },
    operationId: 'revokeEmbedLinkOfUser',
    summary: "Revoke a user's embed link",
    audit: 'revoke-embed',
    reply: { status: 200, schema: changedUser(linkRevoked('alice')) },
    errors: [accountErrors.linkNotFound, errors.selfRevokeLink, errors.cannotRevokeLink],
    async handle({ actor, params, query: { dryRun } }, deps: AccessDeps) {
      const linkId = params.id as string
      const id = (await deps.embedLinks.ownerOf(linkId)) ?? refuse(accountErrors.linkNotFound)
      const { account } = await actOnUser(deps, revokeUserLink, actor, { id }, { linkId }, dryRun)
      return changedReply(linkRevoked(account.username), account, dryRun)
    },
  }),
]
