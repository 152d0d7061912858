import { array, literal, nullable, object, oneOf, string, timestamp } from '../http/schema.ts'
import type { Kinds } from '../images/kinds.ts'
import { periods } from '../images/period.ts'
import { orientations } from '../images/shapes/choices.ts'
import { isoOrNull, isoTime } from '../lib/timestamps.ts'
import { type Guarded, ownAccess } from './access.ts'
import { type ApiRoute, defineApiRoute } from './api-route.ts'
import { createEmbedLink, type EmbedActDeps, revokeEmbedLink } from './embed-acts.ts'
import { linkFields, readNewLink, repeats } from './embed-fields.ts'
import type { EmbedLink } from './embed-links.ts'
import type { EmbedTokens } from './embed-tokens.ts'
import { errors } from './errors.ts'
import type { Journal } from './journal.ts'
import type { LimitedPassage } from './limits.ts'
import { type PasswordAgainDeps, passwordAgainErrors, requirePasswordAgain } from './password-again.ts'
import { id } from './schemas.ts'
import { embedPath } from './secrets-in-paths.ts'

export interface EmbedDeps extends EmbedActDeps, PasswordAgainDeps, Guarded {
  readonly embedTokens: EmbedTokens
  readonly journal: Pick<Journal, 'flush'>
  baseUrl(): string
}

const url = string({
  description: 'Shows a new random image on each request, to anyone who has the URL',
  examples: [`<BASE_URL>${embedPath}AQGaL248QX0Cm15PimwhjX5jXpL2xvJ0bGVt0a1bW3Zk`],
})

const shownLink = {
  id,
  kinds: array(string({ examples: ['fox'] })),
  repeat: oneOf([...repeats], { description: '`no`: every image once before any is repeated' }),
  orientation: nullable(oneOf(orientations, { description: 'Orientation of all its images; null for any' })),
  createdAt: timestamp({ examples: ['2026-06-01T12:00:00.000Z'] }),
  expiresAt: timestamp({ examples: ['2027-06-01T12:00:00.000Z'] }),
  lastUsedAt: nullable(timestamp({ description: 'To the minute', examples: ['2026-06-03T08:15:00.000Z'] })),
}

/** Only of links that have such terms. */
const shownTerms = {
  tags: array(string({ examples: ['snow'] }), { description: 'Its images have all of these tags' }),
  without: array(string({ examples: ['drawing'] }), { description: 'Its images have none of these tags' }),
  per: oneOf(periods, { description: 'How long it shows everybody the same image' }),
  tz: string({ description: 'The time zone in which days begin at midnight', examples: ['Europe/Berlin'] }),
}

const { id: _, ...afterUrl } = shownLink
const ownLink = { id, url, ...afterUrl }

const createdLink = object(
  { status: literal(201), ...ownLink, ...shownTerms },
  { title: 'CreatedEmbedLink', required: ['status', ...Object.keys(ownLink)] },
)
const link = object({ ...ownLink, ...shownTerms }, { title: 'EmbedLink', required: Object.keys(ownLink) })
const linkOfUser = object(
  { ...shownLink, ...shownTerms },
  { title: 'EmbedLinkOfUser', required: Object.keys(shownLink) },
)
const linkList = object({ status: literal(200), links: array(link) }, { title: 'EmbedLinkList' })
const revokedLink = object(
  { status: literal(200), message: literal('Embed link revoked') },
  { title: 'RevokedEmbedLink' },
)

export const linksOfUser = object({ status: literal(200), links: array(linkOfUser) }, { title: 'EmbedLinkOfUserList' })

/** Without its URL, a secret. */
export const showTerms = (link: EmbedLink) => ({
  id: link.id,
  kinds: link.kinds,
  repeat: link.isRepeating ? 'yes' : 'no',
  orientation: link.orientation,
  ...(link.tags.length > 0 && { tags: link.tags }),
  ...(link.without.length > 0 && { without: link.without }),
  createdAt: isoTime(link.createdAt),
  expiresAt: isoTime(link.expiresAt),
  lastUsedAt: isoOrNull(link.lastUsedAt),
  ...(link.period && { per: link.period.per, tz: link.period.zone }),
})

const show = ({ baseUrl, embedTokens }: EmbedDeps, link: EmbedLink) => {
  const { id, ...terms } = showTerms(link)
  return { id, url: `${baseUrl()}${embedPath}${embedTokens.of(id)}`, ...terms }
}

export const embedRoutes = (kinds: Kinds): readonly ApiRoute<EmbedDeps, LimitedPassage>[] => [
  defineApiRoute({
    method: 'POST',
    path: '/auth/embed',
    operationId: 'createEmbedLink',
    summary: 'Create an embed link',
    description:
      'Creates a URL that shows a new random image on each request and needs no header: for pages, style sheets, Markdown and photo frames. With `per` and `tz` everybody sees the same image until the next hour, day or week. The link ends with its `ttl`. A new password, `POST /admin/user/revoke-token` and the deletion of the account end all links of the user. While the user is banned, the link shows nothing.',
    ...ownAccess,
    bodyLimitBytes: 16_384,
    limit: 'passwordAgain',
    audit: 'create-embed',
    body: linkFields(kinds),
    reply: { status: 201, schema: createdLink },
    errors: [
      errors.kindAndKinds,
      errors.perAndRepeat,
      errors.badTags,
      errors.badWithout,
      errors.tooManyLinks,
      ...passwordAgainErrors,
    ],
    async handle({ actor, body, signal }, deps: EmbedDeps, guesses: LimitedPassage) {
      const newLink = readNewLink(body, kinds)
      const proven = await requirePasswordAgain(deps, actor, { password: body.password, guesses }, signal)
      return { status: 201, ...show(deps, await createEmbedLink(deps, actor, newLink, proven)) }
    },
  }),
  defineApiRoute({
    method: 'GET',
    path: '/auth/embed',
    operationId: 'listEmbedLinks',
    summary: 'List the embed links of the caller',
    description: 'Lists links that have not ended, oldest first.',
    ...ownAccess,
    audit: null,
    reply: { status: 200, schema: linkList },
    errors: [],
    async handle({ actor }, deps: EmbedDeps) {
      await deps.journal.flush()
      const links = await deps.embedLinks.list(actor.user.id)
      return { status: 200, links: links.map((link) => show(deps, link)) }
    },
  }),
  defineApiRoute({
    method: 'DELETE',
    path: '/auth/embed/:id',
    params: { id },
    operationId: 'revokeEmbedLink',
    summary: 'Revoke an embed link',
    ...ownAccess,
    audit: 'revoke-embed',
    reply: { status: 200, schema: revokedLink },
    errors: [errors.linkNotFound],
    async handle({ actor, params: { id = '' } }, deps: EmbedDeps) {
      await revokeEmbedLink(deps, actor, id)
      return { status: 200, message: 'Embed link revoked' }
    },
  }),
]
