import { refuse } from '../http/refusal.ts'
import { isoTime } from '../lib/timestamps.ts'
import type { Details } from './audit.ts'
import type { CreateDeps } from './create-account.ts'
import { type EmbedLink, type EmbedLinks, maxLinks } from './embed-links.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import { mustBeAsProven } from './own-password.ts'
import type { Account, Change } from './users.ts'

export interface EmbedActDeps extends Pick<CreateDeps, 'users' | 'clock' | 'newId'> {
  readonly embedLinks: EmbedLinks
}

/** Refuses if the caller has meanwhile been banned or signed out, or has another password than the `proven` one. */
export async function createEmbedLink(
  { embedLinks, clock, newId }: EmbedActDeps,
  actor: Actor,
  {
    ttlMs,
    ...chosen
  }: Omit<EmbedLink, 'id' | 'userId' | 'createdAt' | 'expiresAt' | 'lastUsedAt'> & { readonly ttlMs: number },
  proven: Account | null,
): Promise<EmbedLink> {
  const { id: userId } = actor.user
  actor.noteTarget(userId)
  const now = clock.now()
  const link = { id: newId(), userId, ...chosen, createdAt: now, expiresAt: now + ttlMs, lastUsedAt: null }
  await embedLinks.insert(link, { action: 'create-embed', by: actor, after: linkDetails(link) }, (parties, count) => {
    mustBeAsProven(parties, proven, actor.login)
    if (count >= maxLinks) refuse(errors.tooManyLinks)
  })
  return link
}

export async function revokeEmbedLink({ users }: Pick<EmbedActDeps, 'users'>, actor: Actor, id: string): Promise<void> {
  const target = { id: actor.user.id }
  actor.noteTarget(target.id)
  const act = { action: 'revoke-embed', by: actor, target, readsLinks: true } as const
  await users.change(act, ({ links = [] }) => linkRevocation(links, id))
}

export function linkRevocation(links: readonly EmbedLink[], linkId: string): Change {
  const link = links.find(({ id }) => id === linkId) ?? refuse(errors.linkNotFound)
  return { values: {}, endsLink: linkId, before: linkDetails(link) }
}

/** For the audit. */
export const linkDetails = (link: EmbedLink): Details => ({
  link: link.id,
  kinds: link.kinds.join(','),
  expiresAt: isoTime(link.expiresAt),
  ...(!link.isRepeating && { repeat: 'no' }),
  ...(link.orientation && { orientation: link.orientation }),
  ...(link.period && { per: link.period.per, tz: link.period.zone }),
  ...(link.tags.length > 0 && { tags: link.tags.join(',') }),
  ...(link.without.length > 0 && { without: link.without.join(',') }),
})
