import { refuse } from '../http/refusal.ts'
import { isId } from '../lib/ids.ts'
import type { CreateDeps } from './create-account.ts'
import { type EmbedLink, type EmbedLinks, maxLinks } from './embed-links.ts'
import { errors } from './errors.ts'
import type { Actor } from './guard.ts'
import { mustBeAsProven } from './own-password.ts'
import type { Account } from './users.ts'

export interface EmbedActDeps extends Pick<CreateDeps, 'clock' | 'newId'> {
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
  await embedLinks.insert(link, { action: 'create-embed', by: actor }, (parties, count) => {
    mustBeAsProven(parties, proven, actor.login)
    if (count >= maxLinks) refuse(errors.tooManyLinks)
  })
  return link
}

export async function revokeEmbedLink(
  { embedLinks }: Pick<EmbedActDeps, 'embedLinks'>,
  actor: Actor,
  id: string,
): Promise<void> {
  const { id: userId } = actor.user
  actor.noteTarget(userId)
  // No other text can be a link, and PostgreSQL rejects some.
  const isRevoked = isId(id) && (await embedLinks.remove(userId, id, { action: 'revoke-embed', by: actor }))
  if (!isRevoked) refuse(errors.linkNotFound)
}
